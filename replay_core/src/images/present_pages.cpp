#include "present_pages.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/syscall.h>

#include "image_format.hpp"
#include "raw_system_calls.hpp"

namespace orrery::detail {
namespace {

// Linux 6.7's PAGEMAP_SCAN, which older headers do not have.
struct ScanArguments {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t walk_end;
  std::uint64_t regions;
  std::uint64_t regions_max;
  std::uint64_t pages_max;
  std::uint64_t category_inverted;
  std::uint64_t category_mask;
  std::uint64_t category_anyof_mask;
  std::uint64_t return_mask;
};
constexpr long scan_request = 0xc0606610;  // _IOWR('f', 16, struct pm_scan_arg)
static_assert(sizeof(ScanArguments) == 0x60);
constexpr std::uint64_t scanned_file = 1U << 2U;
constexpr std::uint64_t scanned_present = 1U << 3U;
constexpr std::uint64_t scanned_swapped = 1U << 4U;
constexpr std::uint64_t scanned_zero = 1U << 5U;

constexpr std::uint64_t entry_present = std::uint64_t{1} << 63U;
constexpr std::uint64_t entry_swapped = std::uint64_t{1} << 62U;
constexpr std::uint64_t entry_file = std::uint64_t{1} << 61U;

}  // namespace

PageFinder::PageFinder(WorkingMemory& memory, bool reads_page_table)
    : runs_(memory, std::max(runs_max, entries_max)),
      regions_(memory.take<ScannedRegion>(runs_max)),
      entries_(memory.take<std::uint64_t>(entries_max)),
      can_scan_(!reads_page_table) {}

bool PageFinder::begin() {
  table_ = static_cast<int>(raw_system_call(SYS_openat, AT_FDCWD, as_argument("/proc/self/pagemap"),
                                            O_RDONLY | O_CLOEXEC));
  return table_ >= 0;
}

void PageFinder::end() {
  raw_system_call(SYS_close, table_);
  table_ = -1;
}

std::uintptr_t PageFinder::fill(std::uintptr_t begin, std::uintptr_t end) {
  runs_.clear();
  if (can_scan_) {
    const std::uintptr_t next = scan(begin, end, can_scan_);
    if (can_scan_) return next;
  }
  return read_entries(begin, end);
}

std::uintptr_t PageFinder::scan(std::uintptr_t begin, std::uintptr_t end, bool& can_scan) {
  ScanArguments arguments{};
  arguments.size = sizeof arguments;
  arguments.begin = begin;
  arguments.end = end;
  arguments.regions = reinterpret_cast<std::uintptr_t>(regions_);
  arguments.regions_max = runs_max;
  arguments.category_anyof_mask = scanned_present | scanned_swapped;
  arguments.return_mask = scanned_file | scanned_zero;
  const long count = raw_system_call(SYS_ioctl, table_, scan_request, as_argument(&arguments));
  if (count < 0) {
    can_scan = false;
    return begin;
  }
  for (long i = 0; i < count; ++i) {
    if ((regions_[i].categories & scanned_zero) != 0) continue;
    runs_.push_back(
        {regions_[i].begin, regions_[i].end, (regions_[i].categories & scanned_file) != 0});
  }
  return arguments.walk_end;
}

std::uintptr_t PageFinder::read_entries(std::uintptr_t begin, std::uintptr_t end) {
  const std::size_t wanted = std::min((end - begin) / image_page_bytes, entries_max);
  const long bytes = raw_system_call(
      SYS_pread64, table_, as_argument(entries_), static_cast<long>(wanted * sizeof *entries_),
      static_cast<long>(begin / image_page_bytes * sizeof *entries_));
  // What the table does not have is not memory of this process.
  if (bytes <= 0) return end;
  const std::size_t count = static_cast<std::size_t>(bytes) / sizeof *entries_;
  for (std::size_t i = 0; i < count; ++i) {
    if ((entries_[i] & (entry_present | entry_swapped)) == 0) continue;
    const std::uintptr_t page = begin + i * image_page_bytes;
    const bool is_file = (entries_[i] & entry_file) != 0;
    if (!runs_.empty() && runs_.back().end == page && runs_.back().are_files == is_file) {
      runs_.back().end += image_page_bytes;
    } else {
      runs_.push_back({page, page + image_page_bytes, is_file});
    }
  }
  return begin + count * image_page_bytes;
}

}  // namespace orrery::detail
