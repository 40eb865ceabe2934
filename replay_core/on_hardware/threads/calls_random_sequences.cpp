// Random numbers of the C library's own sequences, which all threads share: what each of them got.
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;

namespace {

/// Before there is a second thread it follows from what the program does.
template <typename Number>
Number got(Number drawn, const void* caller) {
  const bool counts = recorded() != nullptr && process_record.has_threads();
  if (counts && is_read(caller)) readings().drew(std::bit_cast<std::uint64_t>(drawn));
  return drawn;
}

}  // namespace

ORRERY_RECORDED int rand() noexcept {
  const long drawn = next<&::rand>("rand")();
  return static_cast<int>(got(drawn, __builtin_return_address(0)));
}

ORRERY_RECORDED long random() noexcept {
  return got(next<&::random>("random")(), __builtin_return_address(0));
}

ORRERY_RECORDED double drand48() noexcept {
  return got(next<&::drand48>("drand48")(), __builtin_return_address(0));
}

ORRERY_RECORDED long lrand48() noexcept {
  return got(next<&::lrand48>("lrand48")(), __builtin_return_address(0));
}

ORRERY_RECORDED long mrand48() noexcept {
  return got(next<&::mrand48>("mrand48")(), __builtin_return_address(0));
}
