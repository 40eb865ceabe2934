// One rank goes on by itself from any of its operations, with the messages of the whole run.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/checkpointer.hpp>
#include <orrery/sim_runtime/orrery.hpp>
#include <orrery/sim_runtime/outside.hpp>

namespace {

using orrery::CarriedMessage;
using orrery::Communicator;
using orrery::Event;
using orrery::OperationId;
using orrery::OperationKind;
using orrery::OutsideMessage;

constexpr std::int32_t ranks = 3;

/// What a rank has done, as events have it: who did what with whom, and which bytes.
std::string text(const Event& event, bool is_send_completion) {
  // Who received a message is not known where its receiver is not.
  const OperationId matched = is_send_completion ? OperationId{} : event.matched;
  return std::to_string(event.id.task.value) + "." + std::to_string(event.id.number) + " " +
         std::string(orrery::name(event.kind)) + " " + std::to_string(matched.task.value) + "." +
         std::to_string(matched.number) + " " + std::to_string(event.payload_hash);
}

/// Hears of all messages and of what ranks do; where it is asked to, one rank goes on alone.
class Watcher final : public orrery::Checkpointer, public orrery::Observer, public orrery::Outside {
 public:
  /// The whole run.
  Watcher() = default;
  /// From the rank's operation of this number on it goes on alone, with what `whole` has heard.
  Watcher(const Watcher& whole, std::int32_t rank, std::uint32_t number)
      : whole_(&whole), rank_(rank), number_(number) {}

  void before_operation(const orrery::ComingOperation& coming) override {
    operations_[static_cast<std::size_t>(coming.rank)] = coming.id.number;
    if (whole_ == nullptr || coming.rank != rank_ || coming.id.number != number_) return;
    is_alone_ = true;
    for (const OutsideMessage& message : whole_->sent_) {
      const bool is_sent =
          std::ranges::find(sent_, message.send, &OutsideMessage::send) != sent_.end();
      if (message.destination == rank_ && message.source != rank_ && !is_sent) {
        to_come_.push_back(message);
      }
    }
    events_.clear();
    orrery::Observer* const self = this;
    orrery::go_on_alone(rank_, *this, chooser_, {&self, 1});
  }
  void rank_ended(std::int32_t rank, OperationId) override {
    if (is_alone_ && rank == rank_) has_ended_ = true;
  }
  void checkpoint_asked(std::int32_t) override {}
  void goes_beyond_messages(std::int32_t, const std::string&) override {}
  void sent(const CarriedMessage& message) override { sent_.push_back(copy_of(message)); }
  void reached(const CarriedMessage&, OperationId) override {}

  [[nodiscard]] orrery::EventMask interest() const override {
    return orrery::EventMask::all_events();
  }
  void on_event(const Event& event) override {
    if (event.kind == OperationKind::deliver || event.kind == OperationKind::transfer) return;
    const bool is_send_completion =
        event.kind == OperationKind::wait && event.size_bytes == 0 && event.peer < 0;
    events_.push_back({event.id, text(event, is_send_completion)});
  }

  std::vector<OutsideMessage> wait_for_messages() override { return std::exchange(to_come_, {}); }
  std::optional<orrery::TaskId> next_task() override { return std::nullopt; }
  void is_over(const orrery::Outcome&) override {}

  /// Of the rank's task, from that operation on.
  [[nodiscard]] std::vector<std::string> events_from(orrery::TaskId task,
                                                     std::uint32_t number) const {
    std::vector<std::string> all;
    for (const auto& [id, what] : events_) {
      if (id.task == task && id.number >= number) all.push_back(what);
    }
    return all;
  }
  [[nodiscard]] std::vector<OperationId> sent_from(orrery::TaskId task,
                                                   std::uint32_t number) const {
    std::vector<OperationId> all;
    for (const OutsideMessage& message : sent_) {
      if (message.send.task == task && message.send.number >= number) all.push_back(message.send);
    }
    return all;
  }
  [[nodiscard]] std::uint32_t operations_of(std::int32_t rank) const {
    return operations_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool has_ended() const { return has_ended_; }

 private:
  const Watcher* whole_ = nullptr;
  std::int32_t rank_ = -1;
  std::uint32_t number_ = 0;
  bool is_alone_ = false;
  bool has_ended_ = false;
  orrery::UndisturbedChooser chooser_;
  std::array<std::uint32_t, ranks> operations_{};
  std::vector<OutsideMessage> sent_;
  std::vector<OutsideMessage> to_come_;
  std::vector<std::pair<OperationId, std::string>> events_;
};

/// Everybody sends to everybody, small and large, blocking and not, in a ring and to himself.
void exchange(Communicator& all, int rounds) {
  const std::int32_t next = (all.rank() + 1) % ranks;
  const std::int32_t previous = (all.rank() + ranks - 1) % ranks;
  std::uint64_t sum = static_cast<std::uint64_t>(all.rank());
  for (int round = 0; round < rounds; ++round) {
    const std::vector<std::uint64_t> values(round % 2 == 0 ? 3 : 20'000, sum);
    orrery::Request coming = all.start_receive(previous, round);
    orrery::Request own = all.start_receive(all.rank(), 1000);
    all.start_send(all.rank(), 1000, sum).wait();
    orrery::Request going =
        all.start_send(next, round, values,
                       round % 3 == 0 ? orrery::SendMode::synchronous : orrery::SendMode::standard);
    going.wait();
    coming.wait();
    own.wait();
    sum = sum * 31 + static_cast<std::uint64_t>(round);
    if (all.rank() == 0) {
      all.send(1, 500, values);
      sum += all.receive<std::vector<std::uint64_t>>(2, orrery::any_tag).value.front();
    } else if (all.rank() == 1) {
      sum += all.receive<std::vector<std::uint64_t>>(0, 500).value.front();
      all.send(2, 501, values, orrery::SendMode::synchronous);
    } else {
      sum += all.receive<std::vector<std::uint64_t>>(1, 501).value.front();
      all.send(0, 502, values);
    }
  }
}

orrery::Outcome run(orrery::Simulation& simulation, Watcher& watcher) {
  orrery::UndisturbedChooser chooser;
  orrery::Observer* const observer = &watcher;
  simulation.set_checkpointer(&watcher);
  return simulation.run(
      [](orrery::World& world) { world.ranks(ranks, [](Communicator& all) { exchange(all, 5); }); },
      chooser, {&observer, 1});
}

}  // namespace

TEST_CASE("A rank goes on alone from each of its operations as it did among the others") {
  orrery::Simulation first({});
  Watcher whole;
  REQUIRE(run(first, whole).status == orrery::Outcome::Status::clean);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const orrery::TaskId task{static_cast<std::uint32_t>(rank + 1)};
    REQUIRE(whole.operations_of(rank) > 50);
    for (std::uint32_t number = 2; number <= whole.operations_of(rank); ++number) {
      CAPTURE(rank, number);
      orrery::Simulation again({});
      Watcher alone(whole, rank, number);
      const orrery::Outcome outcome = run(again, alone);
      CHECK(alone.has_ended());
      CHECK(alone.events_from(task, number) == whole.events_from(task, number));
      CHECK(alone.sent_from(task, number) == whole.sent_from(task, number));
      // The others wait for ever.
      CHECK(outcome.status == orrery::Outcome::Status::finding);
    }
  }
}
