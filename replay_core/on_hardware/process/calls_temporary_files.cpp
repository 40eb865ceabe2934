// Names that the system makes up for files.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "answers.hpp"
#include "input_notes.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

namespace {

constexpr std::size_t made_up_bytes = 6;

/// What stands in place of the X, whose suffix has so many bytes.
int named(const void* caller, int result, const char* name, int suffix_bytes) {
  if (result >= 0 && is_watched(caller)) input_notes().made(name);
  const std::size_t behind = made_up_bytes + static_cast<std::size_t>(suffix_bytes);
  return answered(caller, result, {{name + std::strlen(name) - behind, made_up_bytes}});
}

}  // namespace

ORRERY_RECORDED int mkostemps(char* name, int suffix_bytes, int flags) {
  const int file = next<&::mkostemps>("mkostemps")(name, suffix_bytes, flags);
  return named(__builtin_return_address(0), file, name, suffix_bytes);
}

ORRERY_RECORDED int mkostemps64(char* name, int suffix_bytes, int flags) {
  const int file = next<&::mkostemps>("mkostemps")(name, suffix_bytes, flags);
  return named(__builtin_return_address(0), file, name, suffix_bytes);
}

ORRERY_RECORDED int mkstemps(char* name, int suffix_bytes) {
  const int file = next<&::mkostemps>("mkostemps")(name, suffix_bytes, 0);
  return named(__builtin_return_address(0), file, name, suffix_bytes);
}

ORRERY_RECORDED int mkstemps64(char* name, int suffix_bytes) {
  const int file = next<&::mkostemps>("mkostemps")(name, suffix_bytes, 0);
  return named(__builtin_return_address(0), file, name, suffix_bytes);
}

ORRERY_RECORDED int mkostemp(char* name, int flags) {
  const int file = next<&::mkostemps>("mkostemps")(name, 0, flags);
  return named(__builtin_return_address(0), file, name, 0);
}

ORRERY_RECORDED int mkostemp64(char* name, int flags) {
  const int file = next<&::mkostemps>("mkostemps")(name, 0, flags);
  return named(__builtin_return_address(0), file, name, 0);
}

ORRERY_RECORDED int mkstemp(char* name) {
  const int file = next<&::mkostemps>("mkostemps")(name, 0, 0);
  return named(__builtin_return_address(0), file, name, 0);
}

ORRERY_RECORDED int mkstemp64(char* name) {
  const int file = next<&::mkostemps>("mkostemps")(name, 0, 0);
  return named(__builtin_return_address(0), file, name, 0);
}

ORRERY_RECORDED char* mkdtemp(char* name) noexcept {
  char* const made = next<&::mkdtemp>("mkdtemp")(name);
  named(__builtin_return_address(0), made == nullptr ? -1 : 0, name, 0);
  return made;
}

ORRERY_RECORDED char* tmpnam(char* name) noexcept {
  char* const made = next<&::tmpnam>("tmpnam")(name);
  if (made == nullptr) return made;
  answered(__builtin_return_address(0), 0,
           {{made + std::strlen(made) - made_up_bytes, made_up_bytes}});
  return made;
}

ORRERY_RECORDED char* mktemp(char* name) noexcept {
  char* const made = next<&::mktemp>("mktemp")(name);
  const std::size_t bytes = std::strlen(name);
  if (bytes < made_up_bytes) return made;
  answered(__builtin_return_address(0), 0, {{name + bytes - made_up_bytes, made_up_bytes}});
  return made;
}
