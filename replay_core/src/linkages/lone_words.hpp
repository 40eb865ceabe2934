// Words of the heap that the log of real threads does not name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery::detail {

/// One task alone came to each in the recorded run, and so they are in no order: where two meet in
/// the replay, nothing says who is first.
class LoneWords {
 public:
  void clear() { *this = {}; }
  /// A task comes to the word at this address.  Returns another that has been there.
  [[nodiscard]] std::optional<TaskId> come(TaskId task, std::uint64_t address) {
    const std::uint64_t word = address / word_bytes;
    std::uint32_t& owner = page(word / page_words).owners[word % page_words];
    if (owner == 0) owner = task.value + 1;
    return owner == task.value + 1 ? std::nullopt : std::optional(TaskId{owner - 1});
  }

 private:
  static constexpr std::uint64_t word_bytes = 8;
  static constexpr std::uint64_t page_words = 512;
  struct Page {
    std::array<std::uint32_t, page_words> owners{};  // task + 1; 0: nobody has come
  };
  /// Who comes somewhere mostly comes near it next.
  Page& page(std::uint64_t number) {
    if (last_ == nullptr || number != last_number_) {
      std::unique_ptr<Page>& page = pages_[number];
      if (!page) page = std::make_unique<Page>();
      last_ = page.get();
      last_number_ = number;
    }
    return *last_;
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  Page* last_ = nullptr;
  std::uint64_t last_number_ = 0;
};

}  // namespace orrery::detail
