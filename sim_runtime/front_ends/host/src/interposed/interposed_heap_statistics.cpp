// What a program is told of its heap: of its own, not of the C library's.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <malloc.h>
#include <unistd.h>

#include "memory/program_memory.hpp"
#include "ranks/next_function.hpp"

using orrery::host::is_host;
using orrery::host::next_function;
using orrery::host::rank_memory;
using orrery::host::running;

namespace {

struct HeapBytes {
  std::size_t of_system = 0;
  std::size_t in_use = 0;
};

HeapBytes heap_bytes() {
  const std::int32_t rank = running().user->rank();
  const orrery::host::HostScope ours;
  HeapBytes bytes{0, rank_memory.taken_bytes(rank)};
  for (const auto& [begin, end] : rank_memory.heap_ranges(rank)) bytes.of_system += end - begin;
  return bytes;
}

constexpr std::size_t text_bytes_max = 1024;

}  // namespace

extern "C" {

extern const char orrery_interposed_heap_statistics;
const char orrery_interposed_heap_statistics = 0;

struct mallinfo2 mallinfo2() noexcept {
  if (is_host()) return next_function<struct mallinfo2 (*)()>("mallinfo2")();
  const HeapBytes bytes = heap_bytes();
  struct mallinfo2 told {};
  told.arena = bytes.of_system;
  told.uordblks = bytes.in_use;
  told.fordblks = bytes.of_system - bytes.in_use;
  return told;
}

struct mallinfo mallinfo() noexcept {
  if (is_host()) return next_function<struct mallinfo (*)()>("mallinfo")();
  const HeapBytes bytes = heap_bytes();
  struct mallinfo told {};
  told.arena = static_cast<int>(bytes.of_system);
  told.uordblks = static_cast<int>(bytes.in_use);
  told.fordblks = static_cast<int>(bytes.of_system - bytes.in_use);
  return told;
}

// The C library would hold locks of its own meanwhile.
void malloc_stats() noexcept {
  if (is_host()) return next_function<void (*)()>("malloc_stats")();
  const HeapBytes bytes = heap_bytes();
  char text[text_bytes_max];
  const int length =
      std::snprintf(text, sizeof text,
                    "Arena 0:\nsystem bytes     = %10zu\nin use bytes     = %10zu\n"
                    "Total (incl. mmap):\nsystem bytes     = %10zu\nin use bytes     = %10zu\n"
                    "max mmap regions = %10u\nmax mmap bytes   = %10u\n",
                    bytes.of_system, bytes.in_use, bytes.of_system, bytes.in_use, 0U, 0U);
  std::fflush(stderr);
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

int malloc_info(int options, std::FILE* stream) noexcept {
  if (is_host()) return next_function<int (*)(int, std::FILE*)>("malloc_info")(options, stream);
  if (options != 0) return EINVAL;
  const HeapBytes bytes = heap_bytes();
  const int written = std::fprintf(
      stream,
      "<malloc version=\"1\">\n<total type=\"rest\" count=\"0\" size=\"%zu\"/>\n"
      "<system type=\"current\" size=\"%zu\"/>\n<system type=\"max\" size=\"%zu\"/>\n"
      "<aspace type=\"total\" size=\"%zu\"/>\n<aspace type=\"mprotect\" size=\"%zu\"/>\n"
      "</malloc>\n",
      bytes.of_system - bytes.in_use, bytes.of_system, bytes.of_system, bytes.of_system,
      bytes.of_system);
  return written < 0 ? -1 : 0;
}
}
