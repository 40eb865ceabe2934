// Which pages of memory must be written for an image, and writing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "image_files.hpp"
#include "image_format.hpp"
#include "image_memory.hpp"
#include "image_patches.hpp"
#include "image_surroundings.hpp"
#include "present_pages.hpp"

namespace orrery::detail {

/// Compares pages with what the group's file has of them, and appends those that differ.
class ImagePages {
 public:
  ImagePages(WorkingMemory& memory, ImageFiles& files, bool reads_page_table);

  /// False, here and below: the image cannot be written; `ImageFiles::problem` says why.
  bool begin_image(bool is_new_group);
  /// A part of a mapping that belongs to the image; they come in the order of addresses.
  bool save(const Surroundings& surroundings, std::size_t mapping, const MemoryRange& piece);
  bool finish_image();

  [[nodiscard]] const WorkingArray<PageRun>& runs() const { return runs_; }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  struct Source {
    MappingKind kind;
    bool is_readable;
    std::uint64_t object;  ///< whose pages they are, if they are all kept
    std::uint64_t object_begin;
  };
  bool save_touched(const Source& source, const MemoryRange& range);
  bool save_all(const Source& source, const MemoryRange& piece);
  bool save_resident(const Source& source, const MemoryRange& piece);
  bool save_page(const Source& source, std::uintptr_t place);
  bool save_kept_page(const Source& source, std::uintptr_t place);
  bool store(std::uint64_t page, const std::byte* content, std::uint64_t* entry);
  bool note(std::uint64_t page, PageRun::Content content);
  bool flush();
  bool flush_patches();
  const std::byte* read(std::uintptr_t place);
  [[nodiscard]] static bool is_in(const WorkingArray<MemoryRange>& pieces, std::uintptr_t place);

  ImageFiles* files_;
  PageTable table_;
  PagePatches patches_;
  PageFinder finder_;
  WorkingArray<PageRun> runs_;
  WorkingArray<MemoryRange> pieces_;         ///< what the image has, in order
  WorkingArray<MemoryRange> shared_pieces_;  ///< those of them that others may write, too
  bool is_new_group_ = false;
  std::byte* batch_;
  std::byte* scratch_;
  unsigned char* residence_;
  std::size_t batch_count_ = 0;
  int memory_ = -1;  ///< /proc/self/mem: reads what is not readable, and does not fault
  std::uint64_t seen_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace orrery::detail
