// The system's sources of chance: what a program has drawn from them.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "next_function.hpp"
#include "random_devices.hpp"
#include "recorded_call.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;

namespace orrery::on_hardware {
namespace {

std::array<std::atomic<bool>, 1024> are_devices;  // by descriptor
// As large as the one that a stream has in a simulated program, so that it takes as much at once.
constexpr std::size_t stream_bytes = BUFSIZ;

}  // namespace

bool is_random_device(const char* path) {
  return path != nullptr &&
         (std::strcmp(path, "/dev/urandom") == 0 || std::strcmp(path, "/dev/random") == 0);
}

void mark_random_device(int file, bool is_one) {
  if (file >= 0 && static_cast<std::size_t>(file) < are_devices.size())
    are_devices[static_cast<std::size_t>(file)].store(is_one, std::memory_order_relaxed);
}

void keep_random_stream(std::FILE* stream) {
  if (reader != Reader::kept) return note_thread_use();
  auto* const buffer = static_cast<char*>(std::malloc(stream_bytes));
  if (buffer == nullptr || std::setvbuf(stream, buffer, _IOFBF, stream_bytes) != 0) return;
  const int first = std::getc(stream);
  if (first == EOF || std::ungetc(first, stream) == EOF) return;
  readings().drew(stream->_IO_read_ptr,
                  static_cast<std::size_t>(stream->_IO_read_end - stream->_IO_read_ptr));
}

bool marks_random_device(int file) {
  return file >= 0 && static_cast<std::size_t>(file) < are_devices.size() &&
         are_devices[static_cast<std::size_t>(file)].load(std::memory_order_relaxed);
}

}  // namespace orrery::on_hardware

ORRERY_RECORDED ssize_t getrandom(void* into, std::size_t bytes, unsigned flags) {
  const ssize_t drawn = next<&::getrandom>("getrandom")(into, bytes, flags);
  if (drawn > 0 && is_read(__builtin_return_address(0)))
    readings().drew(into, static_cast<std::size_t>(drawn));
  return drawn;
}

ORRERY_RECORDED int getentropy(void* into, std::size_t bytes) {
  const int error = next<&::getentropy>("getentropy")(into, bytes);
  if (error == 0 && is_read(__builtin_return_address(0))) readings().drew(into, bytes);
  return error;
}

ORRERY_RECORDED std::uint32_t arc4random() noexcept {
  static constinit NextFunction<std::uint32_t (*)()> real_one;
  const std::uint32_t drawn = real_one.by_name("arc4random")();
  if (is_read(__builtin_return_address(0))) readings().drew(drawn);
  return drawn;
}

ORRERY_RECORDED std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
  static constinit NextFunction<std::uint32_t (*)(std::uint32_t)> real_one;
  const std::uint32_t drawn = real_one.by_name("arc4random_uniform")(bound);
  if (bound >= 2 && is_read(__builtin_return_address(0))) readings().drew(drawn);
  return drawn;
}

ORRERY_RECORDED void arc4random_buf(void* into, std::size_t bytes) noexcept {
  static constinit NextFunction<void (*)(void*, std::size_t)> real_one;
  real_one.by_name("arc4random_buf")(into, bytes);
  if (is_read(__builtin_return_address(0))) readings().drew(into, bytes);
}

// Our own copy of the C++ library has another, which would come along because strings refer to it.
extern "C" [[noreturn]] void orrery_no_random_device(void*, const char*, std::size_t) __asm__(
    "_ZNSt13random_device7_M_initEPKcm");
void orrery_no_random_device(void*, const char*, std::size_t) {
  std::abort();
}
extern "C" [[noreturn]] void orrery_no_old_random_device(void*, const void*) __asm__(
    "_ZNSt13random_device16_M_init_pretr1ERKSs");
void orrery_no_old_random_device(void*, const void*) {
  std::abort();
}

// std::random_device, which asks the processor, or one of the functions above.
ORRERY_RECORDED unsigned orrery_random_device_value(void* device) __asm__(
    "_ZNSt13random_device9_M_getvalEv");
unsigned orrery_random_device_value(void* device) {
  static constinit NextFunction<unsigned (*)(void*)> real_one;
  unsigned drawn = 0;
  const bool is_counted = is_read(__builtin_return_address(0));
  {
    const WithinOne inner;
    drawn = real_one.by_name("_ZNSt13random_device9_M_getvalEv")(device);
  }
  if (is_counted) readings().drew(drawn);
  return drawn;
}
