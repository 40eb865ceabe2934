// Temporary memory of MPI calls.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace orrery::mpi {

/// Lends buffers.  The memory belongs to the pool: a call that never returns, because its rank was
/// ended inside it, leaks nothing.
class ScratchPool {
 public:
  struct Buffer {
    std::vector<std::byte> bytes;
    bool lent = false;
  };

  Buffer& lend(std::size_t size_bytes) {
    Buffer* buffer = nullptr;
    for (const auto& candidate : buffers_)
      if (!candidate->lent) buffer = candidate.get();
    if (buffer == nullptr) {
      buffers_.push_back(std::make_unique<Buffer>());
      buffer = buffers_.back().get();
    }
    if (buffer->bytes.size() < size_bytes) buffer->bytes.resize(size_bytes);
    buffer->lent = true;
    return *buffer;
  }

 private:
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

/// A buffer on loan until the end of the scope.
class Scratch {
 public:
  Scratch(ScratchPool& pool, std::size_t size_bytes) : buffer_(&pool.lend(size_bytes)) {}
  ~Scratch() {
    if (buffer_ != nullptr) buffer_->lent = false;
  }
  Scratch(Scratch&& other) noexcept : buffer_(other.buffer_) { other.buffer_ = nullptr; }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Scratch& operator=(Scratch&&) = delete;

  [[nodiscard]] std::byte* data() const { return buffer_->bytes.data(); }
  /// As an array; the memory is aligned for any type.
  template <typename T>
  [[nodiscard]] T* array() const {
    return static_cast<T*>(static_cast<void*>(buffer_->bytes.data()));
  }

 private:
  ScratchPool::Buffer* buffer_;
};

}  // namespace orrery::mpi
