#include <algorithm>
#include <cstring>
#include <new>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/process_image.hpp>
#include <orrery/sim_runtime/word_hash.hpp>

#include "image_pages.hpp"
#include "raw_system_calls.hpp"

namespace orrery {
namespace {

using namespace detail;

constexpr std::size_t working_bytes = std::size_t{3} << 30U;
constexpr std::size_t ranges_max = std::size_t{1} << 18U;
constexpr std::size_t encoded_bytes_max = std::size_t{128} << 20U;
constexpr int arch_get_fs = 0x1003;
// How much of what the C library has at the thread's base is searched for the thread's number.
constexpr std::uintptr_t thread_record_bytes = 2304;

}  // namespace

#if defined(__x86_64__)
// As `setjmp`, but everything is in plain words, for the restorer.
asm(R"(
  .pushsection .text
  .hidden orrery_save_registers
  .globl orrery_save_registers
  .type orrery_save_registers, @function
  orrery_save_registers:
    mov %rbx, 0(%rdi)
    mov %rbp, 8(%rdi)
    mov %r12, 16(%rdi)
    mov %r13, 24(%rdi)
    mov %r14, 32(%rdi)
    mov %r15, 40(%rdi)
    lea 8(%rsp), %rax
    mov %rax, 48(%rdi)
    mov (%rsp), %rax
    mov %rax, 56(%rdi)
    stmxcsr 64(%rdi)
    fnstcw 68(%rdi)
    xor %eax, %eax
    ret
  .size orrery_save_registers, . - orrery_save_registers
  .popsection
)");
extern "C" [[gnu::returns_twice]] long orrery_save_registers(detail::SavedRegisters* registers);
#else
extern "C" inline long orrery_save_registers(detail::SavedRegisters*) {
  return 0;
}
#endif

/// All of it lies in working memory, which is in no image.
class ImageWriter::Implementation {
 public:
  Implementation(WorkingMemory& memory, const ImageWriterOptions& options)
      : files_(memory, options),
        pages_(memory, files_, options.reads_page_table),
        surroundings_(memory),
        left_out_(memory, ranges_max),
        cleared_(memory, ranges_max),
        holes_(memory, 2 * ranges_max),
        encoded_(memory, encoded_bytes_max),
        memory_(memory),
        process_(raw_system_call(SYS_getpid)) {}

  [[nodiscard]] SavedRegisters* registers() { return &header_.registers; }
  SavedImage save(const ImageLabel& label, std::span<const MemoryRange> left_out,
                  std::span<const MemoryRange> cleared);
  [[nodiscard]] const ImageFiles& files() const { return files_; }
  [[nodiscard]] const ImagePages& pages() const { return pages_; }
  [[nodiscard]] MemoryRange memory() const { return memory_.range(); }

 private:
  bool save_all(std::span<const MemoryRange> left_out, std::span<const MemoryRange> cleared);
  bool take_ranges(std::span<const MemoryRange> left_out, std::span<const MemoryRange> cleared);
  bool save_memory();
  bool save_surroundings();
  bool save_header();
  void append(std::span<const std::byte> bytes);

  ImageFiles files_;
  ImagePages pages_;
  Surroundings surroundings_;
  WorkingArray<MemoryRange> left_out_;
  WorkingArray<MemoryRange> cleared_;
  WorkingArray<MemoryRange> holes_;  ///< both, in order
  WorkingArray<std::byte> encoded_;
  WorkingMemory memory_;
  long process_;
  ImageHeader header_{};
  std::uint64_t surroundings_hash_ = 0;
  std::uint64_t surroundings_offset_ = 0;
};

SavedImage ImageWriter::Implementation::save(const ImageLabel& label,
                                             std::span<const MemoryRange> left_out,
                                             std::span<const MemoryRange> cleared) {
  const std::uint64_t all_signals = ~std::uint64_t{0};
  constexpr long block = 0;    // SIG_BLOCK
  constexpr long replace = 2;  // SIG_SETMASK
  raw_system_call(SYS_rt_sigprocmask, block, as_argument(&all_signals),
                  as_argument(&header_.signal_mask), sizeof all_signals);
  header_.number = files_.images();
  header_.rank = label.rank;
  header_.interval = label.interval;
  const bool is_saved = save_all(left_out, cleared);
  raw_system_call(SYS_rt_sigprocmask, replace, as_argument(&header_.signal_mask), 0,
                  sizeof all_signals);
  return {is_saved ? SavedImage::Kind::saved : SavedImage::Kind::lost, header_.number, -1};
}

bool ImageWriter::Implementation::save_all(std::span<const MemoryRange> left_out,
                                           std::span<const MemoryRange> cleared) {
  if (raw_system_call(SYS_getpid) != process_) return false;  // a fork: the files are not its own
  const ImageFiles::Place place = files_.begin_image();
  if (place == ImageFiles::Place::nowhere) return false;
  const bool is_new_group = place == ImageFiles::Place::new_group;
  if (is_new_group) surroundings_hash_ = 0;
  if (!take_ranges(left_out, cleared) || !save_surroundings()) return false;
  header_.batches_offset = files_.end();
  if (!pages_.begin_image(is_new_group) || !save_memory() || !pages_.finish_image()) return false;
  if (!save_header()) return false;
  files_.finish_image();
  return true;
}

bool ImageWriter::Implementation::take_ranges(std::span<const MemoryRange> left_out,
                                              std::span<const MemoryRange> cleared) {
  constexpr std::uintptr_t page = image_page_bytes;
  holes_.clear();
  const auto take = [&](WorkingArray<MemoryRange>& ranges, const MemoryRange& range) {
    // A page that belongs to others in part only is kept.
    const MemoryRange whole{(range.begin + page - 1) / page * page, range.end / page * page};
    if (whole.begin >= whole.end) return;
    ranges.push_back(whole);
    holes_.push_back(whole);
  };
  left_out_.clear();
  cleared_.clear();
  for (const MemoryRange& range : left_out) take(left_out_, range);
  take(left_out_, memory_.range());
  for (const MemoryRange& range : cleared) take(cleared_, range);
  std::sort(holes_.begin(), holes_.end(),
            [](const MemoryRange& a, const MemoryRange& b) { return a.begin < b.begin; });
  const bool fit = !left_out_.has_overflown() && !cleared_.has_overflown();
  if (!fit) files_.give_up("too many ranges are left out", 0);
  return fit;
}

bool ImageWriter::Implementation::save_surroundings() {
  if (!surroundings_.read(files_.descriptors())) {
    files_.give_up("/proc/self/maps and fd cannot be read", 0);
    return false;
  }
  const std::span<const std::byte> content = surroundings_.encoded();
  const std::uint64_t hash = hash_bytes(content);
  if (hash != surroundings_hash_) {
    const auto offset = files_.append(RecordKind::surroundings, content);
    if (!offset.has_value()) return false;
    surroundings_offset_ = *offset;
    surroundings_hash_ = hash;
  }
  header_.surroundings_offset = surroundings_offset_;
  return true;
}

bool ImageWriter::Implementation::save_memory() {
  const MemoryRange* hole = holes_.begin();
  const auto mappings = surroundings_.mappings();
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    std::uintptr_t next = mappings[i].begin;
    while (hole != holes_.end() && hole->end <= next) ++hole;
    for (const MemoryRange* other = hole; next < mappings[i].end; ++other) {
      const bool is_last = other == holes_.end() || other->begin >= mappings[i].end;
      const std::uintptr_t end = is_last ? mappings[i].end : other->begin;
      if (next < end && !pages_.save(surroundings_, i, {next, end})) return false;
      if (is_last) break;
      next = std::max(next, other->end);
    }
  }
  return true;
}

void ImageWriter::Implementation::append(std::span<const std::byte> bytes) {
  if (bytes.size() > encoded_.room_left()) {
    files_.give_up("its pages are too scattered", 0);
    return;
  }
  std::memcpy(encoded_.end(), bytes.data(), bytes.size());
  encoded_.grow(bytes.size());
}

bool ImageWriter::Implementation::save_header() {
  raw_system_call(SYS_arch_prctl, arch_get_fs, as_argument(&header_.thread_base));
  read_signals(header_);
  header_.left_out = left_out_.size();
  header_.cleared = cleared_.size();
  header_.runs = pages_.runs().size();
  encoded_.clear();
  append(std::as_bytes(std::span(&header_, 1)));
  append(left_out_.bytes());
  append(cleared_.bytes());
  append(pages_.runs().bytes());
  if (*files_.problem() != '\0') return false;
  return files_.append(RecordKind::image, encoded_.bytes()).has_value();
}

// --- the process itself
// -----------------------------------------------------------------------------

namespace {

void check_process() {
  if (!has_raw_system_calls) {
    throw UsageError("there are checkpoints on x86-64 only", "--checkpoint-every",
                     "record without them");
  }
  if (dlsym(RTLD_DEFAULT, "__asan_init") != nullptr) {
    throw UsageError("AddressSanitizer's memory cannot be saved", "--checkpoint-every",
                     "build the program without -fsanitize=address to have checkpoints");
  }
}

void check_threads() {
  if (count_threads() == 1) return;
  throw UsageError("the process has several threads of the system's", "--checkpoint-every",
                   "checkpoints are for processes with one; a library may have started the others");
}

/// Where the C library keeps the number of this thread, which the kernel clears when it ends.
std::uintptr_t find_thread_number() {
  std::uintptr_t place = 0;
  if (prctl(PR_GET_TID_ADDRESS, &place) == 0 && place != 0) return place;
  // The kernel does not tell: it is the first word with this number in the thread's record.
  std::uintptr_t base = 0;
  raw_system_call(SYS_arch_prctl, arch_get_fs, as_argument(&base));
  const auto number = static_cast<int>(raw_system_call(SYS_gettid));
  for (place = base; place < base + thread_record_bytes; place += sizeof number) {
    if (*reinterpret_cast<const int*>(place) == number) return place;
  }
  return 0;
}

}  // namespace

ImageWriter::ImageWriter(const ImageWriterOptions& options) {
  check_process();
  check_threads();
  WorkingMemory memory(working_bytes);
  void* const place = memory.take<Implementation>(1);
  try {
    implementation_ = new (place) Implementation(memory, options);
  } catch (...) {
    munmap(place, working_bytes);
    throw;
  }
  thread_number_place_ = find_thread_number();
  raw_system_call(SYS_get_robust_list, 0, as_argument(&robust_list_),
                  as_argument(&robust_list_bytes_));
}

ImageWriter::~ImageWriter() {
  if (implementation_ == nullptr) return;
  const MemoryRange memory = implementation_->memory();
  implementation_->~Implementation();
  munmap(reinterpret_cast<void*>(memory.begin), memory.end - memory.begin);
}

SavedImage ImageWriter::save(const ImageLabel& label, std::span<const MemoryRange> left_out,
                             std::span<const MemoryRange> cleared) {
  if (implementation_ == nullptr) return {SavedImage::Kind::lost, 0, -1};
  check_threads();
  const long restored = orrery_save_registers(implementation_->registers());
  if (restored == 0) return implementation_->save(label, left_out, cleared);
  repair_restored_process();
  return {SavedImage::Kind::restored, 0, static_cast<int>(restored - 1)};
}

// The kernel knows nothing of what the C library has told it about the other process.
void ImageWriter::repair_restored_process() {
  implementation_ = nullptr;
  const long thread = raw_system_call(SYS_gettid);
  if (thread_number_place_ != 0) {
    *reinterpret_cast<int*>(thread_number_place_) = static_cast<int>(thread);
    raw_system_call(SYS_set_tid_address, static_cast<long>(thread_number_place_));
  }
  raw_system_call(SYS_set_robust_list, as_argument(robust_list_),
                  static_cast<long>(robust_list_bytes_));
#if defined(RSEQ_SIG)
  if (__rseq_size == 0) return;
  constexpr unsigned bytes_min = 32;
  auto* const area = reinterpret_cast<struct rseq*>(
      static_cast<std::byte*>(__builtin_thread_pointer()) + __rseq_offset);
  const long failed = raw_system_call(SYS_rseq, as_argument(area),
                                      std::max<long>(__rseq_size, bytes_min), 0, RSEQ_SIG);
  constexpr auto no_registration = static_cast<std::uint32_t>(-2);
  if (failed != 0) area->cpu_id = no_registration;
#endif
}

std::string ImageWriter::problem() const {
  return implementation_ == nullptr ? std::string() : implementation_->files().problem();
}

ImageWriter::Statistics ImageWriter::statistics() const {
  if (implementation_ == nullptr) return {};
  const ImageFiles& files = implementation_->files();
  const ImagePages& pages = implementation_->pages();
  return {.images = files.images(),
          .dropped = files.dropped(),
          .bytes = files.kept_bytes(),
          .bytes_written = files.written_bytes(),
          .pages_seen = pages.seen(),
          .pages_written = pages.written()};
}

}  // namespace orrery
