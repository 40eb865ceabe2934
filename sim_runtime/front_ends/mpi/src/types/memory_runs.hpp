// The bytes that a buffer of a program is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datatypes.hpp"

namespace orrery::mpi {

/// What an operation does with its buffer.  While it is under way nobody else may write to a buffer
/// that it reads, nor touch one that it writes: at its end only (`writes`), or bit by bit while it
/// gets on (`fills`).
enum class BufferUse : std::uint8_t { reads, writes, fills };

/// `count` elements at `buffer`.
struct BufferView {
  const void* buffer = nullptr;
  const Datatype* type = nullptr;
  std::size_t count = 0;
  BufferUse use = BufferUse::reads;
  const char* section = "3.7.2";  ///< of the standard: it says until when the buffer is owned

  [[nodiscard]] bool is_empty() const { return count == 0 || type->size_bytes == 0; }
  [[nodiscard]] bool is_one_run() const { return find_packed(*type, count, buffer) != nullptr; }
  [[nodiscard]] std::size_t runs() const { return is_one_run() ? 1 : type->layout->runs * count; }
};

/// From its first byte to its last.
struct Extent {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool meets(const Extent& other) const {
    return begin < other.end && other.begin < end;
  }
};
Extent extent_of(const BufferView& view);

/// The bytes of a buffer as runs in ascending order with something between them.
class MemoryRuns {
 public:
  void assign(const BufferView& view);
  /// Has the buffer any of these bytes?
  [[nodiscard]] bool meet(const BufferView& view) const;
  [[nodiscard]] bool is_empty() const { return runs_.empty(); }
  /// Keeps the memory for the next ones, unless that is much.
  void clear();

 private:
  void put_in_order();
  std::vector<Extent> runs_;
};

/// Have two buffers a byte in common?  Types of very many runs are taken to interleave: nobody
/// could say where they meet.
[[nodiscard]] bool share_memory(const BufferView& a, const BufferView& b);
[[nodiscard]] bool have_too_many_runs(const BufferView& a, const BufferView& b);

}  // namespace orrery::mpi
