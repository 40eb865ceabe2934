// Memory that a worker and its parent both see.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace orrery::detail {

/// An anonymous shared mapping, zeroed; pages that are never touched cost nothing.  Survives the
/// death of the process that writes to it.
class SharedMapping {
 public:
  SharedMapping() = default;
  /// Throws `UsageError` if the system has no room.
  explicit SharedMapping(std::size_t size_bytes);
  ~SharedMapping();
  SharedMapping(SharedMapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  SharedMapping& operator=(SharedMapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  /// The mapping as one object of a type whose all-zero bytes are a value.
  template <typename T>
  [[nodiscard]] T& as() const {
    return *reinterpret_cast<T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace orrery::detail
