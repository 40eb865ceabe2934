// Memory that is in no image: what saves images works in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <orrery/replay_core/process_image.hpp>

namespace orrery::detail {

/// One mapping, handed out from its beginning to its end, for as long as the writer lives.  Only
/// what is touched takes memory.
class WorkingMemory {
 public:
  /// Throws `UsageError` if the system has no room for it.
  explicit WorkingMemory(std::size_t bytes);

  template <typename T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }
  void* take_bytes(std::size_t bytes);
  [[nodiscard]] MemoryRange range() const { return {begin_, end_}; }

 private:
  std::uintptr_t begin_;
  std::uintptr_t end_;
  std::uintptr_t next_;
};

/// An array with a fixed room, in working memory.  What does not fit any more is left out, and
/// `has_overflown`.
template <typename T>
class WorkingArray {
 public:
  WorkingArray(WorkingMemory& memory, std::size_t room)
      : data_(memory.take<T>(room)), room_(room) {}

  void clear() { count_ = 0; }
  void push_back(const T& value) {
    if (count_ == room_) {
      has_overflown_ = true;
      return;
    }
    data_[count_++] = value;
  }
  /// So many more, whose content lies there already.
  void grow(std::size_t more) { count_ += more; }
  void erase_first() {
    for (std::size_t i = 1; i < count_; ++i) data_[i - 1] = data_[i];
    --count_;
  }
  [[nodiscard]] bool has_overflown() const { return has_overflown_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t room_left() const { return room_ - count_; }
  [[nodiscard]] T* begin() const { return data_; }
  [[nodiscard]] T* end() const { return data_ + count_; }
  [[nodiscard]] T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] T& back() const { return data_[count_ - 1]; }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(begin(), end()));
  }

 private:
  T* data_;
  std::size_t room_;
  std::size_t count_ = 0;
  bool has_overflown_ = false;
};

/// What the pages of memory held when they were last saved in this group: a hash for each.
class PageTable {
 public:
  static constexpr std::uint64_t untouched = 0;
  static constexpr std::uint64_t zero = 1;
  static constexpr std::uint64_t hash_min = 2;  ///< all others are hashes

  explicit PageTable(WorkingMemory& memory);

  /// All pages are untouched.
  void clear();
  void begin_image() { ++image_; }
  /// The entry of a page, which now counts as seen in this image.  Null: there is no room for more.
  std::uint64_t* see(std::uint64_t page);
  /// Calls `forget(page, entry)` for each that is not untouched and has not been seen in this
  /// image.
  template <typename Forget>
  void for_each_unseen(const Forget& forget) {
    for (std::size_t i = 0; i < block_count_; ++i) {
      Block& block = blocks_[i];
      const bool is_old = block.image != image_;
      for (std::uint64_t page = 0; page < block_pages; ++page) {
        const bool is_seen = !is_old && (block.seen[page / 64] >> page % 64 & 1U) != 0;
        if (block.entries[page] != untouched && !is_seen) {
          forget(block.number * block_pages + page, block.entries[page]);
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t block_pages = 256;
  static constexpr std::size_t blocks_max = std::size_t{1} << 18U;
  static constexpr std::size_t slots = blocks_max * 2;

  struct Block {
    std::uint64_t number;
    std::uint64_t image;  ///< `seen` is about this one
    std::uint64_t seen[block_pages / 64];
    std::uint64_t entries[block_pages];
  };
  [[nodiscard]] Block* block_of(std::uint64_t number);

  Block* blocks_;
  std::uint32_t* slots_;  ///< by hash of the number: index + 1; 0: none
  std::size_t block_count_ = 0;
  Block* last_ = nullptr;
  std::uint64_t image_ = 0;
};

}  // namespace orrery::detail
