// Which write each read of a recorded run has read from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/sim_runtime/ids.hpp>

#include "large_vector.hpp"
#include "order_graph.hpp"

namespace orrery::detail {

/// Zhou, Xiao and Zhang, "Stride: search-based deterministic replay in polynomial time via bounded
/// linkage" (ICSE 2012), Algorithm 1 and Definition 1: the latest write with a read's value at or
/// below its bound is taken for the one that it has read from; what follows from that, from the
/// orders of writes and from those of the tasks makes a graph, and an order of its nodes is a run
/// that nobody can tell from the recorded one.
///
/// Where we differ: writes are found by variable although orders and bounds are those of groups, so
/// neither needs its address compared; "the next write" that a read comes before is the next one to
/// its variable, which grouping leaves open; a write is one node, with its update of the version.
///
/// Reads without bounds are those of `global-writes`: Cantin, Lipasti and Smith, "The complexity of
/// verifying memory coherence and consistency" (2005).  Each is placed at the earliest write at or
/// behind those of its task so far after which the variable has its value.
///
/// To be told of the accesses of a run in an order in which each comes behind those before it in
/// its task, those before it in its group's order, and for a read, all writes within its bound.
class LinkageInference {
 public:
  /// An access: whose how many-th operation, at which variable.
  struct Access {
    TaskId task;
    std::uint64_t operation = 0;
    std::uint32_t variable = 0;
    bool is_further = false;  ///< by the same operation as the access before, at the same moment
  };
  /// What a read has read.
  struct Found {
    std::uint64_t value = 0;
    bool is_last = false;  ///< nobody has written to the variable since
  };

  void begin(const AccessRecords& records);
  /// Of a log of memory: stands for all that tasks do besides, which is in one order.
  [[nodiscard]] static std::uint32_t synchronisation(const AccessRecords& records) {
    return records.variables;
  }
  /// Of a log with one order of all writes: stands for what each task writes to as its own.
  [[nodiscard]] static std::uint32_t elsewhere(const AccessRecords& records) {
    return records.variables + 1;
  }
  /// A task was started by the other, or has waited for its end.
  void come_behind_task(TaskId task, TaskId other);
  /// A place in a task: what it has done up to now.  It has done something.
  [[nodiscard]] std::uint32_t last_of(TaskId id) { return task(id).last; }
  /// A task comes behind that place of another.
  void come_behind(TaskId id, std::uint32_t place) { task(id).behind.push_back(place); }
  /// What the variable held before any access.
  void set_initial(std::uint32_t variable, std::uint64_t value);
  [[nodiscard]] bool knows(std::uint32_t variable) const {
    return variable < variables_.size() && variables_[variable].has_initial;
  }
  /// The next write of the variable's group.
  void write(const Access& access);
  /// The operation of the write that came last acts on this variable, too.
  void also_write(std::uint32_t variable);
  /// What the last write to the variable has left there.
  void set_written(std::uint32_t variable, std::uint64_t value);
  /// A read that saw at most so many writes of its group.  Exact: it has read the last of these to
  /// its variable, whatever the value.  Nothing: none of them has left that value.
  Found read_exact(const Access& access, std::uint64_t writes);
  std::optional<Found> read(const Access& access, std::uint64_t writes, std::uint64_t value);
  /// A read of which nothing but its value is known: may it have come already?
  [[nodiscard]] bool can_read(TaskId task, std::uint32_t variable, std::uint64_t value);
  struct ValueRead {
    std::uint32_t variable = 0;
    std::uint64_t value = 0;
  };
  /// When all of these words, which the task reads at once, had these values for the first time,
  /// as a place in the one order of writes.  Nothing: they have not had them yet.
  [[nodiscard]] std::optional<std::uint64_t> moment_of(TaskId task,
                                                       std::span<const ValueRead> reads);
  /// The task's next access comes behind that place.
  void come_behind_moment(TaskId id, std::uint64_t moment) { task(id).moment = moment; }
  /// It comes now; it could.
  void read_first(const Access& access, std::uint64_t value);
  /// It has read what is there now.
  void read_last(const Access& access);
  /// If what the task has done last was a read, nobody knows of which write.
  void forget_last_read(TaskId task);

  [[nodiscard]] std::uint64_t read_count() const { return reads_; }
  /// How many values were looked at to find what was read.
  [[nodiscard]] std::uint64_t comparisons() const { return comparisons_; }

  /// What came of it.
  struct Result {
    /// By variable, who came to it, as `leap` keeps it.
    std::vector<std::vector<AccessRecords::Turns>> orders;
    /// Why there is no such run: in words, with the edges of a cycle.  Empty: there is one.
    std::string contradiction;
  };
  [[nodiscard]] Result finish();

 private:
  static constexpr std::uint32_t no_node = ~std::uint32_t{0};

  struct Write {
    std::uint64_t position = 0;  // in its group, from 1
    std::uint64_t value = 0;
    std::uint32_t node = no_node;
  };
  struct Variable {
    bool has_initial = false;
    LargeVector<Write> writes;                        // the first stands for what was there before
    LargeVector<std::vector<std::uint32_t>> readers;  // by write: nodes
  };
  struct Group {
    std::uint64_t writes = 0;
    std::uint32_t last = no_node;
  };
  struct Task {
    std::uint32_t last = no_node;
    std::vector<std::uint32_t> behind;  // whose nodes come before its next one
    std::uint64_t moment = 0;           // of all writes, behind which its next one comes
  };
  struct Node {
    Access access;
    std::uint64_t reached = 0;  // the last write of all that it comes behind, in their one order
  };

  Task& task(TaskId id);
  Variable& variable(std::uint32_t number);
  [[nodiscard]] std::uint32_t add(const Access& access);
  Group& group_of(std::uint32_t variable);
  void come_behind_group(std::uint32_t node, std::uint32_t variable);
  /// The last of the first so many writes of its group.
  [[nodiscard]] static std::size_t last_within(const Variable& variable, std::uint64_t writes);
  Found link(std::uint32_t node, Variable& variable, std::size_t write);
  /// Where in the one order of writes the operation of a write is over: who has read one of its
  /// words comes behind all of them.
  [[nodiscard]] std::uint64_t over_at(const Write& write) const {
    return write.node == no_node ? write.position : nodes_[write.node].reached;
  }
  /// How far in the one order of writes a task's next access lies at least.
  [[nodiscard]] std::uint64_t reached(const Task& task) const;
  /// The first write from there on that has left the value, or the end.
  [[nodiscard]] std::size_t first_with(const Variable& variable, std::uint64_t reached,
                                       std::uint64_t value) const;
  void add_linkages();
  [[nodiscard]] std::string describe(const std::vector<OrderGraph::Edge>& cycle) const;

  const AccessRecords* records_ = nullptr;
  OrderGraph graph_;
  LargeVector<Node> nodes_;
  LargeVector<std::pair<std::uint32_t, std::uint32_t>> also_;  // nodes, and their other variables
  std::vector<Variable> variables_;
  std::vector<Group> groups_;
  std::vector<Task> tasks_;
  std::uint64_t reads_ = 0;
  std::uint64_t comparisons_ = 0;
};

}  // namespace orrery::detail
