// Chance from the system: in a program it is drawn from the run, as a choice.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/random.h>
#include <unistd.h>

#include "caller.hpp"
#include "files/special_files.hpp"
#include "ranks/next_function.hpp"
#include "ranks/rank_context.hpp"

using orrery::host::draw_bytes;
using orrery::host::guarded_runtime;
using orrery::host::next_function;
using orrery::host::original;
using orrery::host::running;

namespace {

constexpr std::size_t entropy_bytes_max = 256;

/// Any of 32 bits.
std::uint32_t draw_word(std::uintptr_t caller) {
  return static_cast<std::uint32_t>(guarded_runtime().draw(std::uint64_t{1} << 32U, caller));
}

}  // namespace

extern "C" {

extern const char orrery_interposed_random;
const char orrery_interposed_random = 0;

ssize_t getrandom(void* into, std::size_t bytes, unsigned flags) {
  if (running().user == nullptr) return original<&getrandom>("getrandom")(into, bytes, flags);
  draw_bytes(into, bytes, ORRERY_CALLER);
  return static_cast<ssize_t>(bytes);
}

int getentropy(void* into, std::size_t bytes) {
  if (running().user == nullptr) return original<&getentropy>("getentropy")(into, bytes);
  if (bytes > entropy_bytes_max) {
    errno = EIO;
    return -1;
  }
  draw_bytes(into, bytes, ORRERY_CALLER);
  return 0;
}

std::uint32_t arc4random() noexcept {
  if (running().user == nullptr) return next_function<std::uint32_t (*)()>("arc4random")();
  return draw_word(ORRERY_CALLER);
}

std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
  if (running().user == nullptr) {
    return next_function<std::uint32_t (*)(std::uint32_t)>("arc4random_uniform")(bound);
  }
  if (bound < 2) return 0;
  return static_cast<std::uint32_t>(guarded_runtime().draw(bound, ORRERY_CALLER));
}

void arc4random_buf(void* into, std::size_t bytes) noexcept {
  if (running().user == nullptr) {
    return next_function<void (*)(void*, std::size_t)>("arc4random_buf")(into, bytes);
  }
  draw_bytes(into, bytes, ORRERY_CALLER);
}

// std::random_device, which asks the processor by an instruction.  `device` is never looked into.
void orrery_random_device_open(void* device, const std::string& token) __asm__(
    "_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
void orrery_random_device_open(void* device, const std::string& token) {
  if (running().user != nullptr) return;
  next_function<void (*)(void*, const std::string&)>(
      "_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")(device,
                                                                                             token);
}

void orrery_random_device_close(void* device) __asm__("_ZNSt13random_device7_M_finiEv");
void orrery_random_device_close(void* device) {
  if (running().user != nullptr) return;
  next_function<void (*)(void*)>("_ZNSt13random_device7_M_finiEv")(device);
}

unsigned orrery_random_device_value(void* device) __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned orrery_random_device_value(void* device) {
  if (running().user == nullptr) {
    return next_function<unsigned (*)(void*)>("_ZNSt13random_device9_M_getvalEv")(device);
  }
  return draw_word(ORRERY_CALLER);
}
}
