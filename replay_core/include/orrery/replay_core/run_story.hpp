// What each task of a run did and got, and where another run has something else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// One thing that a task has done.  Trivially copyable.
struct StoryEvent {
  OperationId id;
  OperationId matched;
  std::uint64_t content = 0;  ///< of a message: a hash; of an access: the value
  std::uint64_t size_bytes = 0;
  std::int32_t peer = -1;
  std::int32_t tag = -1;
  std::uint32_t place = 0;  ///< a number of `RunStory::places`
  std::uint16_t call = 0;   ///< a number of `RunStory::calls`
  OperationKind kind = OperationKind::none;
  bool timed_out = false;
};

/// What a run did, task by task in the order of the run.  Polls that fail are left out: how often a
/// program asks says nothing about what it does.
struct RunStory {
  std::vector<std::string> tasks;    ///< names, by number
  std::vector<std::string> calls;    ///< `MPI_Recv`; number 0: none
  std::vector<FindingPlace> places;  ///< number 0: not known
  std::vector<StoryEvent> events;
};

/// Watches a run and keeps its story.
class RunStoryObserver final : public Observer {
 public:
  RunStoryObserver();
  ~RunStoryObserver() override;
  RunStoryObserver(const RunStoryObserver&) = delete;
  RunStoryObserver& operator=(const RunStoryObserver&) = delete;

  /// Of a run that is over, or that `leave` was called for.
  [[nodiscard]] const RunStory& story() const;
  /// The run goes no further; its names are still valid.
  void leave();

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override { return EventMask::all_events(); }
  void on_event(const Event& event) override;
  void end_run(const Outcome& outcome) override;

 private:
  class Keeper;
  std::unique_ptr<Keeper> keeper_;
};

/// A thing that a task does in a run, where it does it, for people.
struct StoryStep {
  std::string operation;  ///< `1.7`
  std::string call;       ///< `MPI_Recv`, or what sort of operation it is
  FindingPlace place;     ///< with the task
};

/// The same operation on the same line, with something else in it: once for each task and line.
struct StoryChange {
  enum class Kind : std::uint8_t { received, sent, value };
  Kind kind = Kind::received;
  StoryStep step;           ///< the first one, in the other run
  std::string was;          ///< `4 bytes of rank 1, tag 7`, `3`
  std::string now;          ///< the same; `other bytes` where nothing else tells them apart
  std::uint64_t count = 0;  ///< of this task and line
};

/// From here on a task does other things.
struct StoryBranch {
  StoryStep was;
  StoryStep now;
  std::vector<std::string> lines_gone;  ///< `app.c:12`: it came there afterwards, and comes no more
  std::vector<std::string> lines_new;
};

/// The first line that a task writes otherwise.
struct StoryText {
  std::string task;
  std::uint64_t line = 0;  ///< from 1 on
  std::string was;         ///< without the line feed
  std::string now;
  bool is_in_was = false;  ///< does it have such a line at all?
  bool is_in_now = false;
};

/// How another run differs, task by task.
struct StoryDifference {
  std::vector<StoryChange> changes;
  std::vector<StoryBranch> branches;
  std::vector<StoryStep> stopped;  ///< tasks that do not come as far: the first that they do not do
  std::vector<StoryStep> further;  ///< tasks that had not come to their end, and go on with this
  std::vector<StoryText> texts;
};

/// `was_written`, `now_written`: all that the tasks of the runs have written.
[[nodiscard]] StoryDifference difference(const RunStory& was, std::string_view was_written,
                                         const RunStory& now, std::string_view now_written);

}  // namespace orrery
