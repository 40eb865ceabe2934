// A run as a graph: what each task did and when, and which message went where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// One operation of a task.  It begins where the task's operation before ended: computing takes
/// time by an operation of its own (`compute`), so the operations of a task cover its life.  What a
/// task does without announcing it (`output`) takes no time and has the id of the one before.
struct GraphOperation {
  OperationId id;
  VirtualTime begin;
  VirtualTime end;
  std::uint64_t size_bytes = 0;  ///< of its messages, together
  std::uint64_t value = 0;       ///< read, written or drawn; of a send the hash of its bytes
  std::uint32_t object = 0;      ///< a number of `EventGraph::objects`
  std::uint32_t place = 0;       ///< a number of `EventGraph::places`
  std::int32_t peer = -1;        ///< rank at the other end; -1: none, or several
  std::int32_t tag = -1;
  std::uint16_t call = 0;  ///< a number of `EventGraph::calls`
  OperationKind kind = OperationKind::none;
  bool timed_out = false;
  bool is_waking = false;  ///< takes the mutex again after a wait for a condition, and so ends it
};

/// A message that a task sent and another one may receive.
struct GraphMessage {
  static constexpr std::uint32_t nobody = 0xffffffffU;
  std::uint32_t send = nobody;     ///< a number of `EventGraph::operations`
  std::uint32_t receive = nobody;  ///< the operation that got it, or the wait for it; or nobody
  std::uint32_t context = 0;       ///< keeps the messages of communicators apart
  std::int32_t source = 0;         ///< ranks
  std::int32_t destination = 0;
  std::int32_t tag = 0;
  std::uint64_t size_bytes = 0;
  bool is_racing = false;  ///< a receive could have got another one instead, or this one
};

/// A receive or probe, and a message that it could have got instead of its own.
struct GraphRace {
  std::uint32_t receiver = 0;  ///< the operation that began it, a number of `operations`; the wait
                               ///< for its message where only that has ended
  std::uint32_t taken = 0;     ///< numbers of `messages`
  std::uint32_t other = 0;
  std::uint32_t number = 0;  ///< from 1 on; those of operations that did not end are left out
  OperationId receive = {};  ///< the operation that began it
};

/// Two accesses to memory that race.
struct GraphDataRace {
  std::uint32_t first = 0;  ///< numbers of `operations`
  std::uint32_t second = 0;
  std::uint32_t finding = 0;  ///< a number of `findings`
};

struct GraphTask {
  std::string name;  ///< `rank 2`
  ProcessId process;
  VirtualTime begin;
  VirtualTime end;         ///< of the run, where it has not ended
  bool has_ended = false;  ///< by itself
  std::string rest;        ///< what it was about when the run ended: `waits for mutex m`; or empty
};

/// From this operation on its task knows so many operations of another one: they happened before.
struct GraphKnowledge {
  std::uint32_t operation = 0;  ///< a number of `EventGraph::operations`
  std::uint32_t task = 0;
  std::uint32_t operations_known = 0;
};

/// The graph.  An operation takes 64 bytes, a message 40.
///
///     orrery::EventGraphObserver watching;
///     orrery::Observer* observers[] = {&watching};
///     simulation.run(program, chooser, observers);
///     for (const orrery::GraphOperation& one : watching.graph().operations) print(one.end);
struct EventGraph {
  std::vector<GraphTask> tasks;            ///< by task number
  std::vector<GraphOperation> operations;  ///< in the order in which they ended
  std::vector<GraphMessage> messages;      ///< in the order in which they were sent
  /// By the receiver's id, then by the other send's: in the same order in every replay.
  std::vector<GraphRace> races;
  std::vector<GraphDataRace> data_races;  ///< only of those that were asked for
  std::vector<std::string> objects;       ///< names; number 0: none
  std::vector<FindingPlace> places;       ///< lines of the program; number 0: not known
  std::vector<std::string> calls;         ///< `MPI_Recv`; number 0: none
  std::vector<GraphKnowledge> knowledge;  ///< by operation; only where asked for
  std::vector<Finding> findings;          ///< of this run, and the data races that were asked for
  VirtualTime end;

  /// What the task does meanwhile, in a word: `MPI_Recv`, `compute`, `mutex_lock`.
  [[nodiscard]] std::string_view label(const GraphOperation& operation) const;
  /// `app.c:12`, or empty.
  [[nodiscard]] std::string line_of(const GraphOperation& operation) const;
};

/// What takes time or memory, and not everybody needs.
struct EventGraphOptions {
  bool marks_races = true;       ///< a vector of all tasks for each message and receive
  bool keeps_knowledge = false;  ///< all tasks are looked at in each event
  /// Findings of a detector, each with two places: their accesses become operations, also where
  /// they are no events.  Then the run's accesses to memory are looked at.
  std::vector<Finding> data_races = {};
};

/// Watches a run and makes its graph.
class EventGraphObserver final : public Observer {
 public:
  explicit EventGraphObserver(EventGraphOptions options = {});
  ~EventGraphObserver() override;
  EventGraphObserver(const EventGraphObserver&) = delete;
  EventGraphObserver& operator=(const EventGraphObserver&) = delete;

  /// Of a run that is over, or that `leave` was called for.
  [[nodiscard]] const EventGraph& graph() const;
  /// The run goes no further than to this date, and this is what it came to.  Called by `end_run`;
  /// by whoever leaves a run, while its names are still valid.
  void leave(VirtualTime end, const std::vector<Finding>& findings);

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_matching(const MatchingStep& step) override;
  void on_event(const Event& event) override;
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override;
  void end_run(const Outcome& outcome) override;

 private:
  class Maker;
  EventGraphOptions options_;
  std::unique_ptr<Maker> maker_;
};

}  // namespace orrery
