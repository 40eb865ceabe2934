// What whoever divides runs into intervals is asked, and told of messages.
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/checkpointer.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery {
namespace {

/// Writes down what it is told.
class Notes final : public Checkpointer {
 public:
  void before_operation(const ComingOperation& coming) override {
    coming_[coming.rank].push_back(coming.id);
    kinds_[coming.rank] += std::string(name(coming.kind)) + " ";
  }
  void rank_ended(std::int32_t rank, OperationId last) override { last_[rank] = last; }
  void checkpoint_asked(std::int32_t rank) override { asked_.push_back(rank); }
  void goes_beyond_messages(std::int32_t, const std::string&) override {}
  void sent(const CarriedMessage& message) override { sent_ += text(message); }
  void reached(const CarriedMessage& message, OperationId receiver) override {
    reached_ += text(message) + "by " + std::to_string(receiver.number) + " ";
  }

  std::map<std::int32_t, std::vector<OperationId>> coming_;
  std::map<std::int32_t, std::string> kinds_;
  std::map<std::int32_t, OperationId> last_;
  std::vector<std::int32_t> asked_;
  std::string sent_;
  std::string reached_;

 private:
  static std::string text(const CarriedMessage& message) {
    std::string all = std::to_string(message.source) + ">" + std::to_string(message.destination) +
                      " " + std::to_string(message.tag) + " ";
    for (const std::byte byte : message.content) all += static_cast<char>(byte);
    return all + " ";
  }
};

/// Watches everything, as a recorder does.
class Watcher final : public Observer {
 public:
  [[nodiscard]] EventMask interest() const override {
    return EventMask::all_events() | EventMask::matching() | EventMask::outcomes();
  }
  void on_event(const Event& event) override { last_[event.id.task.value] = event.id; }
  std::map<std::uint32_t, OperationId> last_;
};

void watch(const Program& program, Notes& notes, Watcher& watcher) {
  Simulation simulation({});
  simulation.set_checkpointer(&notes);
  UndisturbedChooser chooser;
  Observer* const observers[] = {&watcher};
  const Outcome outcome = simulation.run(program, chooser, observers);
  CHECK(outcome.findings.empty());
}

}  // namespace

TEST_CASE("each operation of a rank's first task is told of once, in order, before it is done") {
  Notes notes;
  Watcher watcher;
  watch(
      [](World& world) {
        world.ranks(2, [&](Communicator& comm) {
          if (comm.rank() == 0) {
            Thread helper =
                world.thread("helper", [] { this_task::sleep_for(std::chrono::milliseconds(1)); });
            comm.send(1, 3, 'a');
            comm.send(1, 4, 'b');
            helper.join();
          } else {
            Request request = comm.start_receive(any_source, 3);
            static_cast<void>(comm.probe(0, 4));
            static_cast<void>(comm.receive<char>(any_source, 4));
            request.wait();
          }
        });
      },
      notes, watcher);
  CHECK(notes.kinds_[0] == "spawn send send join ");
  CHECK(notes.kinds_[1] == "post_receive probe receive wait ");
  REQUIRE(notes.coming_.size() == 2);
  for (const auto& [rank, coming] : notes.coming_) {
    for (std::size_t i = 0; i < coming.size(); ++i) CHECK(coming[i].number == i + 2);
    CHECK(notes.last_[rank].task == coming.front().task);
    CHECK(notes.last_[rank].number == coming.back().number + 1);
    CHECK(notes.last_[rank] == watcher.last_[coming.front().task.value]);
  }
  CHECK(notes.sent_ == "0>1 3 a 0>1 4 b ");
  CHECK(notes.reached_ == "0>1 3 a by 2 0>1 4 b by 3 0>1 4 b by 4 ");
  CHECK(notes.asked_.empty());
}

}  // namespace orrery
