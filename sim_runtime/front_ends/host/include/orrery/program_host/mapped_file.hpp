// A file to look into, without reading all of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace orrery {

/// What a file holds, as long as this lives.  Only what is looked at is brought into memory: of a
/// program, whose debug information may be long, that is little.
///
///     const orrery::MappedFile file(path);
///     const orrery::ElfSections sections(file.bytes());
class MappedFile {
 public:
  /// Throws `UsageError` if it cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace orrery
