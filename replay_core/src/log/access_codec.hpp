// How the fields of `AccessRecords` are coded: each by what usually follows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <orrery/replay_core/access_records.hpp>

#include "bit_coder.hpp"
#include "foretold_accesses.hpp"

namespace orrery::detail {

/// Where among the last few the next one is, or that it is none of these: it depends on where the
/// one before was.
class RecentPlaces {
 public:
  static constexpr std::size_t keeps = 15;  // and stands for none of them

  template <typename Coder>
  std::uint32_t code(Coder& coder, std::uint32_t place) {
    place = places_[last_].code(coder, place);
    last_ = std::min<std::uint32_t>(place, contexts - 1);
    return place;
  }

 private:
  static constexpr std::uint32_t contexts = 4;
  std::uint32_t last_ = 0;
  std::array<SymbolModel<4>, contexts> places_;
};

/// Which of the last few numbers comes once more, or another: by its difference from the last.
class RecentNumbers {
 public:
  template <typename Coder>
  std::uint64_t code(Coder& coder, std::uint64_t number) {
    const auto found = std::ranges::find(recent_, number);
    const auto wanted = static_cast<std::uint32_t>(found - recent_.begin());
    const std::uint32_t place = places_.code(coder, wanted);
    if (place < recent_.size()) {
      number = recent_[place];
    } else {
      number = recent_[0] + unfold(differences_.code(coder, fold(number - recent_[0])));
    }
    const auto end = recent_.begin() + std::min<std::uint32_t>(place, keeps - 1);
    std::copy_backward(recent_.begin(), end, end + 1);
    recent_[0] = number;
    return number;
  }
  void clear() { recent_.fill(0); }

 private:
  static constexpr std::size_t keeps = RecentPlaces::keeps;
  static constexpr std::uint64_t fold(std::uint64_t difference) {
    const bool is_negative = (difference >> 63U) != 0;
    return difference << 1U ^ (is_negative ? ~std::uint64_t{0} : 0);
  }
  static constexpr std::uint64_t unfold(std::uint64_t folded) {
    return folded >> 1U ^ (0U - (folded & 1U));
  }
  std::array<std::uint64_t, keeps> recent_{};
  RecentPlaces places_;
  NumberModel differences_;
};

/// Which of the last few orders comes once more: neighbours in memory are used alike.
class RecentOrders {
 public:
  using Order = std::vector<AccessRecords::Turns>;

  /// False: none of them; then it is coded by itself, and added.
  template <typename Coder>
  bool code(Coder& coder, Order& order) {
    const auto found = std::ranges::find(recent_, order);
    const bool is_there = found != recent_.end();
    const std::size_t wanted =
        is_there ? static_cast<std::size_t>(found - recent_.begin()) : RecentPlaces::keeps;
    const std::uint64_t place = places_.code(coder, wanted);
    if (place >= recent_.size()) return false;
    const auto taken = recent_.begin() + static_cast<std::ptrdiff_t>(place);
    order = *taken;
    std::rotate(recent_.begin(), taken, taken + 1);
    return true;
  }
  void add(const Order& order) {
    if (recent_.size() == RecentPlaces::keeps) recent_.pop_back();
    recent_.push_front(order);
  }

 private:
  std::deque<Order> recent_;
  StepModel places_;
};

/// Codes records field by field: an encoder gives back what it was given, a decoder fills it in.
template <typename Coder>
class AccessCodec {
 public:
  explicit AccessCodec(Coder& coder) : coder_(coder) {}

  std::uint64_t code_count(std::uint64_t count) { return counts_.code(coder_, count); }

  bool code_flag(bool flag) { return coder_.bit(flag_, flag); }
  void code_stack_word(AccessRecords::StackWord& word) {
    word.variable = last_stack_variable_ += static_cast<std::uint32_t>(
        stack_variables_.code(coder_, word.variable - last_stack_variable_));
    word.task.value = static_cast<std::uint32_t>(stack_tasks_.code(coder_, word.task.value));
    word.words_below = static_cast<std::int64_t>(
        stack_places_.code(coder_, static_cast<std::uint64_t>(word.words_below)));
  }
  void code_group(std::uint32_t& group) {
    group = static_cast<std::uint32_t>(groups_.code(coder_, group));
  }
  std::uint64_t code_run(std::uint64_t variables) { return runs_.code(coder_, variables); }
  void code_named(AccessRecords::NamedHeap& named) {
    named.begin = named_.code(coder_, named.begin);
    named.bytes = named_.code(coder_, named.bytes);
  }
  void begin_sites() { last_site_ = 0; }
  void code_site(std::uint64_t& site) {
    site = last_site_ += sites_.code(coder_, site - last_site_);
  }
  void code_address(std::uint64_t& address, bool is_in_named_heap) {
    const std::uint64_t step = address - last_address_;
    last_address_ += is_in_named_heap ? steps_.code(coder_, step) : addresses_.code(coder_, step);
    address = last_address_;
  }
  void code_task(AccessRecords::Task& task) {
    const std::uint64_t step = tasks_.code(coder_, task.task.value - last_task_);
    task.task.value = last_task_ += static_cast<std::uint32_t>(step);
    task.operations = operations_.code(coder_, task.operations);
    std::uint32_t hash = 0;
    for (unsigned i = 0; i < 4; ++i) {
      SymbolModel<8> even;
      hash |= even.code(coder_, task.kinds_hash >> (8 * i) & 0xffU) << (8 * i);
    }
    task.kinds_hash = hash;
    next_use_ = next_variable_;
  }
  /// One that is the task's own, if there are any; a new variable, or the one that others came to
  /// next, too.
  void code_first_use(std::uint32_t& variable, std::optional<std::uint32_t> own) {
    if (own && coder_.bit(is_own_[was_own_ ? 1 : 0], variable == *own)) {
      variable = *own;
      was_own_ = true;
      return;
    }
    was_own_ = false;
    const bool goes_on = coder_.bit(goes_on_, variable == next_use_);
    if (goes_on) {
      variable = next_use_;
    } else {
      const std::uint64_t back = uses_.code(coder_, std::uint32_t{next_variable_ - variable});
      variable = next_variable_ - static_cast<std::uint32_t>(back);
    }
    next_use_ = variable + 1;
    next_variable_ = std::max(next_variable_, next_use_);
  }
  void code_given_up(std::uint32_t& mutex) {
    mutex = static_cast<std::uint32_t>(given_up_.code(coder_, mutex));
  }
  void begin_operations() { next_operation_ = 0; }
  void code_timeout(std::uint64_t& operation) {
    operation = next_operation_ + timeouts_.code(coder_, operation - next_operation_);
    next_operation_ = operation + 1;
  }
  void code_wide(AccessRecords::Wide& wide) {
    std::uint64_t gap = wide.operation - next_operation_;
    wide_.code(coder_, gap, wide.words);
    wide.operation = next_operation_ + gap;
    next_operation_ = wide.operation + 1;
  }
  void begin_reads() {
    values_.clear();
    bounds_.begin_task();
  }
  void code_value(AccessRecords::Value& value) {
    value.foretold = foretold_.code(coder_, value.foretold);
    value.value = values_.code(coder_, value.value);
  }
  void code_bound(AccessRecords::Bound& bound) { bounds_.code(coder_, bound); }
  /// False: it is coded turn by turn.
  bool code_recent_order(std::vector<AccessRecords::Turns>& order) {
    return recent_orders_.code(coder_, order);
  }
  void add_recent_order(const std::vector<AccessRecords::Turns>& order) {
    recent_orders_.add(order);
  }
  void begin_order() { turns_.begin_order(); }
  void code_turns(AccessRecords::Turns& turns) { turns_.code(coder_, turns); }
  void end_order(const std::vector<AccessRecords::Turns>& order) { turns_.end_order(order); }

 private:
  Coder& coder_;
  NumberModel counts_;
  BitModel flag_;
  std::uint32_t last_stack_variable_ = 0;
  NumberModel stack_variables_;
  RecentNumbers stack_tasks_;
  RecentNumbers stack_places_;
  RecentNumbers groups_;
  RecentNumbers runs_;  // of groups
  NumberModel named_;
  std::uint64_t last_site_ = 0;
  NumberModel sites_;
  std::uint64_t last_address_ = 0;
  NumberModel addresses_;
  StepModel steps_;
  std::uint32_t last_task_ = 0;
  NumberModel tasks_;
  NumberModel operations_;
  std::uint32_t next_variable_ = 0;
  std::uint32_t next_use_ = 0;
  BitModel goes_on_;
  std::array<BitModel, 2> is_own_;
  bool was_own_ = false;
  NumberModel uses_;
  RecentNumbers given_up_;
  std::uint64_t next_operation_ = 0;
  NumberModel timeouts_;
  WideModel wide_;
  NumberModel foretold_;
  RecentNumbers values_;
  BoundModel bounds_;
  RecentOrders recent_orders_;
  TurnsModel turns_;
};

}  // namespace orrery::detail
