#include "memory_snapshot.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "pages.hpp"
#include "programs/memory_file.hpp"

namespace orrery::host {
namespace {

// Fewer pages in a row are not worth a system call of their own.
constexpr std::size_t run_pages_min = 16;

bool is_zero(const std::byte* bytes, std::size_t size) {
  return size == 0 || (bytes[0] == std::byte{0} && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

std::byte* page_up(std::byte* place) {
  return place + (-reinterpret_cast<std::uintptr_t>(place) & (page_bytes - 1));
}

// AddressSanitizer watches memcpy, and would object to the red zones between a program's variables,
// which are restored with them.
void copy_unwatched(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  std::memcpy(to, from, bytes);
#endif
}

void clear_unwatched(std::byte* to, std::size_t bytes) {
#if defined(__x86_64__)
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(0) : "memory");
#else
  std::memset(to, 0, bytes);
#endif
}

}  // namespace

void MemorySnapshot::add(std::byte* begin, std::size_t bytes, const char* owner) {
  std::byte* const end = begin + bytes;
  // Runs of whole pages that are zero go apart from what has content; short ones go with it.
  std::byte* content_begin = begin;
  for (std::byte* page = page_up(begin); page + page_bytes <= end;) {
    std::byte* run_end = page;
    while (run_end + page_bytes <= end && is_zero(run_end, page_bytes)) run_end += page_bytes;
    if (static_cast<std::size_t>(run_end - page) >= run_pages_min * page_bytes) {
      add_part(content_begin, static_cast<std::size_t>(page - content_begin), false, owner);
      add_part(page, static_cast<std::size_t>(run_end - page), true, owner);
      content_begin = run_end;
    }
    page = std::max(run_end, page + page_bytes);
  }
  add_part(content_begin, static_cast<std::size_t>(end - content_begin), false, owner);
}

void MemorySnapshot::add_part(std::byte* begin, std::size_t bytes, bool is_zero,
                              const char* owner) {
  if (bytes == 0) return;
  if (bytes <= copied_bytes_left_) {
    copied_bytes_left_ -= bytes;
    Part part{begin, bytes, {}, false};
    if (!is_zero) part.content.assign(begin, begin + bytes);
    parts_.push_back(std::move(part));
    return;
  }
  // The pages that it has to itself; what it shares with others at both ends is copied all the
  // same.
  std::byte* const end = begin + bytes;
  std::byte* const first = page_up(begin);
  std::byte* const last = page_up(end) == end ? end : page_up(end) - page_bytes;
  if (first >= last) {
    parts_.push_back({begin, bytes, {begin, end}, false});
    return;
  }
  if (first > begin)
    parts_.push_back({begin, static_cast<std::size_t>(first - begin), {begin, first}, false});
  if (end > last)
    parts_.push_back({last, static_cast<std::size_t>(end - last), {last, end}, false});
  const auto whole = static_cast<std::size_t>(last - first);
  map_over(first, whole, is_zero, owner);
  parts_.push_back({first, whole, {}, true});
}

// A private mapping falls back to its file, or to zero, when its pages are given up.
void MemorySnapshot::map_over(std::byte* begin, std::size_t bytes, bool is_zero,
                              const char* owner) {
  constexpr int protection = PROT_READ | PROT_WRITE;
  constexpr int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
  void* mapping = MAP_FAILED;
  if (is_zero) {
    mapping = mmap(begin, bytes, protection, flags | MAP_ANONYMOUS, -1, 0);
  } else {
    const MemoryFile file("orrery snapshot");
    file.write(begin, bytes, 0);
    mapping = mmap(begin, bytes, protection, flags, file.descriptor(), 0);
  }
  if (mapping != MAP_FAILED) return;
  throw UsageError(
      fmt::format("no memory for a snapshot of {} bytes: {}", bytes, std::strerror(errno)), owner,
      "use fewer ranks");
}

void MemorySnapshot::restore() const {
  for (const Part& part : parts_) {
    if (part.is_mapped) {
      madvise(part.begin, part.bytes, MADV_DONTNEED);
    } else if (part.content.empty()) {
      clear_unwatched(part.begin, part.bytes);
    } else {
      copy_unwatched(part.begin, part.content.data(), part.bytes);
    }
  }
}

}  // namespace orrery::host
