// A run's steps, and why one comes before another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

#include "messages/message_history.hpp"

namespace orrery::detail {

/// Why a step comes before another one.
enum class StepOrder : std::uint8_t {
  program,   ///< one task does one after the other
  start,     ///< a task does nothing before it is started
  travel,    ///< a message is on its way when it has been sent, and its pieces come in order
  channel,   ///< messages from one rank to another one do not overtake each other on their way
  answer,    ///< a message that waits for its receive goes on when that has taken it
  received,  ///< who gets a message goes on when it has come
  served,    ///< an open receive that it fits has a message of its own by then
  signal,    ///< who waits for another task goes on when that one has said so
  object,    ///< one of two operations on an object came first; it could have been the other
  wished     ///< a bend says so
};

/// Could the two have come the other way round?
[[nodiscard]] constexpr bool is_soft(StepOrder order) {
  return order == StepOrder::object;
}

struct StepEdge {
  std::uint32_t from = 0;
  StepOrder order = StepOrder::program;
  /// Of what follows from who got a message: that receiver; it does not hold if it gets another
  /// one.  Of `wished`: which bend.
  std::uint32_t about = nobody;
};

/// One step that was taken.
struct GraphStep {
  OperationId id;
  OperationKind kind = OperationKind::none;
  friend bool operator==(const GraphStep&, const GraphStep&) = default;
};

/// Watches a run.  Edges lead forwards, so the steps' order is one that the edges allow.
///
/// Where a step needs more than its edges say (a poll that fails because nothing has come), that is
/// kept by whoever leaves steps out and keeps the order of the rest: with less there, it fails
/// again.
class StepGraph {
 public:
  [[nodiscard]] static EventMask interest();
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  void on_step(const Alternative& taken);
  void on_matching(const MatchingStep& step);
  void on_outcome(OperationId operation, const OpenOutcome& outcome);
  void on_event(const Event& event);
  /// Adds a delivery for each message that is still on its way.
  void add_undelivered();

  [[nodiscard]] const std::vector<GraphStep>& steps() const { return steps_; }
  /// So many were taken; the rest was added.
  [[nodiscard]] std::uint32_t steps_taken() const { return steps_taken_; }
  [[nodiscard]] std::span<const StepEdge> edges_to(std::uint32_t step) const;
  [[nodiscard]] const MessageHistory& history() const { return history_; }
  /// A task's own step by its operation: the first one.
  [[nodiscard]] std::optional<std::uint32_t> step_of(OperationId operation) const;
  [[nodiscard]] std::optional<std::uint32_t> receiver_of(OperationId operation) const;
  /// How many operations the task has done; nothing: there is no such task.
  [[nodiscard]] std::optional<std::uint32_t> operations_of(TaskId task) const;

  /// Who has started the tasks 1, 2, ...
  [[nodiscard]] const std::vector<TaskId>& starters() const { return starters_; }

  /// By numbers of the history's: where a message came, where a receiver began, and where it got
  /// its message.  `nobody`: it did not.
  [[nodiscard]] std::uint32_t delivery(std::uint32_t message) const;
  [[nodiscard]] std::uint32_t begin(std::uint32_t receiver) const { return lives_[receiver].begin; }
  [[nodiscard]] std::uint32_t match(std::uint32_t receiver) const { return lives_[receiver].match; }

 private:
  struct ReceiverLife {
    std::uint32_t begin = nobody;
    std::uint32_t match = nobody;  // or where it was withdrawn
    ObjectId mailbox;
  };
  /// The message of one who receives what was claimed is not told, only its envelope.
  struct Claim {
    std::int32_t source = 0;
    std::int32_t tag = 0;
    std::uint32_t step = nobody;
  };
  struct TaskLife {
    std::uint32_t last = nobody;  // its newest step
    std::uint32_t operations = 0;
    std::vector<std::uint32_t> starters;  // steps before its first one
    ObjectId sleeps_on;                   // a condition
    std::uint32_t last_call = nobody;     // a remote operation that was answered in its memory
    std::uint32_t failed = 0;             // its newest operation that found nothing
    /// Messages that came to its rank, since it last found complete what nothing is told of.
    std::vector<std::uint32_t> arrivals;
  };
  struct ObjectLife {
    std::uint32_t last_change = nobody;
    std::vector<std::uint32_t> reads;    // since then
    std::vector<std::uint32_t> signals;  // that waiters go on by
    bool was_waited_for = false;         // since the newest signal
  };
  struct Sent {
    std::uint32_t progress = nobody;  // the newest step of the message
    std::uint32_t channel = 0;
    std::int32_t destination = 0;
    bool is_call = false;
    bool is_delivered = false;
  };
  [[nodiscard]] std::uint32_t now() const { return static_cast<std::uint32_t>(steps_.size() - 1); }
  TaskLife& life(TaskId task);
  void begin_step(GraphStep step);
  void add_edge(std::uint32_t from, StepOrder order, std::uint32_t about = nobody);
  void add_machine_step(OperationId send, OperationKind kind);
  void note_delivery(Sent& sent, OperationId send);
  void add_task_step(const Alternative& taken);
  void note_object(ObjectId object, OperationKind kind);
  void note_sent(const MatchingStep& step);
  void note_taken(std::uint32_t receiver);
  void note_served(std::uint32_t message);
  [[nodiscard]] bool has_other(const Receiver& receiver) const;
  void forget_those_before(std::uint32_t receiver);
  void note_taking(std::uint32_t message, StepOrder order);
  void note_found(TaskId task);

  MessageHistory history_;
  std::vector<GraphStep> steps_;
  std::uint32_t steps_taken_ = 0;
  std::vector<StepEdge> edges_;          // by the step that they lead to
  std::vector<std::size_t> first_edge_;  // of each step
  std::vector<TaskLife> tasks_;
  std::vector<TaskId> starters_;
  std::vector<ReceiverLife> lives_;        // by receiver
  std::vector<std::uint32_t> deliveries_;  // by message
  std::vector<std::uint32_t> channels_;    // of each the newest delivery
  // Looked up, never gone through.
  std::unordered_map<std::uint64_t, std::uint32_t> step_index_;      // by operation
  std::unordered_map<std::uint64_t, std::uint32_t> receiver_index_;  // by operation
  std::unordered_map<std::uint64_t, Sent> sent_;                     // by send
  /// By context, source and destination.
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t>, std::uint32_t> channel_index_;
  std::unordered_map<std::uint64_t, ObjectLife> objects_;
  std::unordered_map<std::int32_t, TaskId> task_of_rank_;
  /// By rank: receives that have begun, without those that others stand for.
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> begun_;
  /// By mailbox: receives of what a probe has claimed.
  std::unordered_map<std::uint64_t, std::vector<Claim>> claims_;
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> waiting_;  // by rank: messages there
  std::vector<OperationId> sends_;                                        // in order
  ObjectId object_;  // what the newest step acts on
};

}  // namespace orrery::detail
