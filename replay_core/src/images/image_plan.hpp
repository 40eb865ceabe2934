// From an image to the plan that `orrery-restore` follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image_group.hpp"
#include "restore_plan.hpp"

namespace orrery::detail {

/// A file in memory with the plan and all pages that it needs.
class PreparedImage {
 public:
  /// Throws `UsageError` if it cannot be restored here.
  PreparedImage(const ImageGroup& group, std::size_t image);
  ~PreparedImage();
  PreparedImage(const PreparedImage&) = delete;
  PreparedImage& operator=(const PreparedImage&) = delete;

  [[nodiscard]] int descriptor() const { return file_; }
  /// From here on numbers of descriptors are free in the process to be; the first one is what it
  /// will be told to talk to.
  [[nodiscard]] int first_free_descriptor() const { return first_free_descriptor_; }
  /// What a step does, for whoever reads that it has failed.
  [[nodiscard]] std::string describe(std::uint64_t step) const;

 private:
  void check_files() const;
  void load_pages(const ImageGroup& group, std::size_t image);
  void load_batches(const ImageGroup& group, const std::vector<std::uint64_t>& batches,
                    const std::vector<StoredPage>& stored, std::byte* memory);
  void add_mappings();
  void add_piece(const MappingRecord& mapping, std::uint64_t begin, std::uint64_t end);
  void add_hole(const MappingRecord& mapping, std::uint64_t begin, std::uint64_t end,
                bool is_cleared);
  void add_pages(std::uint64_t end);
  void add_descriptors();
  void add_signals();
  void write_plan();
  void add(RestoreStep::Kind kind, long number, std::initializer_list<std::uint64_t> arguments,
           std::uint32_t opened_argument = RestoreStep::no_argument);
  std::uint64_t add_text(const std::string& text);
  std::uint64_t add_data(const void* data, std::size_t bytes);

  /// A page that the process has, and where it lies among the pages behind the plan.
  struct PlacedPage {
    std::uint64_t page;
    std::uint64_t slot;
  };

  LoadedImage image_;
  int file_ = -1;
  int first_free_descriptor_ = 0;
  std::vector<PlacedPage> pages_;
  std::size_t next_page_ = 0;
  std::vector<RestoreStep> steps_;
  std::vector<std::byte> data_;  ///< what steps point to
  std::uint64_t pages_begin_ = 0;
};

}  // namespace orrery::detail
