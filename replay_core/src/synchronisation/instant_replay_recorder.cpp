#include "instant_replay_recorder.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <orrery/replay_core/history_tapes.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "instant_replay_messages.hpp"
#include "instant_replay_numbers.hpp"
#include "object_accesses.hpp"
#include "variable_keys.hpp"
#include "wide_accesses.hpp"

namespace orrery::detail {
namespace {

/// Writes the tapes of all tasks.
class TapeWriter {
 public:
  void clear() { *this = {}; }

  HistoryTape& tape(TaskId task) { return own(task).tape; }

  void take_step(const Alternative& step) {
    finish_step();
    Writing& writing = own(step.id.task);
    if (step.kind == OperationKind::output) return;
    ++writing.tape.steps;
    if (step.kind == OperationKind::send) {
      write(writing, step.kind, keys_.of(step.object), /*writes=*/true);
    }
    if (access_of(step.kind, step.object) != ObjectAccess::none) {
      under_way_ = UnderWay{step, keys_.of(step.object)};
      const VariablePlace& place = under_way_->variable.place;
      if (const auto wide = wide_access(step.id.task, step.kind, place)) reach(writing, *wide);
    } else if (!is_idle(step.kind)) {
      writing.polled.reset();
    }
  }

  /// What lies there from now on are other objects.  The task's last step was about what lay there.
  void forget(std::uint64_t address, std::uint64_t size_bytes) {
    finish_step();
    forgotten_.forget(address, size_bytes);
  }

  /// Several tasks send from this box, so that their order is to be kept; of others it follows.
  void keep_order(ObjectId outbox) { crowded_.insert(outbox.packed()); }

  /// It was about messages: one that did not come in time.
  void drop_step(OperationId id) {
    if (under_way_ && under_way_->step.id == id) under_way_.reset();
  }

  void end_step(const Event& event) {
    if (!under_way_ || under_way_->step.id != event.id) return;
    const auto [step, variable] = *std::exchange(under_way_, std::nullopt);
    const ObjectAccess access = access_of(event);
    Writing& writing = own(event.id.task);
    const bool is_poll = is_failed_try(event) ||
                         (event.kind == OperationKind::read && event.order != MemoryOrder::plain);
    const Polled polled{step.kind, step.object, event.payload_hash};
    if (is_poll && writing.polled == polled) return repeat(writing);
    write(writing, step.kind, variable, access == ObjectAccess::writes);
    if (event.gives_up != ObjectId{}) {
      write(writing, OperationKind::none, keys_.of(event.gives_up), /*writes=*/true);
    }
    if (is_poll) writing.polled = polled;
  }

  [[nodiscard]] std::vector<HistoryTape> tapes() const {
    TapeWriter finished = *this;
    finished.finish_step();
    std::vector<HistoryTape> tapes;
    for (Writing& writing : finished.tasks_) {
      for (TapeEntry& entry : writing.tape.entries) {
        if (entry.writes) entry.readers = finished.readers_of(writing, entry);
      }
      finished.leave_out_sends(writing);
      tapes.push_back(std::move(writing.tape));
    }
    return tapes;
  }

 private:
  /// What a task does again and again until it comes to something else.
  struct Polled {
    OperationKind kind = OperationKind::none;
    ObjectId object;
    std::uint64_t value = 0;
    friend bool operator==(const Polled&, const Polled&) = default;
  };
  struct Writing {
    HistoryTape tape;
    ByVariable<std::uint32_t> numbers;   // of its objects
    std::vector<std::uint32_t> objects;  // by these numbers
    std::optional<Polled> polled;        // by its last entry
  };
  /// A step, until it is known what it has done.
  struct UnderWay {
    Alternative step;
    VariableKeys::Known variable;
  };
  struct Object {
    std::uint64_t key = 0;
    std::vector<std::uint64_t> readers{0};  // by version
    [[nodiscard]] std::uint64_t version() const { return readers.size() - 1; }
  };

  /// Nobody else can tell when it is done.
  static bool is_idle(OperationKind kind) {
    return kind == OperationKind::yield || kind == OperationKind::sleep ||
           kind == OperationKind::compute;
  }

  Writing& own(TaskId task) {
    if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
    return tasks_[task.value];
  }

  /// No event tells what it has done: it has ended the run.
  void finish_step() {
    if (!under_way_) return;
    const auto [step, variable] = *std::exchange(under_way_, std::nullopt);
    const bool writes = access_of(step.kind, step.object) == ObjectAccess::writes;
    write(own(step.id.task), step.kind, variable, writes);
  }

  std::uint32_t number_of(Writing& writing, OperationKind kind,
                          const VariableKeys::Known& variable) {
    if (is_wake(kind, variable.place)) {
      if (const std::uint32_t* const used = writing.numbers.last(variable)) return *used;
    }
    const auto next = static_cast<std::uint32_t>(writing.objects.size());
    const auto [number, is_new] = writing.numbers.add(variable, forgotten_, next);
    if (!is_new) return number;
    const auto end = static_cast<std::uint32_t>(objects_.size());
    const auto [index, is_first] = indices_.add(variable, forgotten_, end);
    if (is_first) objects_.push_back({.key = variable.key});
    writing.objects.push_back(index);
    return next;
  }

  /// The step comes to further words of a program's memory.
  void reach(Writing& writing, const WideAccess& access) {
    finish_step();
    for (std::uint64_t i = 1; i < access.words; ++i) {
      write(writing, OperationKind::none, VariableKeys::word_behind(access.place, i),
            !access.is_read);
    }
  }

  void write(Writing& writing, OperationKind kind, const VariableKeys::Known& variable,
             bool writes) {
    writing.polled.reset();
    const std::uint32_t number = number_of(writing, kind, variable);
    Object& object = objects_[writing.objects[number]];
    writing.tape.entries.push_back(
        {.kind = kind, .writes = writes, .object = number, .version = object.version()});
    if (writes) {
      object.readers.push_back(0);
    } else {
      ++object.readers.back();
    }
  }

  /// One more poll: all of them might as well have come now, so of the earlier ones only their
  /// number is kept, and nobody has to wait for them.
  void repeat(Writing& writing) {
    TapeEntry& entry = writing.tape.entries.back();
    Object& object = objects_[writing.objects[entry.object]];
    ++entry.repeats;
    object.readers[entry.version] -= entry.repeats;
    object.readers.back() += entry.repeats + 1;
    entry.version = object.version();
  }

  /// If the task is the only one of its process that sends.
  void leave_out_sends(Writing& writing) {
    std::optional<std::uint32_t> outbox;
    std::erase_if(writing.tape.entries, [&](const TapeEntry& entry) {
      if (entry.kind != OperationKind::send) return false;
      if (crowded_.contains(objects_[writing.objects[entry.object]].key)) return false;
      outbox = entry.object;
      return true;
    });
    for (TapeEntry& entry : writing.tape.entries) {
      if (outbox && entry.object > *outbox) --entry.object;
    }
  }

  [[nodiscard]] std::uint64_t readers_of(const Writing& writing, const TapeEntry& entry) const {
    return objects_[writing.objects[entry.object]].readers[entry.version];
  }

  std::vector<Writing> tasks_;
  std::vector<Object> objects_;
  ByVariable<std::uint32_t> indices_;          // of objects
  std::unordered_set<std::uint64_t> crowded_;  // boxes
  std::optional<UnderWay> under_way_;          // the last step
  VariableKeys keys_;
  ForgottenMemory forgotten_;
};

/// Watches for two: for itself, and for the recorder of messages, which gets operations numbered as
/// the log does.
class InstantReplayRecorder final : public Recorder, private Observer {
 public:
  [[nodiscard]] Observer& observer() override { return *this; }
  [[nodiscard]] std::vector<RecordedBlock> blocks() const override {
    std::vector<RecordedBlock> blocks = messages_->blocks();
    blocks.push_back({BlockKind::history_tapes, encode_tapes(writer_.tapes())});
    return blocks;
  }
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t polls_left_out = 0;
    const std::vector<HistoryTape> tapes = writer_.tapes();
    for (const HistoryTape& tape : tapes) {
      for (const TapeEntry& entry : tape.entries) {
        ++(entry.writes ? writes : reads);
        polls_left_out += entry.repeats;
      }
    }
    auto counts = messages_->counts();
    counts.emplace_back("tapes", tapes.size());
    counts.emplace_back("object_reads", reads);
    counts.emplace_back("object_writes", writes);
    counts.emplace_back("polls_left_out", polls_left_out);
    return counts;
  }

 private:
  void begin_run(const RunInfo& info) override {
    names_ = info.names;
    writer_.clear();
    numbers_.clear();
    senders_.clear();
    messages_->observer().begin_run(info);
    of_messages_ = messages_->observer().interest();
  }
  [[nodiscard]] EventMask interest() const override {
    return messages_->observer().interest() | access_events() | EventMask::tasks() |
           EventMask::steps() | EventMask::choices() | EventMask::of(OperationKind::task_end) |
           EventMask::allocations();
  }
  // Who started a task is on its tape: the other recorder need not know.
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    HistoryTape& tape = writer_.tape(task);
    if (!predecessors.empty()) tape.starter = predecessors.front();
  }
  void on_step(const Alternative& taken) override {
    Alternative step = taken;
    if (taken.kind == OperationKind::send) {
      step.object = outbox_of(names_->process(taken.id.task));
    }
    if (!is_machine_step(taken.kind)) writer_.take_step(step);
    step.object = taken.object;
    step.id = numbers_.of(taken.id);
    step.asker = numbers_.of(taken.asker);
    messages_->observer().on_step(step);
    numbers_.note(taken);
  }
  void on_allocated(TaskId /*task*/, Address address, std::uint64_t size_bytes) override {
    writer_.forget(address, size_bytes);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    writer_.forget(address, size_bytes);
  }
  void on_event(const Event& event) override {
    if (event.kind == OperationKind::task_end) writer_.tape(event.id.task).has_ended = true;
    writer_.end_step(event);
    if (!of_messages_.has(event.kind)) return;
    Event own = event;
    own.id = numbers_.of(event.id);
    own.matched = numbers_.of(event.matched);
    messages_->observer().on_event(own);
  }
  void on_matching(const MatchingStep& step) override {
    if (step.kind == MatchingStep::Kind::sent) note_sender(step);
    MatchingStep own = step;
    own.send = numbers_.of(step.send);
    own.receiver = numbers_.of(step.receiver);
    messages_->observer().on_matching(own);
  }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    if (point.kind != ChoiceKind::waiter) return;
    writer_.tape(point.asker.task).woken.push_back(static_cast<std::uint32_t>(index));
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    ValueQuestion own = question;
    own.asker = numbers_.of(question.asker);
    messages_->observer().on_value(own, answer);
  }
  void on_outcome(OperationId id, OperationKind kind, const OpenOutcome& outcome) override {
    writer_.drop_step(id);
    OpenOutcome own = outcome;
    own.about = numbers_.of(outcome.about);
    messages_->observer().on_outcome(numbers_.of(id), kind, own);
  }

  /// A collective operation that goes on by itself has a task, and a context, of its own: there is
  /// nobody whom it could overtake.
  void note_sender(const MatchingStep& step) {
    const std::uint64_t place = static_cast<std::uint64_t>(step.source) << 32U | step.context;
    const TaskId task = step.send.task;
    const auto [first, is_new] = senders_.try_emplace(place, task);
    if (!is_new && first->second != task) writer_.keep_order(outbox_of(names_->process(task)));
  }

  std::unique_ptr<Recorder> messages_ = make_send_recorder();
  const Names* names_ = nullptr;
  std::unordered_map<std::uint64_t, TaskId> senders_;  // the first one, by rank and context
  EventMask of_messages_;
  NumbersWithoutOutput numbers_;
  TapeWriter writer_;
};

}  // namespace

std::unique_ptr<Recorder> make_instant_replay_recorder() {
  return std::make_unique<InstantReplayRecorder>();
}

}  // namespace orrery::detail
