#include "image_pages.hpp"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <orrery/sim_runtime/word_hash.hpp>

#include "raw_system_calls.hpp"

namespace orrery::detail {
namespace {

constexpr std::size_t runs_max = std::size_t{1} << 22U;
constexpr std::size_t pieces_max = std::size_t{1} << 20U;
constexpr std::size_t residence_pages = 16384;

const std::byte* bytes_at(std::uintptr_t place) {
  return reinterpret_cast<const std::byte*>(place);
}

WordHash hash_of(const std::byte* page) {
  WordHash hash = hash_words(reinterpret_cast<const std::uint64_t*>(page), image_page_bytes / 8);
  if (hash.value < PageTable::hash_min) hash.value += PageTable::hash_min;
  return hash;
}

}  // namespace

ImagePages::ImagePages(WorkingMemory& memory, ImageFiles& files, bool reads_page_table)
    : files_(&files),
      table_(memory),
      patches_(memory),
      finder_(memory, reads_page_table),
      runs_(memory, runs_max),
      pieces_(memory, pieces_max),
      shared_pieces_(memory, pieces_max),
      batch_(memory.take<std::byte>(batch_pages * image_page_bytes)),
      scratch_(memory.take<std::byte>(image_page_bytes)),
      residence_(memory.take<unsigned char>(residence_pages)) {}

bool ImagePages::begin_image(bool is_new_group) {
  is_new_group_ = is_new_group;
  if (is_new_group) {
    table_.clear();
    patches_.begin_group();
  }
  table_.begin_image();
  runs_.clear();
  pieces_.clear();
  shared_pieces_.clear();
  batch_count_ = 0;
  const long memory =
      raw_system_call(SYS_openat, AT_FDCWD, as_argument("/proc/self/mem"), O_RDONLY | O_CLOEXEC);
  memory_ = static_cast<int>(memory);
  if (memory < 0 || !finder_.begin()) {
    files_->give_up("/proc/self/mem and pagemap cannot be read", memory);
    return false;
  }
  return true;
}

bool ImagePages::save(const Surroundings& surroundings, std::size_t mapping,
                      const MemoryRange& piece) {
  const MappingRecord& record = surroundings.mappings()[mapping];
  if (record.kind == MappingKind::kernel_range) return true;
  const Source source{record.kind, (record.protection & PROT_READ) != 0,
                      surroundings.kept_object(mapping), record.begin - record.offset};
  pieces_.push_back(piece);
  if (record.kind != MappingKind::kept) return save_touched(source, piece);
  if (!surroundings.is_shared(mapping)) return save_all(source, piece);
  shared_pieces_.push_back(piece);
  return is_new_group_ ? save_resident(source, piece) : save_touched(source, piece);
}

bool ImagePages::save_touched(const Source& source, const MemoryRange& range) {
  bool is_good = true;
  finder_.for_each(range, [&](const PresentPages& run) {
    if (run.are_files && source.kind == MappingKind::file) return;
    for (std::uintptr_t place = run.begin; is_good && place < run.end; place += image_page_bytes) {
      is_good = save_page(source, place);
    }
  });
  return is_good;
}

// Of a file that is no more, what was written here, and for the rest what the file holds: that does
// not change.
bool ImagePages::save_all(const Source& source, const MemoryRange& piece) {
  bool is_good = true;
  std::uintptr_t next = piece.begin;
  const auto save_kept_up_to = [&](std::uintptr_t end) {
    for (; is_good && next < end; next += image_page_bytes) is_good = save_kept_page(source, next);
  };
  finder_.for_each(piece, [&](const PresentPages& run) {
    if (run.are_files) return;
    save_kept_up_to(run.begin);
    for (; is_good && next < run.end; next += image_page_bytes) is_good = save_page(source, next);
  });
  save_kept_up_to(piece.end);
  return is_good;
}

// Others may have touched what this process has not.  That is looked up once a group, since it
// takes time for each page of the mapping, there or not; from then on those that were there are
// looked at.
bool ImagePages::save_resident(const Source& source, const MemoryRange& piece) {
  constexpr std::uintptr_t chunk_bytes = residence_pages * image_page_bytes;
  for (std::uintptr_t begin = piece.begin; begin < piece.end; begin += chunk_bytes) {
    const std::uintptr_t bytes = std::min(chunk_bytes, piece.end - begin);
    if (raw_system_call(SYS_mincore, static_cast<long>(begin), static_cast<long>(bytes),
                        as_argument(residence_)) != 0) {
      continue;
    }
    for (std::uintptr_t i = 0; i < bytes / image_page_bytes; ++i) {
      if ((residence_[i] & 1U) == 0) continue;
      if (!save_page(source, begin + i * image_page_bytes)) return false;
    }
  }
  return true;
}

const std::byte* ImagePages::read(std::uintptr_t place) {
  const long bytes = raw_system_call(SYS_pread64, memory_, as_argument(scratch_), image_page_bytes,
                                     static_cast<long>(place));
  return bytes == image_page_bytes ? scratch_ : nullptr;
}

bool ImagePages::save_page(const Source& source, std::uintptr_t place) {
  ++seen_;
  const std::uint64_t page = place / image_page_bytes;
  std::uint64_t* const entry = table_.see(page);
  if (entry == nullptr) {
    files_->give_up("the process has too much memory", 0);
    return false;
  }
  const std::byte* const content = source.is_readable ? bytes_at(place) : read(place);
  if (content == nullptr) return true;
  const WordHash hash = hash_of(content);
  if (!hash.is_zero) return *entry == hash.value || store(page, content, entry);
  const bool is_as_begun = source.kind != MappingKind::file;
  const std::uint64_t value = is_as_begun ? PageTable::untouched : PageTable::zero;
  if (*entry == value) return true;
  *entry = value;
  return note(page, is_as_begun ? PageRun::Content::untouched : PageRun::Content::zero);
}

bool ImagePages::save_kept_page(const Source& source, std::uintptr_t place) {
  const std::uint64_t page = place / image_page_bytes;
  std::uint64_t* const entry = table_.see(page);
  if (entry == nullptr) {
    files_->give_up("the process has too much memory", 0);
    return false;
  }
  const std::uint64_t identity =
      (source.object + (place - source.object_begin)) * 0x9fb2'1c65'1e98'df25U |
      PageTable::hash_min;
  if (*entry == identity) return true;
  const std::byte* const content = read(place);
  if (content == nullptr) return true;  // beyond the file's end
  ++seen_;
  const bool was_untouched = *entry == PageTable::untouched;
  const bool is_good = !hash_of(content).is_zero ? store(page, content, entry)
                       : was_untouched           ? true
                                                 : note(page, PageRun::Content::untouched);
  *entry = identity;
  return is_good;
}

// The stack that this runs on changes meanwhile: what counts is what is in the batch.
bool ImagePages::store(std::uint64_t page, const std::byte* content, std::uint64_t* entry) {
  if (batch_count_ == batch_pages && !flush()) return false;
  if (patches_.is_full() && !flush_patches()) return false;
  std::byte* const copy = batch_ + batch_count_ * image_page_bytes;
  std::memcpy(copy, content, image_page_bytes);
  const bool is_first = *entry < PageTable::hash_min && !patches_.keeps(page);
  *entry = hash_of(copy).value;
  ++written_;
  if (patches_.add(page, copy)) return note(page, PageRun::Content::patched);
  // Most pages are written once in a group: those are not kept.
  if (!is_first) patches_.keep(page, copy);
  ++batch_count_;
  return note(page, PageRun::Content::stored);
}

bool ImagePages::note(std::uint64_t page, PageRun::Content content) {
  if (!runs_.empty()) {
    PageRun& last = runs_.back();
    if (last.content == content && last.first_page + last.pages == page) {
      ++last.pages;
      return true;
    }
  }
  runs_.push_back({page, 1, content});
  if (runs_.has_overflown()) files_->give_up("its pages are too scattered", 0);
  return !runs_.has_overflown();
}

bool ImagePages::flush() {
  if (batch_count_ == 0) return true;
  const std::span<const std::byte> content(batch_, batch_count_ * image_page_bytes);
  batch_count_ = 0;
  return files_->append(RecordKind::batch, content).has_value();
}

bool ImagePages::flush_patches() {
  if (patches_.added().empty()) return true;
  const bool is_good = files_->append(RecordKind::patches, patches_.added()).has_value();
  patches_.clear_added();
  return is_good;
}

bool ImagePages::is_in(const WorkingArray<MemoryRange>& pieces, std::uintptr_t place) {
  const auto* const after = std::upper_bound(
      pieces.begin(), pieces.end(), place,
      [](std::uintptr_t value, const MemoryRange& piece) { return value < piece.begin; });
  return after != pieces.begin() && place < after[-1].end;
}

bool ImagePages::finish_image() {
  bool is_good = !pieces_.has_overflown();
  if (!is_good) files_->give_up("its memory is too scattered", 0);
  table_.for_each_unseen([&](std::uint64_t page, std::uint64_t& entry) {
    const std::uintptr_t place = page * image_page_bytes;
    if (!is_good || !is_in(pieces_, place)) return;
    if (is_in(shared_pieces_, place) && read(place) != nullptr) {
      is_good = save_page({MappingKind::kept, false, 0, 0}, place);
      return;
    }
    entry = PageTable::untouched;
    is_good = note(page, PageRun::Content::untouched);
  });
  finder_.end();
  raw_system_call(SYS_close, memory_);
  return is_good && flush() && flush_patches();
}

}  // namespace orrery::detail
