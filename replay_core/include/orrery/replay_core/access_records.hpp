// What the methods `leap`, `global-writes` and `stride` keep of a run: in which order tasks came to
// shared variables, and what those read that are in no order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery {

/// Whatever two tasks can meet at is a variable here: eight bytes of memory, and each
/// synchronisation object (a lock, a barrier; text that is written is one for all).  An operation
/// on a synchronisation object counts as a write, a load of memory as a read, all else as a write.
///
/// | method | orders | of reads |
/// |---|---|---|
/// | `leap` | of all accesses, by variable | nothing more |
/// | `global-writes` | one, of all writes | their values |
/// | `stride` | of writes, by group of variables | bounds, and values where these are late |
///
/// (Huang, Liu and Zhang 2010; Cantin, Lipasti and Smith 2005, as Zhou, Xiao and Zhang compare with
/// it; Zhou, Xiao and Zhang 2012.)  A value type, and free of simulation: real threads leave the
/// same, of their accesses to memory alone (`is_of_memory`): by the latter two bounds for values.
struct AccessRecords {
  enum class Reads : std::uint8_t {
    in_order,    ///< they stand in the orders as writes do
    by_value,    ///< each read has a value
    by_bound,    ///< each read has a bound, and a value where that is not exact
    by_version,  ///< each read has a bound, which is exact
  };
  /// Of a run by real threads: in turns, whoever comes, since synchronisation says who.
  static constexpr TaskId anybody{0};
  /// So many accesses in a row by one task.
  struct Turns {
    TaskId task;
    std::uint64_t count = 0;  ///< 0: all that come; the last turns of a variable only
    friend bool operator==(const Turns&, const Turns&) = default;
  };
  /// A value that the task's predictor did not foretell, behind so many that it did.
  ///
  /// The predictor has `predictor_slots` words, all 0 at first; a variable has the slot of its
  /// number (with `addresses`: of its address, divided by 8) modulo these.  A read that needs a
  /// value foretells what the slot holds.  Each access of the task, exact ones too, leaves its
  /// value there: what was read, or what stands after a write.
  struct Value {
    std::uint64_t foretold = 0;
    std::uint64_t value = 0;
    friend bool operator==(const Value&, const Value&) = default;
  };
  /// The bound of a read, behind so many reads whose bounds were what the task last knew of their
  /// groups: the bound of its read before, or the version that its own write left; at first 0.
  ///
  /// A group has a version: 0, and one more at the beginning and at the end of each write to it, so
  /// that it is even unless a write is under way.  The bound of a read is the version that stood
  /// some time after it, before the task's next access: it has read what one of the first (bound +
  /// 1) / 2 writes has left, or what was there before.  It is *exact*, and has no value, if it is
  /// even and what the task had last known of the group before its operation.  Then what has been
  /// read is the last write to the variable among the first bound / 2.
  struct Bound {
    std::uint64_t foretold = 0;
    std::uint64_t ahead = 0;  ///< of what the task knew of the group
    friend bool operator==(const Bound&, const Bound&) = default;
  };
  /// A word of a task's stack to which others have come: so many words below where the frames of
  /// the program begin there.
  struct StackWord {
    std::uint32_t variable = 0;
    TaskId task;
    std::int64_t words_below = 0;
    friend bool operator==(const StackWord&, const StackWord&) = default;
  };
  /// An operation that reads or writes so many words of memory, one after the other, from that of
  /// its variable on: each is a variable of its own.
  struct Wide {
    std::uint64_t operation = 0;  ///< of the task's, from 0
    std::uint64_t words = 0;      ///< at least 2
    friend bool operator==(const Wide&, const Wide&) = default;
  };
  /// Of a run by real threads: the places in the program, from where its image begins, whose
  /// accesses were expected to be in an order that synchronisation gives them.  Return addresses of
  /// hooks; ascending.
  struct SwitchedOff {
    std::vector<std::uint64_t> accesses;  ///< are not counted, and have no variables
    std::vector<std::uint64_t> orders;    ///< writes there need not be in the orders
    [[nodiscard]] bool is_empty() const { return accesses.empty() && orders.empty(); }
    friend bool operator==(const SwitchedOff&, const SwitchedOff&) = default;
  };
  /// Of a run by real threads: the range of the heap that a replay has at the same addresses.
  struct NamedHeap {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    [[nodiscard]] bool is_empty() const { return bytes == 0; }
    [[nodiscard]] bool has(std::uint64_t address) const { return address - begin < bytes; }
    friend bool operator==(const NamedHeap&, const NamedHeap&) = default;
  };
  struct Task {
    TaskId task;
    std::uint64_t operations = 0;  ///< that act on variables, and joins and the like
    /// Of their kinds, in order: tells a program that does something else.  0: not kept.
    std::uint32_t kinds_hash = 0;
    /// The variables in the order in which the task has come to each of them first.  This is how a
    /// replay knows those without `addresses`, since all else may be another then.  One that is no
    /// other task's has the number `AccessRecords::own`.
    std::vector<std::uint32_t> first_uses;
    /// Of each wait for a condition: 0, or the variable and 1, which is the mutex that it gives up,
    /// and on which it acts, too.
    std::vector<std::uint32_t> given_up;
    std::vector<std::uint64_t> timeouts;  ///< operations that ended by their deadline, from 0
    std::vector<Wide> wide;
    std::vector<Value> values;  ///< of a wide read one for each word
    std::vector<Bound> bounds;  ///< likewise
    friend bool operator==(const Task&, const Task&) = default;
  };

  Reads reads = Reads::in_order;
  /// Of a run by real threads: operations are accesses of the program to its memory, by words of
  /// eight bytes, from the time on at which it has several threads; what it does else is in
  /// `LamportRecords`.  A variable begins anew where a block of memory is handed out, or a thread
  /// starts on a stack that another one has left.
  bool is_of_memory = false;
  std::uint64_t predictor_slots = 0;
  std::vector<Task> tasks;  ///< ascending
  std::uint32_t variables = 0;
  std::vector<StackWord> stack_words;  ///< by variable
  /// By variable: in which group it is.  Empty: each is one of its own.
  std::vector<std::uint32_t> groups;
  /// By variable: its address, where a replay has the same ones.  Ascending; empty: see
  /// `Task::first_uses`.  Of a run by real threads the first variables are those that lie in
  /// `named`; what lies there and is not among them is some task's own.
  std::vector<std::uint64_t> addresses;
  std::vector<std::vector<Turns>> orders;  ///< by group
  NamedHeap named;
  SwitchedOff switched_off;

  /// In first uses: a variable that one task uses alone, and that has no order.
  [[nodiscard]] std::uint32_t own() const { return variables; }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t variable) const {
    return variable < groups.size() ? groups[variable] : variable;
  }
  [[nodiscard]] std::uint64_t operation_count() const;
  [[nodiscard]] std::uint64_t ordered_count() const;  ///< accesses in the orders
  [[nodiscard]] std::uint64_t turn_count() const;     ///< what these took
  [[nodiscard]] std::uint64_t value_count() const;    ///< that were kept
  [[nodiscard]] std::uint64_t bound_count() const;    ///< what they took
  friend bool operator==(const AccessRecords&, const AccessRecords&) = default;
};

/// The content of a block `shared_accesses`, and back.  `where` names the source in errors;
/// decoding throws `UsageError` with the offset.
[[nodiscard]] std::vector<std::byte> encode_access_records(const AccessRecords& records);
[[nodiscard]] AccessRecords decode_access_records(std::span<const std::byte> bytes,
                                                  std::string_view where);

}  // namespace orrery
