// A run takes no more memory the longer it goes on; nor, then, do images of it.
#if !defined(__SANITIZE_ADDRESS__)  // whose heap does not say how much of it is in use
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <malloc.h>

#include <orrery/network_model/networks.hpp>
#include <orrery/sim_runtime/orrery.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// Each message is late by another span.
class LateMessages final : public Chooser {
 public:
  Decision choose(const ChoicePoint& point) override {
    return Decision::take(point.default_index());
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return question.low + ++draws_ % (question.high - question.low + 1);
  }

 private:
  std::uint64_t draws_ = 0;
};

std::size_t in_use() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

/// What is in use after each of ten thousand rounds of messages in a ring, some of them large.
std::vector<std::size_t> bytes_in_use(const std::string& network) {
  SimulationOptions options;
  options.network = network_factory(network, 4, "test");
  options.eager_threshold_bytes = 1'000;
  options.step_limit = 10'000'000;
  constexpr int rounds = 10'000;
  std::vector<std::size_t> bytes;
  bytes.reserve(rounds);
  LateMessages chooser;
  Simulation simulation(std::move(options));
  const Outcome outcome = simulation.run(
      [&bytes](World& world) {
        bytes.clear();
        world.ranks(4, [&bytes](Communicator& comm) {
          const int next = (comm.rank() + 1) % 4;
          for (int round = 0; round < rounds; ++round) {
            const std::vector<char> sent(round % 10 == 0 ? 5'000 : 100);
            Request receive = comm.start_receive(any_source, round % 3);
            comm.send(next, round % 3, sent);
            receive.wait();
            static_cast<void>(receive.take_payload());
            if (comm.rank() == 0) bytes.push_back(in_use());
          }
        });
      },
      chooser);
  REQUIRE(outcome.is_clean());
  return bytes;
}

}  // namespace

TEST_CASE("A run ten times as long takes no more memory") {
  for (const char* network : {"constant", "constant:jitter=9us", "ethernet-1g", "myrinet-pcixd"}) {
    const std::vector<std::size_t> bytes = bytes_in_use(network);
    INFO(network << ": " << bytes[1'000] << " bytes after 1,000 rounds, " << bytes.back()
                 << " at the end");
    CHECK(bytes.back() < bytes[1'000] + 10'000);
  }
}
#endif
