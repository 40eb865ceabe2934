// Encoder and decoder are one code, so both know the same.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <orrery/replay_core/access_records.hpp>

#include "access_codec.hpp"

namespace orrery {
namespace {

using detail::AccessCodec;
using detail::BitDecoder;
using detail::BitEncoder;

template <typename List, typename Size>
std::uint64_t sum_over(const std::vector<List>& lists, const Size& size) {
  return std::accumulate(
      lists.begin(), lists.end(), std::uint64_t{0},
      [&](std::uint64_t sum, const List& list) { return sum + std::uint64_t{size(list)}; });
}

/// Codes all of it, into `records` or out of it; `check` is asked about what came out.
template <typename Coder, typename Check>
class WholeCodec {
 public:
  WholeCodec(Coder& coder, AccessRecords& records, const Check& check)
      : codec_(coder), records_(records), check_(check) {}

  void code() {
    code_head();
    code_list(records_.tasks, [&](AccessRecords::Task& task) { code_task(task); });
    const bool are_alike = !records_.named.is_empty();
    code_list(records_.orders, [&](std::vector<AccessRecords::Turns>& order) {
      if (are_alike && codec_.code_recent_order(order)) return;
      code_order(order);
      if (are_alike) codec_.add_recent_order(order);
    });
    check_(records_.orders.size() == group_count(), "another number of orders than of groups");
  }

 private:
  template <typename List, typename Code>
  void code_list(List& list, const Code& code) {
    const std::uint64_t count = codec_.code_count(list.size());
    check_(true, "the records end too early");
    list.reserve(std::min<std::uint64_t>(count, 1U << 16U));
    for (std::uint64_t i = 0; i < count; ++i) {
      if (list.size() == i) list.emplace_back();
      code(list[i]);
      check_(true, "the records end too early");
    }
  }

  void code_order(std::vector<AccessRecords::Turns>& order) {
    codec_.begin_order();
    code_list(order, [&](AccessRecords::Turns& turns) {
      codec_.code_turns(turns);
      // The last ones may be told to have no end.
      check_(turns.count > 0 || (records_.is_of_memory && &turns == &order.back()),
             "turns of which there are none");
    });
    codec_.end_order(order);
  }

  void code_head() {
    constexpr std::uint64_t kinds = 4;
    // Those with sites that are switched off are kinds of their own, and those with a named heap,
    // and of real memory in groups.
    AccessRecords::SwitchedOff& sites = records_.switched_off;
    AccessRecords::NamedHeap& named = records_.named;
    const std::uint64_t more = (sites.is_empty() ? 0 : kinds) + (named.is_empty() ? 0 : 2 * kinds) +
                               (has_runs_of_groups() ? 4 * kinds : 0);
    const std::uint64_t reads =
        codec_.code_count(static_cast<std::uint64_t>(records_.reads) + more);
    check_(reads < 8 * kinds, "a kind of records that is not known");
    records_.reads = static_cast<AccessRecords::Reads>(reads % kinds);
    records_.is_of_memory = codec_.code_flag(records_.is_of_memory);
    if ((reads & 2 * kinds) != 0) {
      codec_.code_named(named);
      check_(!named.is_empty(), "a heap with names, and without bytes");
    }
    if ((reads & kinds) != 0) {
      for (auto* const list : {&sites.accesses, &sites.orders}) {
        codec_.begin_sites();
        code_list(*list, [&](std::uint64_t& site) { codec_.code_site(site); });
      }
      check_(!sites.is_empty(), "sites that are switched off, of which there are none");
    }
    records_.predictor_slots = codec_.code_count(records_.predictor_slots);
    check_(records_.predictor_slots <= std::uint64_t{1} << 32U, "a predictor that cannot be");
    records_.variables = static_cast<std::uint32_t>(codec_.code_count(records_.variables));
    code_list(records_.stack_words, [&](AccessRecords::StackWord& word) {
      codec_.code_stack_word(word);
      check_(word.variable < records_.variables, "a variable that is not");
    });
    if ((reads & 4 * kinds) != 0) {
      code_runs_of_groups();
    } else {
      code_list(records_.groups, [&](std::uint32_t& group) { codec_.code_group(group); });
    }
    check_(records_.groups.empty() || records_.groups.size() == records_.variables,
           "a group for each variable, and other variables");
    code_list(records_.addresses,
              [&](std::uint64_t& address) { codec_.code_address(address, !named.is_empty()); });
    const bool may_be_some = records_.addresses.empty() || !named.is_empty();
    check_(may_be_some ? records_.addresses.size() <= records_.variables
                       : records_.addresses.size() == records_.variables,
           "an address for each variable, and other variables");
  }

  /// Neighbours in memory are often in one group.
  [[nodiscard]] bool has_runs_of_groups() const {
    const std::vector<std::uint32_t>& groups = records_.groups;
    const bool are_several =
        std::ranges::adjacent_find(groups, std::not_equal_to()) != groups.end();
    return records_.is_of_memory && are_several;
  }

  void code_runs_of_groups() {
    constexpr std::uint64_t run_max = 1U << 20U;  // what is damaged must not fill the memory
    std::vector<std::uint32_t>& groups = records_.groups;
    for (std::size_t done = 0; done < records_.variables;) {
      std::uint32_t group = done < groups.size() ? groups[done] : 0;
      std::size_t behind = done;
      while (behind < groups.size() && groups[behind] == group && behind - done < run_max) ++behind;
      codec_.code_group(group);
      const std::uint64_t run = codec_.code_run(behind - done);
      check_(run > 0 && run <= std::min(run_max, records_.variables - done),
             "more groups than variables, or none");
      done += run;
      if (groups.size() < done) groups.resize(done, group);
    }
  }

  void code_task(AccessRecords::Task& task) {
    constexpr std::uint32_t tasks_max = 1U << 24U;
    codec_.code_task(task);
    check_(task.task.value <= tasks_max, "a task that cannot be");
    code_list(task.first_uses, [&](std::uint32_t& variable) {
      const std::uint32_t own = records_.own();
      codec_.code_first_use(variable, records_.is_of_memory ? std::optional(own) : std::nullopt);
      check_(variable < own || (records_.is_of_memory && variable == own),
             "a variable that is not");
    });
    code_list(task.given_up, [&](std::uint32_t& mutex) {
      codec_.code_given_up(mutex);
      check_(mutex <= records_.variables, "a variable that is not");
    });
    codec_.begin_operations();
    code_list(task.timeouts, [&](std::uint64_t& timeout) {
      codec_.code_timeout(timeout);
      check_(timeout < task.operations, "a deadline of an operation that is not");
    });
    codec_.begin_operations();
    code_list(task.wide, [&](AccessRecords::Wide& wide) {
      codec_.code_wide(wide);
      check_(wide.operation < task.operations + (records_.is_of_memory ? 1 : 0) && wide.words > 1,
             "a wide access that cannot be");
    });
    codec_.begin_reads();
    code_list(task.values, [&](AccessRecords::Value& value) { codec_.code_value(value); });
    code_list(task.bounds, [&](AccessRecords::Bound& bound) { codec_.code_bound(bound); });
  }

  [[nodiscard]] std::size_t group_count() const {
    if (records_.groups.empty()) return records_.variables;
    return std::size_t{*std::ranges::max_element(records_.groups)} + 1;
  }

  AccessCodec<Coder> codec_;
  AccessRecords& records_;
  const Check& check_;
};

/// Some logs name one access behind a task's last: the process died before it was counted.
void forget_wide_that_are_none(AccessRecords& records) {
  for (AccessRecords::Task& task : records.tasks) {
    std::erase_if(task.wide, [&](const auto& wide) { return wide.operation >= task.operations; });
  }
}

/// No version is higher than what all writes of the largest group make of it.
bool has_bounded_bounds(const AccessRecords& records) {
  if (records.is_of_memory) return true;  // the last turns of a variable have no end
  std::uint64_t writes_max = 0;
  for (const std::vector<AccessRecords::Turns>& order : records.orders) {
    const std::uint64_t writes =
        sum_over(order, [](const AccessRecords::Turns& turns) { return turns.count; });
    writes_max = std::max(writes_max, writes);
  }
  return std::ranges::all_of(records.tasks, [&](const AccessRecords::Task& task) {
    return std::ranges::all_of(task.bounds, [&](const AccessRecords::Bound& bound) {
      return bound.ahead / 2 + bound.ahead % 2 <= writes_max;
    });
  });
}

}  // namespace

std::uint64_t AccessRecords::operation_count() const {
  return sum_over(tasks, [](const Task& task) { return task.operations; });
}

std::uint64_t AccessRecords::ordered_count() const {
  return sum_over(orders, [](const std::vector<Turns>& order) {
    return sum_over(order, [](const Turns& turns) { return turns.count; });
  });
}

std::uint64_t AccessRecords::turn_count() const {
  return sum_over(orders, [](const std::vector<Turns>& order) { return order.size(); });
}

std::uint64_t AccessRecords::value_count() const {
  return sum_over(tasks, [](const Task& task) { return task.values.size(); });
}

std::uint64_t AccessRecords::bound_count() const {
  return sum_over(tasks, [](const Task& task) { return task.bounds.size(); });
}

std::vector<std::byte> encode_access_records(const AccessRecords& records) {
  BitEncoder coder;
  AccessRecords copy = records;
  const auto check = [](bool /*is_good*/, std::string_view /*what*/) {};
  WholeCodec(coder, copy, check).code();
  return coder.finish();
}

AccessRecords decode_access_records(std::span<const std::byte> bytes, std::string_view where) {
  BitDecoder coder(bytes);
  const auto check = [&](bool is_good, std::string_view what) {
    coder.check(!coder.has_overrun(), "the records end too early", where);
    coder.check(is_good, what, where);
  };
  AccessRecords records;
  WholeCodec(coder, records, check).code();
  coder.check(coder.is_at_end(), "more than records", where);
  forget_wide_that_are_none(records);
  const auto comes_before = [](const AccessRecords::Task& a, const AccessRecords::Task& b) {
    return a.task >= b.task;
  };
  const bool ascends =
      std::ranges::adjacent_find(records.tasks, comes_before) == records.tasks.end();
  coder.check(ascends, "a task comes twice", where);
  coder.check(has_bounded_bounds(records),
              "a read with a bound beyond all writes (has its counter begun anew?)", where);
  return records;
}

}  // namespace orrery
