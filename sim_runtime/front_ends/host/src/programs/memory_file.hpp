// A file that is nowhere on the disk.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace orrery::host {

/// Owns one; it is closed at the end.
class MemoryFile {
 public:
  /// Throws `UsageError` if the system has no more.  `name` is for debuggers.
  explicit MemoryFile(const std::string& name);
  ~MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile& operator=(MemoryFile&&) = delete;

  void write(const std::byte* bytes, std::size_t size, std::size_t offset) const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace orrery::host
