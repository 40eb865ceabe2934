#include "racing_recorder.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "message_recorder.hpp"
#include "received_messages.hpp"
#include "timestamps.hpp"

namespace orrery::detail {
namespace {

/// Timestamps of processes, on their way with messages; what is raced with is for those who derive.
///
/// Each task has a timestamp of its own, with a component for each process: what a front end does
/// beside the program (a collective that goes on by itself) must not lend its knowledge to it.
class RacingRecorder : public MessageRecorder {
 protected:
  struct Sent {
    std::int32_t source = 0;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    Timestamp timestamp;
    std::uint32_t receiver = 0;  ///< in the receives of the process that has taken it
    bool is_taken = false;
  };

  /// Does the process count its sends as well as its receives?
  [[nodiscard]] virtual bool counts_sends() const = 0;
  /// A receive or probe of the process has got its message.
  virtual void on_taken(ReceivedMessages& process, std::size_t receive, const Sent& sent) = 0;
  /// The program knows that it is complete.  `known` is what its task knew before.
  virtual void on_complete(ReceivedMessages& process, std::size_t receive, const Sent& sent,
                           const Timestamp& known) = 0;
  virtual void on_withdrawn(ReceivedMessages&) {}
  /// Does a synchronous send learn from its end that its receive has begun?
  [[nodiscard]] virtual bool hears_acknowledgements() const = 0;

 private:
  void begin_records() override {
    processes_.clear();
    timestamps_.clear();
    sent_.clear();
    compressed_.clear();
    timestamp_bytes_ = 0;
  }

  [[nodiscard]] EventMask own_interest() const override {
    return EventMask::of(OperationKind::receive) | EventMask::of(OperationKind::wait) |
           EventMask::of(OperationKind::select) | EventMask::of(OperationKind::test) |
           EventMask::of(OperationKind::probe) | EventMask::of(OperationKind::try_probe);
  }

  [[nodiscard]] std::optional<std::uint64_t> timestamp_bytes() const override {
    return timestamp_bytes_;
  }

  ReceivedMessages& process(std::int32_t rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (index >= processes_.size()) processes_.resize(index + 1);
    return processes_[index];
  }

  Timestamp& timestamp(TaskId task, std::int32_t rank) {
    if (task.value >= timestamps_.size()) timestamps_.resize(std::size_t{task.value} + 1);
    Timestamp& own = timestamps_[task.value];
    if (own.size() <= static_cast<std::size_t>(rank))
      own.resize(static_cast<std::size_t>(rank) + 1);
    return own;
  }

  void on_message(const MatchingStep& step) override {
    using Kind = MatchingStep::Kind;
    if (step.kind == Kind::sent) return note_sent(step);
    ReceivedMessages& receiver = process(step.destination);
    switch (step.kind) {
      case Kind::posted: receiver.begin(step, /*is_probe=*/false, known_to(step)); return;
      case Kind::taken: {
        const std::size_t receive = receiver.find(step.receiver);
        Sent& sent = sent_.at(step.send.packed());
        receiver.take(receive, step.send, sent.source);
        sent.receiver = static_cast<std::uint32_t>(receive);
        sent.is_taken = true;
        on_taken(receiver, receive, sent);
        return;
      }
      case Kind::seen: {
        const std::size_t probe = receiver.begin(step, /*is_probe=*/true, known_to(step));
        const Sent& sent = sent_.at(step.send.packed());
        receiver.take(probe, step.send, sent.source);
        on_taken(receiver, probe, sent);
        complete(step.receiver.task, step.destination, probe, sent);
        return;
      }
      default:
        receiver.withdraw(receiver.find(step.receiver));
        on_withdrawn(receiver);
        return;
    }
  }

  /// What the receiver's task knows of its own process.
  std::uint32_t known_to(const MatchingStep& step) {
    return timestamp(step.receiver.task,
                     step.destination)[static_cast<std::size_t>(step.destination)];
  }

  void note_sent(const MatchingStep& step) {
    Timestamp& own = timestamp(step.send.task, step.source);
    if (counts_sends()) {
      own[static_cast<std::size_t>(step.source)] = ++process(step.source).events;
    }
    const auto sender = static_cast<std::size_t>(step.source);
    if (sender >= compressed_.size()) compressed_.resize(sender + 1);
    timestamp_bytes_ += compressed_[sender].send(own, static_cast<std::size_t>(step.destination));
    sent_[step.send.packed()] = {step.source, step.context, step.tag, own};
  }

  // What a request's completion tells: receives (and probes that take it) have a message that was
  // sent, sends do not.
  void on_completion(const Event& event) override {
    const auto found = sent_.find(event.matched.packed());
    if (found == sent_.end()) return on_acknowledgement(event);
    if (!found->second.is_taken) return;
    const std::int32_t rank = rank_of(event.id.task);
    if (rank < 0) return;
    ReceivedMessages& own = process(rank);
    if (!own.is_open(found->second.receiver, event.matched)) return;
    complete(event.id.task, rank, found->second.receiver, found->second);
    sent_.erase(found);
  }

  // A synchronous send ends by its receive: then that has begun.
  void on_acknowledgement(const Event& event) {
    const std::int32_t sender = rank_of(event.id.task);
    const std::int32_t receiver = rank_of(event.matched.task);
    if (!hears_acknowledgements() || sender < 0 || receiver < 0 || sender == receiver) return;
    const auto known = process(receiver).known_before(event.matched);
    if (!known) return;
    Timestamp& own = timestamp(event.id.task, receiver);
    std::uint32_t& component = own[static_cast<std::size_t>(receiver)];
    const std::uint32_t before = std::exchange(component, std::max(component, *known));
    timestamp_bytes_ += CompressedTimestamps::acknowledgement_bytes(component - before);
  }

  void complete(TaskId task, std::int32_t rank, std::size_t receive, const Sent& sent) {
    ReceivedMessages& receiver = process(rank);
    Timestamp& own = timestamp(task, rank);
    on_complete(receiver, receive, sent, own);
    const std::uint32_t now = ++receiver.events;
    receiver.complete(receive, now);
    join(own, sent.timestamp);
    own[static_cast<std::size_t>(rank)] = now;
  }

  void add_records(MessageRecords& records) const override {
    for (const ReceivedMessages& process : processes_) process.add_traced(records.traced);
    std::ranges::sort(records.traced, [](const TracedMessage& a, const TracedMessage& b) {
      return a.receiver != b.receiver ? a.receiver < b.receiver : a.event < b.event;
    });
  }

  std::vector<ReceivedMessages> processes_;       // by rank
  std::vector<Timestamp> timestamps_;             // by task
  std::unordered_map<std::uint64_t, Sent> sent_;  // that nobody has received yet
  std::vector<CompressedTimestamps> compressed_;  // by sending rank
  std::uint64_t timestamp_bytes_ = 0;             // on all messages
};

/// As printed.
class PrintedRacingRecorder final : public RacingRecorder {
 private:
  [[nodiscard]] bool counts_sends() const override { return true; }
  [[nodiscard]] bool hears_acknowledgements() const override { return false; }
  void on_taken(ReceivedMessages&, std::size_t, const Sent&) override {}
  void on_complete(ReceivedMessages& process, std::size_t receive, const Sent& sent,
                   const Timestamp& known) override {
    const std::size_t rank = static_cast<std::size_t>(process.rank());
    const std::uint32_t of_message = rank < sent.timestamp.size() ? sent.timestamp[rank] : 0;
    if (known[rank] > of_message || process.overtakes_wildcard(receive)) process.trace(receive);
  }
};

/// The tight form.  Whether a receive is traced depends on earlier ones, so it is decided in the
/// order in which they began, once all before it have their messages.
class TightRacingRecorder final : public RacingRecorder {
 private:
  [[nodiscard]] bool counts_sends() const override { return false; }
  [[nodiscard]] bool hears_acknowledgements() const override { return true; }
  void on_taken(ReceivedMessages& process, std::size_t receive, const Sent& sent) override {
    const std::size_t rank = static_cast<std::size_t>(process.rank());
    process.know(receive, rank < sent.timestamp.size() ? sent.timestamp[rank] : 0, sent.context,
                 sent.tag);
    process.decide();
  }
  void on_complete(ReceivedMessages&, std::size_t, const Sent&, const Timestamp&) override {}
  void on_withdrawn(ReceivedMessages& process) override { process.decide(); }
};

}  // namespace

std::unique_ptr<Recorder> make_racing_recorder() {
  return std::make_unique<PrintedRacingRecorder>();
}

std::unique_ptr<Recorder> make_tight_racing_recorder() {
  return std::make_unique<TightRacingRecorder>();
}

}  // namespace orrery::detail
