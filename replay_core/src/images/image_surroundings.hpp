// What a process has from the system: mappings, files behind them, descriptors, signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "image_format.hpp"
#include "image_memory.hpp"

namespace orrery::detail {

/// Of this process, read without memory of the C library's.
class Surroundings {
 public:
  explicit Surroundings(WorkingMemory& memory);

  /// Reads all of it, but for `own_descriptors`.  False: the system does not tell.
  bool read(std::span<const int> own_descriptors);
  [[nodiscard]] std::span<const MappingRecord> mappings() const {
    return {mappings_.begin(), mappings_.end()};
  }
  /// Does a mapping hold what shared memory or a file that cannot be opened any more holds?
  /// Which one, as a number; 0: neither.
  [[nodiscard]] std::uint64_t kept_object(std::size_t mapping) const { return objects_[mapping]; }
  [[nodiscard]] bool is_shared(std::size_t mapping) const { return are_shared_[mapping]; }
  /// As a record of surroundings holds it; until the next `read`.
  [[nodiscard]] std::span<const std::byte> encoded();

 private:
  void read_line(const char* line, const char* end);
  void add_mapping(const MappingRecord& mapping, std::uint64_t object, bool is_shared);
  bool add_file(MappingRecord& mapping, const char* path, std::size_t bytes);
  void read_descriptor(int number);

  static constexpr std::size_t text_bytes_max = std::size_t{32} << 20U;
  static constexpr std::size_t mappings_max = 200'000;
  static constexpr std::size_t files_max = 20'000;
  static constexpr std::size_t descriptors_max = 20'000;

  char* maps_;
  WorkingArray<MappingRecord> mappings_;
  WorkingArray<std::uint64_t> objects_;
  WorkingArray<bool> are_shared_;
  WorkingArray<FileRecord> files_;
  WorkingArray<DescriptorRecord> descriptors_;
  WorkingArray<char> text_;
  WorkingArray<std::byte> encoded_;
};

/// Handlers, the mask is the caller's to ask.
void read_signals(ImageHeader& header);
/// How many threads this process has.
std::size_t count_threads();

}  // namespace orrery::detail
