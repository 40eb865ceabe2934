#include "user_mappings.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/system_calls.hpp"
#include "pages.hpp"
#include "program_memory.hpp"

namespace orrery::host {
namespace {

constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) & ~(page_bytes - 1);
}

// The system calls themselves: the functions are ours.
void* system_map(std::uintptr_t where, std::size_t bytes, int protection, int flags, int file,
                 off_t offset) {
  return reinterpret_cast<void*>(
      system_calls::bare(SYS_mmap, where, bytes, protection, flags, file, offset));
}

bool counts(int protection, int flags) {
  return (protection & PROT_WRITE) != 0 && (flags & MAP_ANONYMOUS) != 0 &&
         (flags & MAP_NORESERVE) == 0;
}

void* failed(int error) {
  errno = error;
  return MAP_FAILED;
}

std::uintptr_t number_of(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place);
}

}  // namespace

UserMappings user_mappings;

std::uintptr_t UserMappings::find_gap(std::size_t bytes) const {
  std::uintptr_t begin = window_.begin;
  for (const Range& range : ranges_) {
    if (range.end <= begin) continue;
    if (range.begin >= begin && range.begin - begin >= bytes) break;
    begin = range.end;
  }
  return begin < window_.end && window_.end - begin >= bytes ? begin : 0;
}

bool UserMappings::is_free(std::uintptr_t begin, std::uintptr_t end) const {
  return std::none_of(ranges_.begin(), ranges_.end(),
                      [&](const Range& range) { return range.begin < end && begin < range.end; });
}

void UserMappings::add(Range range) {
  const auto place = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range& other) { return other.begin > range.begin; });
  ranges_.insert(place, range);
}

void UserMappings::remove(std::uintptr_t begin, std::uintptr_t end) {
  std::vector<Range> left;
  left.reserve(ranges_.size() + 1);
  for (const Range& range : ranges_) {
    const std::uintptr_t first = std::max(begin, range.begin);
    const std::uintptr_t last = std::min(end, range.end);
    if (first >= last) {
      left.push_back(range);
      continue;
    }
    if (range.is_charged) user_heap.discharge(last - first);
    if (range.begin < first) left.push_back({range.begin, first, range.is_charged});
    if (last < range.end) left.push_back({last, range.end, range.is_charged});
  }
  ranges_ = std::move(left);
}

bool UserMappings::is_charged_at(std::uintptr_t address) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return range.is_charged && address >= range.begin && address < range.end;
  });
}

void* UserMappings::map(void* wanted, std::size_t bytes, int protection, int flags, int file,
                        off_t offset) {
  if (bytes == 0 || bytes > window_.end - window_.begin)
    return failed(bytes == 0 ? EINVAL : ENOMEM);
  bytes = whole_pages(bytes);
  const bool is_placed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
  // Where it does not say, a wish is no more than that.
  const std::uintptr_t where = is_placed ? number_of(wanted) : find_gap(bytes);
  if (!is_placed && where == 0) return failed(ENOMEM);
  const bool is_charged = counts(protection, flags);
  if (is_charged && !user_heap.charge(bytes)) return failed(ENOMEM);
  void* const mapping = system_map(where, bytes, protection,
                                   is_placed ? flags : flags | MAP_FIXED_NOREPLACE, file, offset);
  if (mapping == MAP_FAILED) {
    if (is_charged) user_heap.discharge(bytes);
    return mapping;
  }
  remove(number_of(mapping), number_of(mapping) + bytes);
  add({number_of(mapping), number_of(mapping) + bytes, is_charged});
  return mapping;
}

int UserMappings::unmap(void* begin, std::size_t bytes) {
  const auto result = static_cast<int>(system_calls::bare(SYS_munmap, begin, bytes));
  if (result == 0) remove(number_of(begin), number_of(begin) + whole_pages(bytes));
  return result;
}

void* UserMappings::grow(std::uintptr_t from, std::size_t old_bytes, std::size_t new_bytes,
                         bool is_charged) {
  if (from < window_.begin || from + new_bytes > window_.end) return MAP_FAILED;
  if (!is_free(from + old_bytes, from + new_bytes)) return MAP_FAILED;
  void* const mapping = reinterpret_cast<void*>(
      system_calls::bare(SYS_mremap, from, old_bytes, new_bytes, 0, nullptr));
  if (mapping != MAP_FAILED) add({from + old_bytes, from + new_bytes, is_charged});
  return mapping;
}

void* UserMappings::move(std::uintptr_t from, std::size_t old_bytes, std::size_t new_bytes,
                         std::uintptr_t to) {
  void* const mapping = reinterpret_cast<void*>(system_calls::bare(
      SYS_mremap, from, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to));
  if (mapping == MAP_FAILED) return mapping;
  const bool is_charged = is_charged_at(from);
  remove(from, from + old_bytes);
  remove(to, to + new_bytes);
  if (is_charged) user_heap.charge(old_bytes);  // the growth was charged before
  add({to, to + new_bytes, is_charged});
  return mapping;
}

void* UserMappings::remap(void* begin, std::size_t old_bytes, std::size_t new_bytes, int flags,
                          void* target) {
  const std::uintptr_t from = number_of(begin);
  old_bytes = whole_pages(old_bytes);
  new_bytes = whole_pages(new_bytes);
  if (new_bytes == 0 || new_bytes > window_.end - window_.begin) return failed(EINVAL);
  const bool is_placed = (flags & MREMAP_FIXED) != 0;
  if (!is_placed && new_bytes <= old_bytes) {
    if (new_bytes < old_bytes)
      unmap(static_cast<std::byte*>(begin) + new_bytes, old_bytes - new_bytes);
    return begin;
  }
  const bool is_charged = is_charged_at(from);
  const std::size_t more = new_bytes > old_bytes ? new_bytes - old_bytes : 0;
  if (is_charged && !user_heap.charge(more)) return failed(ENOMEM);
  void* result = is_placed ? MAP_FAILED : grow(from, old_bytes, new_bytes, is_charged);
  if (result == MAP_FAILED && (flags & MREMAP_MAYMOVE) != 0) {
    const std::uintptr_t to = is_placed ? number_of(target) : find_gap(new_bytes);
    result = to == 0 ? failed(ENOMEM) : move(from, old_bytes, new_bytes, to);
  } else if (result == MAP_FAILED) {
    errno = ENOMEM;
  }
  if (result == MAP_FAILED && is_charged) user_heap.discharge(more);
  return result;
}

void* UserMappings::move_break(std::ptrdiff_t bytes) {
  if (!has_break_) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    if (system_map(window_.break_begin, window_.break_bytes, PROT_READ | PROT_WRITE, flags, -1,
                   0) == MAP_FAILED) {
      return nullptr;
    }
    has_break_ = true;
  }
  std::byte* const before = reinterpret_cast<std::byte*>(window_.break_begin) + broken_bytes_;
  const bool grows = bytes > 0;
  const auto distance = static_cast<std::size_t>(grows ? bytes : -bytes);
  if (grows) {
    if (distance > window_.break_bytes - broken_bytes_ || !user_heap.charge(distance))
      return nullptr;
    broken_bytes_ += distance;
  } else {
    if (distance > broken_bytes_) return nullptr;
    user_heap.discharge(distance);
    broken_bytes_ -= distance;
  }
  return before;
}

std::vector<UserMappings::Range> UserMappings::ranges() const {
  std::vector<Range> all = ranges_;
  if (broken_bytes_ > 0) {
    all.push_back({window_.break_begin, window_.break_begin + whole_pages(broken_bytes_), true});
  }
  return all;
}

void UserMappings::reset() {
  for (const Range& range : ranges_)
    system_calls::bare(SYS_munmap, range.begin, range.end - range.begin);
  ranges_.clear();
  if (has_break_) system_calls::bare(SYS_munmap, window_.break_begin, window_.break_bytes);
  has_break_ = false;
  broken_bytes_ = 0;
}

}  // namespace orrery::host
