// Logs with a byte changed: never a crash, and never taken for good.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/saved_run.hpp>

namespace orrery {
namespace {

using Bytes = std::vector<std::byte>;

struct Draws {
  std::uint64_t state;
  std::uint64_t operator()() {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 24U;
  }
};

Bytes some_log() {
  Draws draw{1};
  SavedRun run;
  run.program.name = "fuzzed";
  run.program.environment = {{"HOME", "/root"}, {"LANG", "C"}};
  run.findings = {
      {FindingKind::assertion, "x == 1", {{"a.cpp", 7, "", "worker", "failed here", {}}}}};
  for (std::uint32_t i = 0; i < 300; ++i) {
    run.schedule.entries.push_back(ScheduleEntry::step(
        {TaskId{static_cast<std::uint32_t>(draw() % 4)}, i}, OperationKind::read,
        {TaskId{0}, static_cast<std::uint32_t>(draw() % 3)}));
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / ("orrery-flip-" + std::to_string(::getpid())))
          .string();
  save_run(path, run);
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

bool is_refused(const Bytes& bytes, LogExtent extent = LogExtent::whole) {
  try {
    static_cast<void>(load_run(read_log(bytes, "bug.orr", extent)));
    return false;
  } catch (const UsageError& error) {
    return error.where().find("byte ") != std::string::npos;
  }
}

}  // namespace

TEST_CASE("every changed byte of a log is noticed, with its offset") {
  const Bytes good = some_log();
  REQUIRE_FALSE(is_refused(good));
  Draws draw{2};
  for (std::size_t flip = 0; flip < 20'000; ++flip) {
    Bytes bad = good;
    const std::size_t at = flip < good.size() ? flip : draw() % good.size();
    const auto change = static_cast<std::uint8_t>(1 + draw() % 255);
    bad[at] ^= std::byte{change};
    INFO("byte " << at << " changed by " << unsigned{change});
    REQUIRE(is_refused(bad));
    try {
      static_cast<void>(read_log(bad, "bug.orr", LogExtent::valid_prefix));
    } catch (const UsageError&) {  // as good, as long as it is no crash
    }
  }
}

TEST_CASE("a log that is cut anywhere is refused, with its offset") {
  const Bytes good = some_log();
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO("cut at " << size);
    REQUIRE(is_refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}));
  }
}

TEST_CASE("records that were never written by us are refused or read, but never crash") {
  Draws draw{3};
  Schedule schedule;
  for (std::uint32_t i = 0; i < 200; ++i) {
    schedule.entries.push_back(
        ScheduleEntry::step({TaskId{i % 3}, i / 3 + 1}, OperationKind::send, {TaskId{0}, i % 4}));
  }
  const Bytes good = encode_schedule(schedule);
  std::size_t refused = 0;
  for (std::size_t round = 0; round < 20'000; ++round) {
    Bytes bad = good;
    for (std::size_t flips = 1 + draw() % 4; flips > 0; --flips) {
      bad[draw() % bad.size()] = static_cast<std::byte>(draw());
    }
    if (draw() % 4 == 0) bad.resize(draw() % bad.size());
    try {
      static_cast<void>(decode_schedule(bad));
    } catch (const UsageError& error) {
      ++refused;
      REQUIRE(error.where().find("byte ") != std::string::npos);
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("tapes come back as they were, and damaged ones are refused or read, but never crash") {
  Draws draw{4};
  std::vector<HistoryTape> tapes(5);
  for (std::uint32_t task = 0; task < tapes.size(); ++task) {
    HistoryTape& tape = tapes[task];
    if (task > 0) tape.starter = TaskId{static_cast<std::uint32_t>(draw() % task)};
    tape.steps = static_cast<std::uint32_t>(draw() % 1000);
    tape.has_ended = draw() % 2 == 0;
    std::uint32_t objects = 0;
    for (int i = 0; i < 200; ++i) {
      const auto object = static_cast<std::uint32_t>(draw() % (objects + 1));
      if (object == objects) ++objects;
      TapeEntry entry{OperationKind::mutex_lock, draw() % 2 == 0, object,
                      static_cast<std::uint32_t>(draw() >> draw() % 40)};
      const auto count = static_cast<std::uint32_t>(draw() % 5);
      if (entry.writes) {
        entry.readers = count;
      } else {
        entry.repeats = count;
      }
      tape.entries.push_back(entry);
    }
    tape.woken.push_back(task);
  }
  const Bytes good = encode_tapes(tapes);
  REQUIRE((decode_tapes(good) == tapes));
  std::size_t refused = 0;
  for (std::size_t round = 0; round < 300; ++round) {
    Bytes bad = good;
    for (std::size_t flips = 1 + draw() % 4; flips > 0; --flips) {
      bad[draw() % bad.size()] = static_cast<std::byte>(draw());
    }
    if (draw() % 4 == 0) bad.resize(draw() % bad.size());
    try {
      static_cast<void>(decode_tapes(bad));
    } catch (const UsageError& error) {
      ++refused;
      REQUIRE(error.problem().find("at byte ") != std::string::npos);
    }
  }
  CHECK(refused > 100);
}

}  // namespace orrery
