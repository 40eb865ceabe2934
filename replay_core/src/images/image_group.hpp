// A file of images, read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <orrery/replay_core/process_image.hpp>

#include "image_format.hpp"
#include "image_patches.hpp"

namespace orrery::detail {

/// What an image refers to, decoded.
struct LoadedImage {
  ImageHeader header{};
  std::vector<MemoryRange> left_out;  ///< in order
  std::vector<MemoryRange> cleared;   ///< in order
  std::vector<MappingRecord> mappings;
  std::vector<FileRecord> files;
  std::vector<DescriptorRecord> descriptors;
  std::vector<char> text;
  [[nodiscard]] std::string text_at(std::uint32_t offset) const { return &text.at(offset); }
};

/// Where in the file a page's content is.
struct StoredPage {
  static constexpr std::uint64_t zero = UINT64_MAX;  ///< in no batch
  static constexpr std::uint32_t by_none = UINT32_MAX;
  std::uint64_t page;
  std::uint64_t batch;       ///< the record's offset, or `zero`
  std::uint32_t index;       ///< within the batch
  std::uint32_t patched_by;  ///< an image of the group, or `by_none`
};

/// Throws `UsageError`, with the file and the offset, where it makes no sense.
class ImageGroup {
 public:
  /// Looks at the records, not into batches.
  explicit ImageGroup(std::filesystem::path path);
  ~ImageGroup();
  ImageGroup(const ImageGroup&) = delete;
  ImageGroup& operator=(const ImageGroup&) = delete;

  [[nodiscard]] const GroupHeader& header() const { return header_; }
  /// The complete images, from `GroupHeader::first_image` on.
  [[nodiscard]] const std::vector<ImageHeader>& images() const { return images_; }
  [[nodiscard]] bool is_torn() const { return is_torn_; }

  [[nodiscard]] LoadedImage load(std::size_t image) const;
  /// What differs from how the mappings begin, in the order of pages; all that there is for the
  /// group, also where the image has nothing mapped.
  [[nodiscard]] std::vector<StoredPage> pages(std::size_t image) const;
  /// The pages of a batch go to `content`; returns how many there are.
  std::size_t read_batch(std::uint64_t offset, std::byte* content) const;
  [[nodiscard]] std::vector<PagePatch> patches(std::size_t image) const;

 private:
  struct Record {
    std::uint64_t offset;
    RecordHeader header;
  };
  [[noreturn]] void refuse(std::uint64_t offset, const char* what) const;
  bool read_at(std::uint64_t offset, void* into, std::size_t bytes) const;
  void scan();
  [[nodiscard]] std::vector<std::byte> content(const Record& record) const;
  std::size_t content_into(const Record& record, std::byte* into) const;
  [[nodiscard]] const Record& record_at(std::uint64_t offset, RecordKind kind) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t bytes_ = 0;
  GroupHeader header_{};
  std::vector<Record> records_;
  std::vector<ImageHeader> images_;
  std::vector<std::size_t> image_records_;
  bool is_torn_ = false;
};

}  // namespace orrery::detail
