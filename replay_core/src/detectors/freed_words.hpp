// Which words of memory have been given back, and by which free.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/run_words.hpp>

namespace orrery::detail {

/// The number of the free that gave a word back; 0: it is in use.
///
/// Pages that a block covers have one number in place of one for each word: a large block would
/// else have half as much memory touched as it had.
class FreedWords {
 public:
  static constexpr Address word_bytes = 8;

  /// Where a word's number stands.  It stays there until the run ends.
  struct Place {
    Address address = 0;
    const std::uint32_t* word = nullptr;
  };

  void clear() {
    if (pages_ != nullptr) pages_->clear();
    words_.clear();
  }
  [[nodiscard]] Place place_of(Address address) { return {address, &words_.at(address)}; }
  [[nodiscard]] std::uint32_t number(const Place& place) {
    const std::uint32_t of_page = pages_ != nullptr ? pages_->at(page_key(place.address)) : 0;
    return of_page != 0 ? of_page : *place.word;
  }
  /// All words in which bytes from `begin` on and before `end` lie whole.
  void free(Address begin, Address end, std::uint32_t number) { set(begin, end, number); }
  /// The same words are in use again.
  void forget(Address begin, Address end) { set(begin, end, 0); }

 private:
  /// That many words are what `RunWords` puts to use at once.
  static constexpr Address page_bytes = 512;

  /// Pages are words of another table.
  static constexpr Address page_key(Address address) {
    return address / page_bytes * RunWords<std::uint32_t>::bytes_of_word;
  }

  void set(Address begin, Address end, std::uint32_t number) {
    begin = (begin + word_bytes - 1) / word_bytes * word_bytes;
    end = end / word_bytes * word_bytes;
    if (begin >= end) return;
    const Address first_page = (begin + page_bytes - 1) / page_bytes * page_bytes;
    const Address end_page = end / page_bytes * page_bytes;
    if (first_page > end_page) return set_part(begin, end, number);  // within one
    if (begin < first_page) set_part(begin, first_page, number);
    set_pages(first_page, end_page, number);
    if (end_page < end) set_part(end_page, end, number);
  }
  void set_pages(Address begin, Address end, std::uint32_t number) {
    words_.for_each_in(begin, end, [](std::uint32_t& word) { word = 0; });
    if (number == 0) {
      if (pages_ == nullptr) return;
      pages_->for_each_in(page_key(begin), page_key(end), [](std::uint32_t& page) { page = 0; });
      return;
    }
    if (begin < end && pages_ == nullptr) pages_ = std::make_unique<RunWords<std::uint32_t>>();
    for (Address at = begin; at < end; at += page_bytes) pages_->at(page_key(at)) = number;
  }
  /// Of one page, and not all of it.
  void set_part(Address begin, Address end, std::uint32_t number) {
    const Address page = begin / page_bytes * page_bytes;
    std::uint32_t of_page = 0;
    const auto take = [&of_page](std::uint32_t& one) { of_page = std::exchange(one, 0); };
    if (pages_ != nullptr) pages_->for_each_in(page_key(page), page_key(page + page_bytes), take);
    // Only words in use are gone through: first the page is put to use.
    if (number != 0 || of_page != 0) static_cast<void>(words_.at(page));
    if (of_page != 0) {
      words_.for_each_in(page, page + page_bytes, [&](std::uint32_t& word) { word = of_page; });
    }
    words_.for_each_in(begin, end, [&](std::uint32_t& word) { word = number; });
  }

  /// Made where it is first needed: many processes may not have as many addresses as they like.
  std::unique_ptr<RunWords<std::uint32_t>> pages_;
  RunWords<std::uint32_t> words_;  ///< 0 where the page has a number
};

}  // namespace orrery::detail
