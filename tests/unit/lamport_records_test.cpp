#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
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

/// Of a run by real threads: stamps that follow from their objects' and others, and polls.
LamportRecords random_real_records(std::uint64_t seed) {
  LamportRecords records = random_records(seed);
  std::mt19937_64 random(seed);
  records.is_of_library = true;
  records.has_atomics = seed % 3 == 0;
  for (LamportRecords::Task& task : records.tasks) {
    task.onces = {3, 40};
    for (std::uint64_t operation = 1; operation < 300 && seed % 4 > 1; operation += 40) {
      task.polls.push_back({operation, 1 + random() % 1'000'000});
    }
    std::erase_if(task.marks, [](const LamportRecords::Mark& mark) { return mark.ahead <= 0; });
    if (!records.has_objects) continue;
    for (const LamportRecords::Mark& mark : task.marks) {
      const bool is_implied = random() % 3 > 0;
      const std::int64_t ahead =
          is_implied ? mark.ahead : mark.ahead - 1 - static_cast<std::int64_t>(random() % 30);
      const TaskId last{static_cast<std::uint32_t>(random() % 9)};
      if (random() % 4 > 0) task.found.push_back({mark.operation, ahead, last});
    }
    task.found.push_back({310, -7, TaskId{2}});
  }
  return records;
}

/// By versions, and without stamps.
LamportRecords random_versions(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  LamportRecords records = random_real_records(seed | 1U);
  records.has_versions = true;
  std::vector<std::uint64_t> versions(12);
  for (LamportRecords::Task& task : records.tasks) {
    task.marks.clear();
    versions.assign(12, random() % 1000);
    for (std::uint64_t operation = 0; operation < 320; operation += random() % 3) {
      const auto object = static_cast<std::uint32_t>(random() % 12);
      const bool writes = random() % 4 > 0;
      versions[object] += random() % 5;
      task.accesses.push_back({operation, object, versions[object], writes});
      if (writes) ++versions[object];
    }
  }
  return records;
}

void check_cuts(const std::vector<std::byte>& whole, bool is_of_library) {
  for (std::size_t length = 0; length + 8 < whole.size(); length += 7) {
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_AS(decode_lamport_records(cut, "test", is_of_library), orrery::UsageError);
  }
  // Others may still say something, but never run for ever or ask for more than there is.
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    auto flipped = whole;
    flipped[random() % flipped.size()] ^= static_cast<std::byte>(1U << random() % 8);
    try {
      const LamportRecords records = decode_lamport_records(flipped, "test", is_of_library);
      CHECK(records.tasks.size() < 1000);
    } catch (const orrery::UsageError& error) {
      CHECK(error.where().find("test") != std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("time stamps come back from a log as they were") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const LamportRecords records = random_records(seed);
    REQUIRE(decode_lamport_records(encode_lamport_records(records), "test") == records);
    const LamportRecords real = random_real_records(seed);
    REQUIRE(decode_lamport_records(encode_lamport_records(real), "test", true) == real);
    const LamportRecords versions = random_versions(seed);
    REQUIRE(decode_lamport_records(encode_lamport_records(versions), "test", true) == versions);
  }
}

TEST_CASE("an older log of objects of real threads is replayed by its stamps") {
  // What polls and waits came behind was not known: one task, with a mark and two of `found`.
  constexpr unsigned char older[] = {0x6d, 0xa7, 0xbd, 0x06, 0x07, 0xb2,
                                     0x56, 0x49, 0x72, 0x52, 0x70};
  const LamportRecords records =
      decode_lamport_records(std::as_bytes(std::span(older)), "test", true);
  CHECK_FALSE(records.has_objects);
  CHECK_FALSE(records.has_versions);
  REQUIRE(records.tasks.size() == 1);
  CHECK(records.tasks[0].operations == 9);
  CHECK(records.tasks[0].found.empty());
  CHECK(records.tasks[0].marks == std::vector<LamportRecords::Mark>{{3, 5}});
}

TEST_CASE("a million polls are one record") {
  LamportRecords records;
  records.is_of_library = true;
  records.tasks.push_back({.task = TaskId{1}, .operations = 10, .marks = {}, .timeouts = {}});
  records.tasks[0].polls = {{4, 1'000'000}};
  CHECK(encode_lamport_records(records).size() < 25);
  CHECK(records.repeat_count() == 1'000'000);
}

TEST_CASE("operations without a mark cost next to nothing") {
  LamportRecords records;
  records.tasks.push_back(
      {.task = TaskId{1}, .operations = 1'000'000, .marks = {}, .timeouts = {}});
  CHECK(encode_lamport_records(records).size() < 20);
}

TEST_CASE("bytes that are no time stamps are refused, whatever they are") {
  check_cuts(encode_lamport_records(random_records(5)), false);
  check_cuts(encode_lamport_records(random_real_records(10)), true);
  check_cuts(encode_lamport_records(random_real_records(11)), true);
  check_cuts(encode_lamport_records(random_versions(9)), true);
}
