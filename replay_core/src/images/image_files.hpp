// The files of images, as they are written: groups, the budget, and what happens when a disk is
// full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "image_format.hpp"
#include "image_memory.hpp"

namespace orrery::detail {

/// Writes without memory of the C library's.
class ImageFiles {
 public:
  /// Throws `UsageError`.
  ImageFiles(WorkingMemory& memory, const ImageWriterOptions& options);
  ~ImageFiles();
  ImageFiles(const ImageFiles&) = delete;
  ImageFiles& operator=(const ImageFiles&) = delete;

  /// Where the next image goes.
  enum class Place : std::uint8_t { old_group, new_group, nowhere };
  [[nodiscard]] Place begin_image();
  /// Where the record begins; nothing if it could not be written.
  [[nodiscard]] std::optional<std::uint64_t> append(RecordKind kind,
                                                    std::span<const std::byte> content);
  [[nodiscard]] std::uint64_t end() const { return groups_.back().bytes; }
  void finish_image();
  /// The image is not there; nor will any others be.  `reason` names what could not be done.
  void give_up(const char* reason, long error);

  [[nodiscard]] std::span<const int> descriptors() const { return {descriptors_, 2}; }
  [[nodiscard]] std::uint64_t images() const { return images_; }
  [[nodiscard]] std::uint64_t dropped() const { return images_ - kept_images_; }
  [[nodiscard]] std::uint64_t kept_bytes() const { return kept_bytes_; }
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }
  [[nodiscard]] const char* problem() const { return problem_; }

 private:
  struct Group {
    std::uint64_t number;
    std::uint64_t first_image;
    std::uint64_t images;
    std::uint64_t bytes;
    std::uint64_t bytes_of_first;
  };
  [[nodiscard]] bool is_full(const Group& group) const;
  bool open_group();
  void drop_oldest();
  bool write(std::span<const std::byte> first, std::span<const std::byte> second);
  const char* path_of(const Group& group);

  static constexpr std::size_t groups_max = 1'000'000;
  static constexpr std::size_t path_bytes_max = 4096;
  static constexpr std::size_t compressed_bytes_max = std::size_t{68} << 20U;

  ImageBudget budget_;
  std::uint64_t group_images_max_;
  MachineIdentity machine_;
  WorkingArray<Group> groups_;
  char* path_;
  std::size_t directory_bytes_;
  char* problem_;
  void* compressor_;
  std::byte* compressed_;
  int descriptors_[2] = {-1, -1};  ///< the lock, the group's file
  std::uint64_t images_ = 0;
  std::uint64_t kept_images_ = 0;
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
  std::uint64_t image_begin_ = 0;
};

}  // namespace orrery::detail
