// The fields of `AccessRecords` that are most of a log, each by what it has followed before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <orrery/replay_core/access_records.hpp>

#include "bit_coder.hpp"
#include "foretold_numbers.hpp"

namespace orrery::detail {

/// Tables of fields of which there are as many as a program does, and of those with fewer.
constexpr unsigned many_slot_bits = 18;
constexpr unsigned few_slot_bits = 14;

/// Loops read what others have written in periods, by so much further each time.
class BoundModel {
 public:
  void begin_task() {
    gaps_ = {};
    aheads_ = {};
  }
  template <typename Coder>
  void code(Coder& coder, AccessRecords::Bound& bound) {
    const auto& g = gaps_;
    const auto& a = aheads_;
    const std::uint64_t gap = gap_model_.code(
        coder, bound.foretold,
        {0, context_of(g[0]), context_of(g[0], a[0]), context_of(g[0], g[1]),
         context_of(g[0], a[0], g[1], a[1]), context_of(g[0], g[1], g[2], a[0], a[1], a[2]),
         context_of(g[0], g[1], g[2], g[3]), context_of(g[0], g[1], g[2], g[3], g[4], g[5])},
        {g[0], g[1], g[2], g[3], g[4], g[5]});
    bound.foretold = gap;
    bound.ahead = ahead_model_.code(
        coder, bound.ahead,
        {0, context_of(gap), context_of(gap, a[0]), context_of(gap, g[0], a[0], a[1]),
         context_of(a[0], a[1]), context_of(gap, g[0], g[1], a[0], a[1], a[2]),
         context_of(gap, g[0], g[1]), context_of(a[0], a[1], a[2], a[3])},
        {a[0], a[1], a[2], a[3], a[4], a[5]});
    gaps_.add(gap);
    aheads_.add(bound.ahead);
  }

 private:
  LastNumbers<6> gaps_;
  LastNumbers<6> aheads_;
  ForetoldNumbers<8, 6, many_slot_bits> gap_model_;
  ForetoldNumbers<8, 6, many_slot_bits> ahead_model_;
};

/// Of one order after the other.  Neighbours in memory are used alike: what stands in the order
/// before may come again.
class TurnsModel {
 public:
  using Order = std::vector<AccessRecords::Turns>;

  void begin_order() {
    recent_.clear();
    counts_ = {};
    places_ = {};
    at_ = 0;
  }
  void end_order(const Order& order) {
    if (!order.empty()) before_ = order;
  }
  template <typename Coder>
  void code(Coder& coder, AccessRecords::Turns& turns) {
    code_task(coder, turns.task.value);
    const std::uint64_t there = before_count(at_);
    const auto& c = counts_;
    turns.count =
        count_model_.code(coder, turns.count,
                          {context_of(turns.task.value), context_of(c[0]), context_of(c[0], c[1]),
                           context_of(turns.task.value, c[1]), context_of(c[0], c[1], c[2], c[3]),
                           context_of(c[1], c[3]), context_of(there, turns.task.value, c[0])},
                          {c[0], c[1], c[2], c[3], there, before_count(at_ + 1)});
    counts_.add(turns.count);
    ++at_;
  }

 private:
  /// Who comes is one of those who came last, but hardly the very last one.
  template <typename Coder>
  void code_task(Coder& coder, std::uint32_t& task) {
    const std::uint64_t last = recent_.empty() ? AccessRecords::anybody.value : recent_.front();
    const std::uint64_t there = at_ < before_.size() ? before_[at_].task.value : 0;
    const auto& p = places_;
    const auto found = std::ranges::find(recent_, task);
    const std::uint64_t place = place_model_.code(
        coder, static_cast<std::uint64_t>(found - recent_.begin()),
        {context_of(recent_.size()), context_of(last, counts_[0]), context_of(p[0], p[1]),
         context_of(p[0], p[1], counts_[0], counts_[1]), context_of(last, there, p[0])},
        {p[0], p[1]});
    if (place < recent_.size()) {
      task = recent_[place];
      recent_.erase(recent_.begin() + static_cast<std::ptrdiff_t>(place));
    } else {
      task = static_cast<std::uint32_t>(new_tasks_.code(coder, task));
    }
    recent_.insert(recent_.begin(), task);
    places_.add(place);
  }
  [[nodiscard]] std::uint64_t before_count(std::size_t at) const {
    return at < before_.size() ? before_[at].count : 0;
  }

  std::vector<std::uint32_t> recent_;  // tasks of the order, who came last first
  LastNumbers<4> counts_;
  LastNumbers<2> places_;
  Order before_;  // the last one that was not empty
  std::size_t at_ = 0;
  ForetoldNumbers<7, 6, many_slot_bits> count_model_;
  ForetoldNumbers<5, 2, few_slot_bits> place_model_;
  NumberModel new_tasks_;
};

/// Of copies, and of objects that are assigned.
class WideModel {
 public:
  template <typename Coder>
  void code(Coder& coder, std::uint64_t& gap, std::uint64_t& words) {
    const auto& g = gaps_;
    const auto& w = words_;
    gap = gap_model_.code(coder, gap,
                          {0, context_of(g[0]), context_of(g[0], w[0]),
                           context_of(g[0], w[0], g[1], w[1]), context_of(g[0], g[1], g[2], w[0])},
                          {g[0], g[1], g[2], g[3]});
    words = word_model_.code(coder, words,
                             {0, context_of(gap), context_of(gap, w[0]), context_of(w[0], w[1]),
                              context_of(gap, g[0], w[0], w[1])},
                             {w[0], w[1], w[2], w[3]});
    gaps_.add(gap);
    words_.add(words);
  }

 private:
  LastNumbers<4> gaps_;
  LastNumbers<4> words_;
  ForetoldNumbers<5, 4, few_slot_bits> gap_model_;
  ForetoldNumbers<5, 4, few_slot_bits> word_model_;
};

/// Numbers that are all of one kind: from one address to the next, or which order comes again.
class StepModel {
 public:
  template <typename Coder>
  std::uint64_t code(Coder& coder, std::uint64_t step) {
    const auto& s = steps_;
    step = model_.code(coder, step,
                       {0, context_of(s[0]), context_of(s[0], s[1]), context_of(s[0], s[1], s[2])},
                       {s[0], s[1], s[2], s[3]});
    steps_.add(step);
    return step;
  }

 private:
  LastNumbers<4> steps_;
  ForetoldNumbers<4, 4, few_slot_bits> model_;
};

}  // namespace orrery::detail
