#include "image_plan.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

constexpr long arch_set_fs = 0x1002;
// What the steps point to; they lie behind it.
constexpr std::uint64_t data_begin = RestorePlan::plan_begin + sizeof(RestorePlan);
constexpr std::uint64_t zero_slot = 0;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + image_page_bytes - 1) / image_page_bytes * image_page_bytes;
}

void check_machine(const MachineIdentity& saved) {
  const MachineIdentity here = this_machine();
  if (here == saved) return;
  const bool is_kernel =
      std::strcmp(here.kernel, saved.kernel) != 0 || here.kernel_code != saved.kernel_code;
  throw UsageError(
      is_kernel ? fmt::format("the checkpoint was made under the kernel '{}', this is '{}'",
                              saved.kernel, here.kernel)
                : std::string("the checkpoint was made on a processor that can do other things"),
      "checkpoints",
      "checkpoints are for the machine that they were made on, as it was booted then; replay the "
      "log from its start, or record it again here");
}

}  // namespace

PreparedImage::PreparedImage(const ImageGroup& group, std::size_t image)
    : image_(group.load(image)) {
  check_machine(group.header().machine);
  check_files();
  file_ = static_cast<int>(syscall(SYS_memfd_create, "orrery image", MFD_CLOEXEC));
  if (file_ < 0) {
    throw UsageError(std::strerror(errno), "memory for a checkpoint", "free some memory");
  }
  try {
    load_pages(group, image);
    add_mappings();
    add_descriptors();
    add_signals();
    write_plan();
  } catch (...) {
    close(file_);
    throw;
  }
}

PreparedImage::~PreparedImage() {
  close(file_);
}

void PreparedImage::check_files() const {
  for (const FileRecord& file : image_.files) {
    const std::string path = image_.text_at(file.path_offset);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
      throw UsageError(fmt::format("the checkpoint needs this file: {}", std::strerror(errno)),
                       path, "put it back as it was, or record again");
    }
    const std::int64_t modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
    if (static_cast<std::uint64_t>(status.st_size) == file.bytes &&
        modified_ns == file.modified_ns) {
      continue;
    }
    throw UsageError("the file has changed since the checkpoint was made", path,
                     "put it back as it was, or record again");
  }
  for (const MappingRecord& mapping : image_.mappings) {
    if (mapping.begin >= RestorePlan::own_end || mapping.end <= RestorePlan::own_begin) continue;
    throw UsageError("the process has memory where its restorer has to be", "checkpoints",
                     "replay the log from its start");
  }
}

// All pages of a batch are decompressed, into a mapping of the file; those that a later image has
// replaced lie there unused.
void PreparedImage::load_pages(const ImageGroup& group, std::size_t image) {
  const std::vector<StoredPage> stored = group.pages(image);
  std::vector<std::uint64_t> batches;
  for (const StoredPage& page : stored) {
    if (page.batch != StoredPage::zero) batches.push_back(page.batch);
  }
  std::sort(batches.begin(), batches.end());
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  // Room for the plan: each step is made for a mapping, a run of pages, a descriptor or a signal.
  constexpr std::uint64_t steps_per_thing = 4;
  const std::uint64_t things = 2 * image_.mappings.size() + 2 * image_.left_out.size() +
                               2 * image_.cleared.size() + stored.size() +
                               image_.descriptors.size() + signals + 8;
  pages_begin_ = whole_pages(sizeof(RestorePlan) + things * steps_per_thing * sizeof(RestoreStep) +
                             image_.text.size() * 2 + 64 * image_page_bytes);
  const std::uint64_t bytes = (1 + batches.size() * batch_pages) * image_page_bytes;
  void* memory = MAP_FAILED;
  if (ftruncate(file_, static_cast<off_t>(pages_begin_ + bytes)) == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_,
                  static_cast<off_t>(pages_begin_));
  }
  if (memory == MAP_FAILED) {
    throw UsageError(std::strerror(errno), "memory for a checkpoint", "free some memory");
  }
  try {
    load_batches(group, batches, stored, static_cast<std::byte*>(memory));
  } catch (...) {
    munmap(memory, bytes);
    throw;
  }
  munmap(memory, bytes);
}

void PreparedImage::load_batches(const ImageGroup& group, const std::vector<std::uint64_t>& batches,
                                 const std::vector<StoredPage>& stored, std::byte* memory) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    group.read_batch(batches[i], memory + (1 + i * batch_pages) * image_page_bytes);
  }
  for (const StoredPage& page : stored) {
    std::uint64_t slot = zero_slot;
    if (page.batch != StoredPage::zero) {
      const auto batch = std::lower_bound(batches.begin(), batches.end(), page.batch);
      slot = 1 + static_cast<std::uint64_t>(batch - batches.begin()) * batch_pages + page.index;
    }
    pages_.push_back({page.page, slot});
  }
  std::vector<std::uint32_t> patching;
  for (const StoredPage& page : stored) {
    if (page.patched_by != StoredPage::by_none) patching.push_back(page.patched_by);
  }
  std::sort(patching.begin(), patching.end());
  patching.erase(std::unique(patching.begin(), patching.end()), patching.end());
  for (const std::uint32_t image : patching) {
    for (const PagePatch& patch : group.patches(image)) {
      const auto found = std::ranges::lower_bound(stored, patch.page, {}, &StoredPage::page);
      if (found == stored.end() || found->page != patch.page || found->patched_by != image)
        continue;
      const PlacedPage& placed = pages_[static_cast<std::size_t>(found - stored.begin())];
      patch.apply_to(memory + placed.slot * image_page_bytes);
    }
  }
}

void PreparedImage::add(RestoreStep::Kind kind, long number,
                        std::initializer_list<std::uint64_t> arguments,
                        std::uint32_t opened_argument) {
  RestoreStep step{kind, opened_argument, static_cast<std::uint64_t>(number), {}};
  std::copy(arguments.begin(), arguments.end(), step.arguments);
  steps_.push_back(step);
}

std::uint64_t PreparedImage::add_data(const void* data, std::size_t bytes) {
  const std::uint64_t place = data_begin + data_.size();
  const auto* const begin = static_cast<const std::byte*>(data);
  data_.insert(data_.end(), begin, begin + bytes);
  data_.resize((data_.size() + 15) / 16 * 16);
  return place;
}

std::uint64_t PreparedImage::add_text(const std::string& text) {
  return add_data(text.c_str(), text.size() + 1);
}

// --- memory
// -----------------------------------------------------------------------------------------

void PreparedImage::add_mappings() {
  auto left_out = image_.left_out.begin();
  auto cleared = image_.cleared.begin();
  for (const MappingRecord& mapping : image_.mappings) {
    if (mapping.kind == MappingKind::kernel_range) continue;
    std::uint64_t next = mapping.begin;
    while (next < mapping.end) {
      while (left_out != image_.left_out.end() && left_out->end <= next) ++left_out;
      while (cleared != image_.cleared.end() && cleared->end <= next) ++cleared;
      const bool has_left_out = left_out != image_.left_out.end();
      const bool has_cleared = cleared != image_.cleared.end();
      const std::uint64_t left_out_begin = has_left_out ? left_out->begin : UINT64_MAX;
      const std::uint64_t cleared_begin = has_cleared ? cleared->begin : UINT64_MAX;
      std::uint64_t end = mapping.end;
      if (left_out_begin <= next) {
        end = std::min(end, std::uint64_t{left_out->end});
        add_hole(mapping, next, end, false);
      } else if (cleared_begin <= next) {
        end = std::min({end, std::uint64_t{cleared->end}, left_out_begin});
        add_hole(mapping, next, end, true);
      } else {
        end = std::min({end, left_out_begin, cleared_begin});
        add_piece(mapping, next, end);
      }
      next = end;
    }
  }
}

void PreparedImage::add_hole(const MappingRecord& mapping, std::uint64_t begin, std::uint64_t end,
                             bool is_cleared) {
  const std::uint64_t protection = is_cleared ? mapping.protection : PROT_NONE;
  constexpr std::uint64_t flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  add(RestoreStep::Kind::place, SYS_mmap, {begin, end - begin, protection, flags, UINT64_MAX, 0});
}

void PreparedImage::add_piece(const MappingRecord& mapping, std::uint64_t begin,
                              std::uint64_t end) {
  while (next_page_ < pages_.size() && pages_[next_page_].page * image_page_bytes < begin) {
    ++next_page_;
  }
  const bool has_pages =
      next_page_ < pages_.size() && pages_[next_page_].page * image_page_bytes < end;
  const std::uint64_t writable = PROT_READ | PROT_WRITE;
  const std::uint64_t protection = has_pages ? mapping.protection | writable : mapping.protection;
  const std::uint64_t flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
  if (mapping.kind == MappingKind::file) {
    const std::string path = image_.text_at(image_.files.at(mapping.file).path_offset);
    add(RestoreStep::Kind::open, SYS_openat,
        {static_cast<std::uint64_t>(AT_FDCWD), add_text(path), O_RDONLY | O_CLOEXEC, 0});
    add(RestoreStep::Kind::place, SYS_mmap,
        {begin, end - begin, protection, flags, 0, mapping.offset + (begin - mapping.begin)}, 4);
    add(RestoreStep::Kind::call, SYS_close, {0}, 0);
  } else {
    const std::uint64_t more = mapping.kind == MappingKind::stack ? MAP_GROWSDOWN | MAP_STACK : 0;
    add(RestoreStep::Kind::place, SYS_mmap,
        {begin, end - begin, protection, flags | MAP_ANONYMOUS | more, UINT64_MAX, 0});
  }
  if (!has_pages) return;
  add_pages(end);
  if (protection != mapping.protection) {
    add(RestoreStep::Kind::call, SYS_mprotect, {begin, end - begin, mapping.protection});
  }
}

void PreparedImage::add_pages(std::uint64_t end) {
  while (next_page_ < pages_.size() && pages_[next_page_].page * image_page_bytes < end) {
    const PlacedPage first = pages_[next_page_];
    std::uint64_t count = 1;
    const auto goes_on = [&] {
      const std::size_t next = next_page_ + count;
      return first.slot != zero_slot && next < pages_.size() &&
             pages_[next].page == first.page + count && pages_[next].slot == first.slot + count &&
             pages_[next].page * image_page_bytes < end;
    };
    while (goes_on()) ++count;
    add(RestoreStep::Kind::read_pages, SYS_read,
        {first.page * image_page_bytes, count * image_page_bytes,
         pages_begin_ + first.slot * image_page_bytes});
    next_page_ += count;
  }
}

// --- what else the system knows
// ---------------------------------------------------------------------

// `open` gives the lowest number that is free: so it is known here which one that will be.
void PreparedImage::add_descriptors() {
  std::vector<DescriptorRecord> all = image_.descriptors;
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  first_free_descriptor_ = all.empty() ? 0 : all.back().number + 1;
  first_free_descriptor_ = std::max(first_free_descriptor_, 3);
  int lowest_free = 0;
  for (const DescriptorRecord& record : all) {
    const std::string path =
        record.path_bytes == 0 ? "/dev/null" : image_.text_at(record.path_offset);
    const auto number = static_cast<std::uint64_t>(record.number);
    add(RestoreStep::Kind::open, SYS_openat,
        {static_cast<std::uint64_t>(AT_FDCWD), add_text(path), record.flags, 0});
    if (record.number == lowest_free) {
      ++lowest_free;
    } else {
      add(RestoreStep::Kind::call, SYS_dup3, {0, number, record.flags & O_CLOEXEC}, 0);
      add(RestoreStep::Kind::call, SYS_close, {0}, 0);
    }
    if (record.offset > 0) {
      constexpr std::uint64_t from_start = 0;  // SEEK_SET
      add(RestoreStep::Kind::call, SYS_lseek,
          {number, static_cast<std::uint64_t>(record.offset), from_start});
    }
  }
}

void PreparedImage::add_signals() {
  for (int signal = 1; signal <= signals; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    const KernelSignalAction& action = image_.header.signal_actions[signal - 1];
    add(RestoreStep::Kind::call, SYS_rt_sigaction,
        {static_cast<std::uint64_t>(signal), add_data(&action, sizeof action), 0,
         sizeof action.mask});
  }
  KernelSignalStack stack = image_.header.signal_stack;
  stack.flags &= SS_DISABLE;
  add(RestoreStep::Kind::call, SYS_sigaltstack, {add_data(&stack, sizeof stack), 0});
  add(RestoreStep::Kind::call, SYS_prctl, {PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0});
  add(RestoreStep::Kind::call, SYS_prctl, {PR_SET_NAME, add_text("orrery"), 0, 0, 0});
  add(RestoreStep::Kind::call, SYS_arch_prctl, {arch_set_fs, image_.header.thread_base});
  const std::uint64_t& mask = image_.header.signal_mask;
  add(RestoreStep::Kind::call, SYS_rt_sigprocmask,
      {SIG_SETMASK, add_data(&mask, sizeof mask), 0, sizeof mask});
}

void PreparedImage::write_plan() {
  RestorePlan plan{};
  plan.magic = RestorePlan::magic_number;
  plan.step_count = steps_.size();
  plan.steps_offset = sizeof plan + data_.size();
  plan.bytes = plan.steps_offset + steps_.size() * sizeof(RestoreStep);
  ensure(plan.bytes <= pages_begin_, "the plan has room before the pages",
         static_cast<long long>(plan.bytes), static_cast<long long>(pages_begin_));
  plan.return_value = static_cast<std::uint64_t>(first_free_descriptor_) + 1;
  plan.registers = image_.header.registers;
  for (const MappingRecord& mapping : image_.mappings) {
    if (mapping.kind != MappingKind::kernel_range) continue;
    ensure(plan.kernel_range_count < RestorePlan::kernel_ranges_max,
           "the kernel has few mappings of its own");
    plan.kernel_ranges[plan.kernel_range_count++] = {mapping.begin, mapping.end};
  }
  std::vector<std::byte> bytes(plan.bytes);
  std::memcpy(bytes.data(), &plan, sizeof plan);
  std::memcpy(bytes.data() + sizeof plan, data_.data(), data_.size());
  std::memcpy(bytes.data() + plan.steps_offset, steps_.data(), steps_.size() * sizeof(RestoreStep));
  const ssize_t written = pwrite(file_, bytes.data(), bytes.size(), 0);
  if (written != static_cast<ssize_t>(bytes.size())) {
    throw UsageError(std::strerror(errno), "memory for a checkpoint", "free some memory");
  }
}

std::string PreparedImage::describe(std::uint64_t step) const {
  if (step == RestoreReport::before_steps) return "making room for it";
  if (step >= steps_.size()) return "starting the restorer";
  const RestoreStep& failed = steps_[step];
  switch (failed.number) {
    case SYS_openat:
      return fmt::format("opening {}", reinterpret_cast<const char*>(
                                           data_.data() + (failed.arguments[1] - data_begin)));
    case SYS_mmap:
    case SYS_mprotect:
      return fmt::format("mapping {} bytes at {:#x}", failed.arguments[1], failed.arguments[0]);
    case SYS_read: return fmt::format("reading {} bytes of memory", failed.arguments[1]);
    default: return fmt::format("system call {}", failed.number);
  }
}

}  // namespace orrery::detail
