// The first bytes of a log, which every version of Orrery has to understand.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <orrery/replay_core/log.hpp>
#include <orrery/replay_core/schedule.hpp>

namespace orrery {
namespace {

template <typename Range>
std::string hex(const Range& bytes) {
  std::string text;
  for (const auto byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  }
  return text;
}

}  // namespace

TEST_CASE("a log of a program without anything has these bytes") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("orrery-golden-" + std::to_string(::getpid())))
          .string();
  LogWriter log(path, {});
  log.finish();
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  CHECK(hex(text) ==
        // magic, version 5, zeros, checksum
        "8f4f52520d0a1a0a"
        "0500"
        "0000"
        "dc3edf79"
        // program: kind, flags, two sizes, checksum, nine fields that are zero or empty
        "01"
        "00"
        "09000000"
        "09000000"
        "fbab8de6"
        "000000000000000000"
        // end: one block came before it
        "ff"
        "00"
        "04000000"
        "04000000"
        "4486c037"
        "01000000");
}

TEST_CASE("the records of a short run have these bytes") {
  const auto step = [](std::uint32_t task, std::uint32_t number, OperationKind kind,
                       ObjectId object) {
    return ScheduleEntry::step({TaskId{task}, number}, kind, object);
  };
  const ObjectId mutex{TaskId{0}, 1};
  Schedule schedule;
  for (const std::uint32_t task : {1U, 2U}) {
    schedule.entries.push_back(step(task, 1, OperationKind::mutex_lock, mutex));
    schedule.entries.push_back(step(task, 2, OperationKind::mutex_unlock, mutex));
  }
  schedule.entries.push_back(ScheduleEntry::draw(ChoiceKind::value, {TaskId{2}, 2}, 300));
  CHECK(hex(encode_schedule(schedule)) == "1b414ba26092b306");
}

}  // namespace orrery
