// Something for each byte of plain memory, in one piece where bytes are accessed together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/run_words.hpp>

namespace orrery::detail {

/// Cells by address: exact to the byte.  Of eight bytes those that are accessed have one cell until
/// an access takes others of them; from then on each byte has its own.  `Cell{}` must be all bits
/// zero, and needs no destructor.  `copy_of(cell)` is another one that says the same: where a cell
/// names something that is its own, that is not to have two owners.
template <typename Cell, typename CopyOf = std::identity>
class MemoryCells {
 public:
  explicit MemoryCells(CopyOf copy_of = {}) : copy_of_(std::move(copy_of)) {}

  /// As if nobody had ever accessed anything: between two runs.
  void clear() {
    words_.clear();
    bytes_.clear();
    free_bytes_.clear();
  }
  /// Calls `function(cell)` for each cell of these bytes.
  template <typename Function>
  void access(Address address, std::uint64_t size_bytes, const Function& function) {
    while (size_bytes > 0) {
      const Address first = address % word_bytes;
      const std::uint64_t count = std::min<std::uint64_t>(size_bytes, word_bytes - first);
      to(words_.at(address), static_cast<ByteMask>(((1U << count) - 1U) << first), function);
      address += count;
      size_bytes -= count;
    }
  }
  /// As if nobody had ever accessed it; calls `function(cell)` for each before it goes.  Whole
  /// words only: what is given back is larger.
  template <typename Function>
  void forget(Address address, std::uint64_t size_bytes, const Function& function) {
    words_.for_each_in((address + word_bytes - 1) & ~(word_bytes - 1),
                       (address + size_bytes) & ~(word_bytes - 1), [&](Word& one) {
                         function(one.cell);
                         if (one.bytes_number != 0) give_back(one.bytes_number, function);
                         one = {};
                       });
  }
  /// Calls `function(cell)` for each cell that there is.
  template <typename Function>
  void for_each(const Function& function) {
    words_.for_each([&](Word& word) { function(word.cell); });
    for (Bytes& bytes : bytes_) std::ranges::for_each(bytes, function);
  }

 private:
  static constexpr Address word_bytes = 8;
  using ByteMask = std::uint8_t;
  using Bytes = std::array<Cell, word_bytes>;
  struct Word {
    Cell cell;                       ///< of the bytes in `mask`
    std::uint32_t bytes_number = 0;  ///< 0: all is in `cell`
    ByteMask mask = 0;
  };

  template <typename Function>
  void to(Word& word, ByteMask bytes, const Function& function) {
    if (word.bytes_number == 0 && (word.mask == 0 || word.mask == bytes)) {
      word.mask = bytes;
      return function(word.cell);
    }
    if (word.bytes_number == 0) split(word);
    Bytes& all = bytes_[word.bytes_number - 1];
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((bytes >> i & 1U) != 0) function(all[i]);
    }
  }
  void split(Word& word) {
    if (free_bytes_.empty()) {
      bytes_.emplace_back();
      free_bytes_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    }
    word.bytes_number = free_bytes_.back();
    free_bytes_.pop_back();
    Bytes& all = bytes_[word.bytes_number - 1];
    bool has_owner = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((word.mask >> i & 1U) == 0) continue;
      all[i] = has_owner ? copy_of_(std::as_const(word.cell)) : word.cell;
      has_owner = true;
    }
    word.cell = {};
  }
  template <typename Function>
  void give_back(std::uint32_t number, const Function& function) {
    std::ranges::for_each(bytes_[number - 1], function);
    bytes_[number - 1] = {};
    free_bytes_.push_back(number);
  }

  [[no_unique_address]] CopyOf copy_of_;
  RunWords<Word> words_;
  std::vector<Bytes> bytes_;
  std::vector<std::uint32_t> free_bytes_;
};

}  // namespace orrery::detail
