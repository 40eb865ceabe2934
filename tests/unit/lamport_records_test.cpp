#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/lamport_records.hpp>

namespace {

using orrery::decode_lamport_records;
using orrery::LamportRecords;
using orrery::TaskId;

LamportRecords random_records(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  LamportRecords records;
  records.has_objects = seed % 2 == 0;
  for (std::uint64_t i = 0; i < seed % 6; ++i) {
    LamportRecords::Task task;
    task.task = TaskId{static_cast<std::uint32_t>(i * 3)};
    task.kinds_hash = static_cast<std::uint32_t>(random());
    for (std::uint64_t operation = random() % 4; operation < 300; operation += 1 + random() % 9) {
      const auto ahead = static_cast<std::int64_t>(random() % 50);
      task.marks.push_back({operation, records.has_objects ? ahead - 20 : ahead + 1});
      if (random() % 10 == 0) task.timeouts.push_back(operation);
    }
    task.operations = 320;
    records.tasks.push_back(task);
  }
  return records;
}

}  // namespace

TEST_CASE("time stamps come back from a log as they were") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const LamportRecords records = random_records(seed);
    REQUIRE(decode_lamport_records(encode_lamport_records(records), "test") == records);
  }
}

TEST_CASE("operations without a mark cost next to nothing") {
  LamportRecords records;
  records.tasks.push_back(
      {.task = TaskId{1}, .operations = 1'000'000, .marks = {}, .timeouts = {}});
  CHECK(encode_lamport_records(records).size() < 20);
}

TEST_CASE("bytes that are no time stamps are refused, whatever they are") {
  const auto whole = encode_lamport_records(random_records(5));
  for (std::size_t length = 0; length + 8 < whole.size(); length += 7) {
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_AS(decode_lamport_records(cut, "test"), orrery::UsageError);
  }
  // Others may still say something, but never run for ever or ask for more than there is.
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    auto flipped = whole;
    flipped[random() % flipped.size()] ^= static_cast<std::byte>(1U << random() % 8);
    try {
      const LamportRecords records = decode_lamport_records(flipped, "test");
      CHECK(records.tasks.size() < 1000);
    } catch (const orrery::UsageError& error) {
      CHECK(error.where().find("test") != std::string::npos);
    }
  }
}
