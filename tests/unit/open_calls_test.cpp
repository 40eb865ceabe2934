#include <cstdint>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/open_calls.hpp>

namespace {

using orrery::OpenCalls;
using orrery::TaskId;

OpenCalls random_calls(std::uint32_t task, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  OpenCalls calls;
  calls.task = TaskId{task};
  for (std::uint64_t i = random() % 40; i > 0; --i) {
    calls.sources.push_back(static_cast<std::int32_t>(random() % 9) - 1);
  }
  for (std::uint64_t i = random() % 20; i > 0; --i) calls.failed_polls.push_back(random() % 1000);
  calls.last_failed_polls = random() % 3;
  for (std::uint64_t i = random() % 10; i > 0; --i) {
    OpenCalls::Selection selection;
    selection.among = static_cast<std::uint32_t>(2 + random() % 6);
    for (std::uint32_t place = 0; place < selection.among; ++place) {
      if (random() % 2 == 0) selection.reported.push_back(place);
    }
    calls.selections.push_back(selection);
  }
  for (std::uint64_t i = random() % 5; i > 0; --i) calls.cancellations.push_back(random() % 2 == 0);
  return calls;
}

}  // namespace

TEST_CASE("open calls come back from a log as they were") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<OpenCalls> tasks;
    for (std::uint32_t task = 1; task <= static_cast<std::uint32_t>(seed % 7); ++task) {
      tasks.push_back(
          random_calls(task * static_cast<std::uint32_t>(seed % 3 + 1), seed * 16 + task));
    }
    REQUIRE(orrery::decode_open_calls(orrery::encode_open_calls(tasks)) == tasks);
  }
}

TEST_CASE("a source costs what it surprises") {
  OpenCalls always_one;
  always_one.sources.assign(8000, 1);
  CHECK(orrery::encode_open_calls({always_one}).size() < 8000 / 8 / 10);

  OpenCalls one_of_eight;
  std::mt19937_64 random(5);
  for (int i = 0; i < 8000; ++i) {
    one_of_eight.sources.push_back(1 + static_cast<std::int32_t>(random() % 8));
  }
  CHECK(orrery::encode_open_calls({one_of_eight}).size() < 8000 / 2);

  OpenCalls in_turns;
  for (int i = 0; i < 8000; ++i) in_turns.sources.push_back(1 + i % 7);
  CHECK(orrery::encode_open_calls({in_turns}).size() < 8000 / 8 / 5);
}

TEST_CASE("what came later goes on where the first part ended") {
  OpenCalls first;
  first.sources = {1};
  first.last_failed_polls = 2;
  OpenCalls later;
  later.sources = {3};
  later.failed_polls = {5, 1};
  later.last_failed_polls = 4;
  first.append(later);
  CHECK(first.sources == std::vector<std::int32_t>{1, 3});
  CHECK(first.failed_polls == std::vector<std::uint64_t>{7, 1});
  CHECK(first.last_failed_polls == 4);
  OpenCalls last;
  last.last_failed_polls = 1;
  first.append(last);
  CHECK(first.last_failed_polls == 5);
}

TEST_CASE("bytes that are no open calls are refused") {
  const std::vector<OpenCalls> tasks{random_calls(1, 3), random_calls(2, 4)};
  const std::vector<std::byte> good = orrery::encode_open_calls(tasks);
  std::uint64_t refused = 0;
  for (std::size_t size = 0; size + 1 < good.size(); ++size) {
    try {
      static_cast<void>(orrery::decode_open_calls(std::span(good).first(size)));
    } catch (const orrery::UsageError&) {
      ++refused;
    }
  }
  CHECK(refused + 8 > good.size());
}
