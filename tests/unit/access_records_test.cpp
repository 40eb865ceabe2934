#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/access_records.hpp>

namespace {

using orrery::AccessRecords;
using orrery::decode_access_records;
using orrery::encode_access_records;
using orrery::TaskId;

std::uint32_t small(std::mt19937_64& random, std::uint64_t below) {
  return static_cast<std::uint32_t>(random() % below);
}

AccessRecords::Task random_task(std::mt19937_64& random, std::uint32_t number,
                                std::uint32_t variables, bool is_of_memory) {
  AccessRecords::Task task;
  task.task = TaskId{number};
  task.operations = 320;
  task.kinds_hash = static_cast<std::uint32_t>(random());
  for (std::uint32_t i = 0; i < variables; ++i) {
    if (random() % 3 != 0) task.first_uses.push_back(i);
    if (is_of_memory && random() % 2 != 0) task.first_uses.push_back(variables);
    if (random() % 5 == 0) task.given_up.push_back(small(random, variables + 1));
  }
  for (std::uint64_t i = random() % 50; i < 320; i += 1 + random() % 90) task.timeouts.push_back(i);
  for (std::uint64_t i = random() % 50; i < 320; i += 1 + random() % 40) {
    task.wide.push_back({i, 2 + random() % 5});
  }
  for (std::uint64_t i = random() % 30; i > 0; --i) {
    task.values.push_back({random() % 40, random() % 3 == 0 ? random() : random() % 5});
    task.bounds.push_back({random() % 6, random() % 300});
  }
  return task;
}

AccessRecords random_records(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  AccessRecords records;
  records.reads = static_cast<AccessRecords::Reads>(seed % 4);
  records.is_of_memory = seed % 7 == 0;
  if (seed % 14 == 0) records.switched_off = {{0x10, 0x15, 0x4000 + seed}, {}};
  if (seed % 21 == 0) records.switched_off.orders = {seed + 1, 0x7fff'ffff};
  records.predictor_slots = random() % 1000;
  records.variables = small(random, 30);
  std::uint32_t groups = records.variables;
  if (records.variables > 0 && seed % 2 == 0) {
    groups = 0;
    for (std::uint32_t i = 0; i < records.variables; ++i) {
      records.groups.push_back(random() % 2 == 0 || groups == 0 ? groups++ : small(random, groups));
    }
  }
  if (seed % 5 == 0) {
    for (std::uint64_t i = 0; i < records.variables; ++i)
      records.addresses.push_back(i * 24 + 4096);
  }
  if (seed % 3 == 0) {
    records.named = {0x2000'0000'0000, 1U << 30U};
    records.addresses.resize(records.addresses.size() / 2);
  }
  for (std::uint64_t i = 0; i < seed % 6; ++i) {
    records.tasks.push_back(random_task(random, static_cast<std::uint32_t>(i * 3),
                                        records.variables, records.is_of_memory));
  }
  for (std::uint32_t i = 0; records.is_of_memory && i < records.variables; i += 3) {
    const auto below = static_cast<std::int64_t>(small(random, 90)) - 30;
    records.stack_words.push_back({i, TaskId{small(random, 4)}, below});
  }
  std::uint64_t writes_max = 0;
  for (std::uint32_t i = 0; i < groups; ++i) {
    std::vector<AccessRecords::Turns>& order = records.orders.emplace_back();
    // Neighbours have the same.
    if (i > 0 && random() % 2 == 0) {
      order = records.orders[small(random, i)];
      continue;
    }
    for (std::uint64_t j = random() % 40; j > 0; --j) {
      order.push_back({TaskId{small(random, 5)}, 1 + random() % 9});
    }
    if (records.is_of_memory && !order.empty()) order.back().count = 0;
    std::uint64_t writes = 0;
    for (const AccessRecords::Turns& turns : order) writes += turns.count;
    writes_max = std::max(writes_max, writes);
  }
  for (AccessRecords::Task& task : records.tasks) {
    for (AccessRecords::Bound& bound : task.bounds) bound.ahead %= 2 * writes_max + 1;
  }
  return records;
}

}  // namespace

TEST_CASE("accesses of shared variables come back from a log as they were") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const AccessRecords records = random_records(seed);
    REQUIRE(decode_access_records(encode_access_records(records), "test") == records);
  }
}

TEST_CASE("a task that has a variable to itself costs next to nothing") {
  AccessRecords records;
  records.variables = 1000;
  AccessRecords::Task& task = records.tasks.emplace_back();
  task.task = TaskId{1};
  task.operations = 1'000'000;
  for (std::uint32_t i = 0; i < records.variables; ++i) {
    task.first_uses.push_back(i);
    records.orders.push_back({{TaskId{1}, 1000}});
  }
  CHECK(encode_access_records(records).size() < 500);
}

TEST_CASE("bytes that are no accesses are refused, with where they are") {
  const auto whole = encode_access_records(random_records(5));
  for (std::size_t length = 0; length + 8 < whole.size(); length += 7) {
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_AS(decode_access_records(cut, "test"), orrery::UsageError);
  }
  // Others may still say something, but never run for ever or ask for more than there is.
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    auto flipped = whole;
    flipped[random() % flipped.size()] ^= static_cast<std::byte>(1U << random() % 8);
    try {
      const AccessRecords records = decode_access_records(flipped, "test");
      CHECK(records.tasks.size() < 1000);
      for (const std::uint32_t group : records.groups) CHECK(group < records.orders.size());
    } catch (const orrery::UsageError& error) {
      CHECK(error.where().find("test") != std::string::npos);
      CHECK(error.problem().find("at byte") != std::string::npos);
    }
  }
}

TEST_CASE("a version counter that has begun anew is noticed") {
  AccessRecords records;
  records.reads = AccessRecords::Reads::by_bound;
  records.variables = 1;
  records.orders.push_back({{TaskId{0}, 3}});
  AccessRecords::Task& task = records.tasks.emplace_back();
  task.bounds.push_back({0, 6});
  CHECK(decode_access_records(encode_access_records(records), "test") == records);
  task.bounds.push_back({0, 0xffff'fffe});
  CHECK_THROWS_WITH(decode_access_records(encode_access_records(records), "test"),
                    Catch::Contains("a bound beyond all writes"));
}

TEST_CASE("a wide access that its process did not live to count is none, in a log of memory") {
  AccessRecords records;
  records.is_of_memory = true;
  AccessRecords::Task& task = records.tasks.emplace_back();
  task.operations = 8;
  task.wide = {{3, 2}};
  const AccessRecords whole = records;
  task.wide.push_back({8, 4});
  CHECK(decode_access_records(encode_access_records(records), "test") == whole);
  task.wide.back().operation = 9;
  CHECK_THROWS_WITH(decode_access_records(encode_access_records(records), "test"),
                    Catch::Contains("a wide access that cannot be"));
  task.wide.back().operation = 8;
  records.is_of_memory = false;
  CHECK_THROWS_WITH(decode_access_records(encode_access_records(records), "test"),
                    Catch::Contains("a wide access that cannot be"));
}

TEST_CASE("a log that names a group of no variable is refused") {
  AccessRecords records = random_records(2);
  REQUIRE(!records.groups.empty());
  records.orders.push_back({{TaskId{0}, 1}});
  CHECK_THROWS_WITH(decode_access_records(encode_access_records(records), "test"),
                    Catch::Contains("another number of orders than of groups"));
}
