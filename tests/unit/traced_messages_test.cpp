// The block of traced messages: whatever there is comes back, in few bits, and no input is
// believed.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/real_log.hpp>

namespace {

using orrery::TaskId;
using orrery::TracedMessage;
using Traced = std::vector<TracedMessage>;

Traced there_and_back(const Traced& traced) {
  return orrery::decode_traced_messages(orrery::encode_traced_messages(traced), "test");
}

double bits_each(const Traced& traced) {
  return 8.0 * static_cast<double>(orrery::encode_traced_messages(traced).size()) /
         static_cast<double>(traced.size());
}

/// A task deals out work to a few others, and takes what they send in any order.
Traced farm_of(std::uint32_t workers, int messages) {
  std::mt19937_64 random(7);
  std::vector<std::uint32_t> sent(workers, 3);
  Traced traced;
  std::uint64_t event = 0;
  for (int i = 0; i < messages; ++i) {
    const auto worker = static_cast<std::uint32_t>(random() % workers);
    event += 1 + static_cast<std::uint64_t>(i % 2);
    sent[worker] += 2;
    traced.push_back({TaskId{1}, event, {TaskId{worker + 2}, sent[worker]}});
  }
  return traced;
}

}  // namespace

TEST_CASE("traced messages come back from a log as they were") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    // Of all sizes, so that each length of a number is met.
    const auto any = [&] { return random() >> random() % 64; };
    Traced traced;
    for (std::uint64_t i = random() % 100; i > 0; --i) {
      const auto receiver = static_cast<std::uint32_t>(random() % 4);
      const auto sender = static_cast<std::uint32_t>(random() % (1U + seed % 40));
      traced.push_back(
          {TaskId{receiver}, any(), {TaskId{sender}, static_cast<std::uint32_t>(any())}});
    }
    if (seed % 2 == 0) {
      std::ranges::sort(traced, [](const TracedMessage& a, const TracedMessage& b) {
        return a.receiver != b.receiver ? a.receiver < b.receiver : a.event < b.event;
      });
    }
    REQUIRE(there_and_back(traced) == traced);
  }
}

TEST_CASE("the highest and the lowest numbers of traced messages come back") {
  constexpr std::uint64_t event_max = ~std::uint64_t{0};
  constexpr std::uint32_t number_max = ~std::uint32_t{0};
  constexpr std::uint32_t task_max = 1U << 24U;
  const Traced traced{{TaskId{0}, 0, {}},
                      {TaskId{0}, event_max, {TaskId{task_max}, number_max}},
                      {TaskId{0}, event_max, {TaskId{task_max}, 0}},
                      {TaskId{0}, 0, {TaskId{0}, number_max}},
                      {TaskId{task_max}, event_max, {TaskId{task_max}, number_max}},
                      {TaskId{1}, event_max / 2, {TaskId{1}, number_max / 2}}};
  CHECK(there_and_back(traced) == traced);
  CHECK(there_and_back({}).empty());
  CHECK_THROWS_AS(there_and_back({{TaskId{task_max + 1}, 0, {}}}), orrery::UsageError);
  CHECK_THROWS_AS(there_and_back({{TaskId{1}, 0, {TaskId{task_max + 1}, 0}}}), orrery::UsageError);
}

TEST_CASE("receives that were cancelled in a real run come back, in a few bytes each") {
  Traced withdrawn;
  for (std::uint32_t rank = 1; rank <= 4; ++rank) {
    for (const std::uint64_t number : {2, 4, 9}) {
      withdrawn.push_back({TaskId{rank}, orrery::counts_started | number, {}});
    }
  }
  CHECK(there_and_back(withdrawn) == withdrawn);
  CHECK(orrery::encode_traced_messages(withdrawn).size() <= 24);
}

TEST_CASE("a traced message costs what it surprises") {
  CHECK(bits_each(farm_of(1, 2000)) < 0.2);
  // Two bits and three are what a random sender among so many takes; the rest is foretold.
  CHECK(bits_each(farm_of(4, 2000)) < 2.5);
  CHECK(bits_each(farm_of(8, 2000)) < 4);
  CHECK(orrery::encode_traced_messages(farm_of(3, 8)).size() <= 16);

  Traced in_turns;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    in_turns.push_back({TaskId{1}, i, {TaskId{2 + i % 3}, 5 + i / 3 * 4}});
  }
  CHECK(bits_each(in_turns) < 0.5);
}

TEST_CASE("traced messages of a program that does the same again and again cost nearly nothing") {
  std::mt19937_64 random(3);
  std::vector<TracedMessage> round;
  for (std::uint32_t i = 0; i < 40; ++i) {
    round.push_back({TaskId{1}, 0, {TaskId{2 + static_cast<std::uint32_t>(random() % 6)}, 0}});
  }
  Traced traced;
  std::vector<std::uint32_t> sent(8);
  for (std::uint64_t event = 0; event < 20000; ++event) {
    traced.push_back(round[event % round.size()]);
    traced.back().event = event + event / 7;
    std::uint32_t& number = sent[traced.back().send.task.value];
    number += 1 + static_cast<std::uint32_t>(event % 8);
    traced.back().send.number = number;
  }
  CHECK(there_and_back(traced) == traced);
  CHECK(bits_each(traced) < 0.2);
  // What is different once is told, and all goes on.
  for (std::size_t i = 10000; i < traced.size(); ++i) traced[i].event += 5;
  CHECK(there_and_back(traced) == traced);
  CHECK(bits_each(traced) < 0.2);
}

TEST_CASE("bytes that are no traced messages are decoded or refused") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> bytes(random() % 60);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    try {
      const Traced traced = orrery::decode_traced_messages(bytes, "test");
      REQUIRE(there_and_back(traced) == traced);
    } catch (const orrery::UsageError&) {
    }
  }
  const std::vector<std::byte> good = orrery::encode_traced_messages(farm_of(3, 400));
  std::size_t refused = 0;
  for (std::size_t size = 0; size < good.size(); ++size) {
    try {
      static_cast<void>(orrery::decode_traced_messages(std::span(good).first(size), "test"));
    } catch (const orrery::UsageError&) {
      ++refused;
    }
  }
  CHECK(refused + 8 > good.size());
  for (std::size_t place = 0; place < good.size(); ++place) {
    std::vector<std::byte> damaged = good;
    damaged[place] ^= static_cast<std::byte>(1U << random() % 8);
    try {
      static_cast<void>(orrery::decode_traced_messages(damaged, "test"));
    } catch (const orrery::UsageError&) {
    }
  }
}
