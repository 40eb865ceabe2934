// Files that are not what a log should be, and a disk that is full.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/log.hpp>
#include <orrery/replay_core/saved_run.hpp>

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

/// A directory of its own for one test.
class Directory {
 public:
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "orrery-log-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Directory() { fs::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

Bytes bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// CRC-32C a bit at a time: an implementation of its own, against which the format is checked.
std::uint32_t checksum(const Bytes& bytes, std::uint32_t before = 0) {
  std::uint32_t remainder = ~before;
  for (const std::byte byte : bytes) {
    remainder ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder & 1U) != 0 ? remainder >> 1U ^ 0x82f63b78U : remainder >> 1U;
    }
  }
  return ~remainder;
}

void append_u32(Bytes& bytes, std::uint64_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(value >> 8 * i));
}

/// A log's header alone, with a checksum that fits.
Bytes header_of_version(std::uint8_t version) {
  Bytes bytes;
  for (const int byte : {0x8f, 0x4f, 0x52, 0x52, 0x0d, 0x0a, 0x1a, 0x0a, int{version}, 0, 0, 0}) {
    bytes.push_back(static_cast<std::byte>(byte));
  }
  append_u32(bytes, checksum(bytes));
  return bytes;
}

/// A header and one block whose checksum fits.
Bytes forged(std::uint8_t kind, std::uint8_t flags, std::uint32_t content_bytes,
             const Bytes& stored) {
  Bytes bytes = header_of_version(log_version);
  Bytes block = {std::byte{kind}, std::byte{flags}};
  append_u32(block, stored.size());
  append_u32(block, content_bytes);
  const std::uint32_t sum = checksum(stored, checksum(block, checksum(bytes)));
  append_u32(block, sum);
  bytes.insert(bytes.end(), block.begin(), block.end());
  bytes.insert(bytes.end(), stored.begin(), stored.end());
  return bytes;
}

SavedRun sample(std::size_t steps = 40) {
  SavedRun run;
  run.program.name = "sample";
  run.program.arguments = {"-n", "4"};
  run.settings.seed = 7;
  run.findings = {
      {FindingKind::deadlock, "nobody can go on", {{"a.c", 3, "", "rank 1", "waits", {}}}}};
  run.findings[0].class_name = "truncation";
  run.findings[0].exit_code = -7;
  for (std::uint32_t i = 0; i < steps; ++i) {
    run.schedule.entries.push_back(ScheduleEntry::step(
        {TaskId{i % 3}, i / 3 + 1}, OperationKind::mutex_lock, {TaskId{0}, i % 5 + 1}));
  }
  return run;
}

Bytes sample_bytes() {
  const Directory directory;
  save_run(directory.file("a.orr"), sample());
  return bytes_of(directory.file("a.orr"));
}

/// The error that reading gives, or nothing.
std::string error_of(const Bytes& bytes, LogExtent extent = LogExtent::whole) {
  try {
    static_cast<void>(load_run(read_log(bytes, "bug.orr", extent)));
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

/// Offsets at which blocks begin, and the end of the file.
std::vector<std::size_t> boundaries(const Bytes& bytes) {
  std::vector<std::size_t> result;
  std::size_t offset = 16;
  while (offset < bytes.size()) {
    result.push_back(offset);
    std::size_t stored = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      stored |= std::to_integer<std::size_t>(bytes[offset + 2 + i]) << 8 * i;
    }
    offset += 14 + stored;
  }
  result.push_back(offset);
  return result;
}

}  // namespace

TEST_CASE("a log gives back what was written") {
  const Directory directory;
  const SavedRun run = sample(5000);
  save_run(directory.file("a.orr"), run);
  const SavedRun again = load_run(directory.file("a.orr"));
  CHECK(again.program == run.program);
  CHECK(again.settings == run.settings);
  CHECK(again.schedule == run.schedule);
  REQUIRE(again.findings.size() == 1);
  CHECK(again.findings[0].message == run.findings[0].message);
  CHECK(again.findings[0].where == run.findings[0].where);
  CHECK(again.findings[0].class_name == "truncation");
  CHECK(again.findings[0].exit_code == -7);
  CHECK_FALSE(fs::exists(directory.file("a.orr.part")));
}

TEST_CASE("logs of the same run by different programs differ in the block program alone") {
  const Directory directory;
  SavedRun run = sample();
  save_run(directory.file("a.orr"), run);
  run.program.path = "/elsewhere";
  run.program.host = "another";
  run.findings[0].where[0].function = "as another compiler names it";
  save_run(directory.file("b.orr"), run);
  const Log a = read_log(directory.file("a.orr"));
  const Log b = read_log(directory.file("b.orr"));
  REQUIRE(a.blocks.size() == b.blocks.size());
  for (std::size_t i = 0; i < a.blocks.size(); ++i)
    CHECK(a.blocks[i].content == b.blocks[i].content);
}

TEST_CASE("files that are no logs are refused with the reason") {
  const Directory directory;
  CHECK_THROWS_WITH(read_log(directory.file("none.orr")),
                    Catch::Contains("none.orr") && Catch::Contains("No such file"));
  CHECK_THROWS_WITH(read_log(directory.file(".")), Catch::Contains("this is a directory"));
  const Bytes good = sample_bytes();
  const std::string text = "%PDF-1.4 something else entirely";
  const auto foreign = std::as_bytes(std::span(text));
  CHECK_THAT(error_of({}), Catch::Contains("bug.orr, byte 0") && Catch::Contains("empty"));
  CHECK_THAT(error_of({foreign.begin(), foreign.end()}), Catch::Contains("not an Orrery log"));
  CHECK_THAT(error_of({good.begin(), good.begin() + 5}), Catch::Contains("within its header"));
  CHECK(error_of(good).empty());
}

TEST_CASE("a log of another version is refused, and told from a damaged one") {
  CHECK_THAT(error_of(header_of_version(log_version + 1)),
             Catch::Contains("of version 6") && Catch::Contains("reads version 5") &&
                 Catch::Contains("use a newer Orrery"));
  CHECK_THAT(error_of(header_of_version(log_version - 1)),
             Catch::Contains("of version 4") && Catch::Contains("record it again"));
  Bytes damaged = header_of_version(log_version);
  damaged[8] = std::byte{log_version + 1};
  CHECK_THAT(error_of(damaged), Catch::Contains("checksum"));
}

TEST_CASE("blocks that are well formed and senseless are refused with the offset") {
  const Bytes five(5, std::byte{0});
  const struct {
    const char* what;
    Bytes bytes;
    const char* error;
  } table[] = {
      {"unknown flags", forged(1, 0x40, 5, five), "unknown flags"},
      {"an unknown kind", forged(99, 0, 5, five), "kind 99"},
      {"not the program first", forged(2, 0, 5, five), "does not begin with its program"},
      {"sizes that differ", forged(1, 0, 6, five), "sizes"},
      {"too large a content", forged(1, 2, 0xffffffffU, five), "too large"},
      {"no zstd frame", forged(1, 2, 5, five), "cannot be unpacked"},
      {"a program that ends too early", forged(1, 0, 5, five), "ends too early"},
  };
  for (const auto& row : table) {
    INFO(row.what);
    for (const LogExtent extent : {LogExtent::whole, LogExtent::valid_prefix}) {
      CHECK_THAT(error_of(row.bytes, extent),
                 Catch::Contains(row.error) && Catch::Contains("byte 16"));
    }
  }
}

TEST_CASE("a log that is cut at or beside any block's boundary is refused with the offset") {
  const Bytes good = sample_bytes();
  for (const std::size_t boundary : boundaries(good)) {
    for (const int beside : {-1, 0, 1}) {
      const auto size = static_cast<std::size_t>(static_cast<int>(boundary) + beside);
      if (size >= good.size()) continue;
      INFO("cut at " << size);
      const std::string error = error_of({good.begin(), good.begin() + static_cast<int>(size)});
      CHECK_THAT(error, Catch::Contains("bug.orr, byte " + std::to_string(size)));
    }
  }
}

TEST_CASE("nothing may follow the end of a log, and no block may be missing or doubled") {
  const Bytes good = sample_bytes();
  Bytes longer = good;
  longer.push_back(std::byte{0});
  CHECK_THAT(error_of(longer), Catch::Contains("follows the end"));
  const auto starts = boundaries(good);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const auto first = good.begin() + static_cast<std::ptrdiff_t>(starts[i]);
    const auto last = good.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]);
    Bytes without(good.begin(), first);
    without.insert(without.end(), last, good.end());
    CHECK_FALSE(error_of(without).empty());
    Bytes twice(good.begin(), last);
    twice.insert(twice.end(), first, good.end());
    CHECK_FALSE(error_of(twice).empty());
  }
}

TEST_CASE("what a crash leaves behind is refused whole, and read as far as it is good") {
  const Directory directory;
  {
    LogWriter log(directory.file("a.orr"), sample().program);
    log.append(BlockKind::run, encode_settings(sample().settings));
    for (const RecordedBlock& block : schedule_blocks(sample().schedule)) {
      log.append(block.kind, block.content);
    }
  }  // without an end
  CHECK_FALSE(fs::exists(directory.file("a.orr")));
  Bytes part = bytes_of(directory.file("a.orr.part"));
  CHECK_THAT(error_of(part), Catch::Contains("--partial"));
  const SavedRun run = load_run(read_log(part, "a.orr.part", LogExtent::valid_prefix));
  CHECK_FALSE(run.is_whole);
  CHECK(run.schedule == sample().schedule);
  CHECK_THAT(run.why_cut, Catch::Contains("a.orr.part, byte"));

  part.resize(part.size() - 3);
  CHECK_THAT(error_of(part, LogExtent::valid_prefix), Catch::Contains("'choices'"));
  CHECK_THAT(error_of({part.begin(), part.begin() + 20}, LogExtent::valid_prefix),
             Catch::Contains("byte 20"));
}

TEST_CASE("an unknown block is refused unless it is optional") {
  const Directory directory;
  const Bytes content(10, std::byte{5});
  for (const BlockNeed need : {BlockNeed::required, BlockNeed::optional}) {
    LogWriter log(directory.file("a.orr"), {});
    log.append(static_cast<BlockKind>(77), content, need);
    log.finish();
    if (need == BlockNeed::optional) {
      CHECK(read_log(directory.file("a.orr")).blocks.empty());
    } else {
      CHECK_THROWS_WITH(read_log(directory.file("a.orr")),
                        Catch::Contains("kind 77") && Catch::Contains("byte 39"));
    }
  }
}

TEST_CASE("a log without what a replay needs is refused") {
  const Directory directory;
  LogWriter log(directory.file("a.orr"), {});
  log.append(BlockKind::choices, encode_schedule({}));
  log.finish();
  CHECK_THROWS_WITH(load_run(directory.file("a.orr")), Catch::Contains("no block 'run'"));
}

TEST_CASE("a disk that is full while a log is written leaves the old file whole") {
  const Directory directory;
  const std::string path = directory.file("a.orr");
  save_run(path, sample());
  const Bytes before = bytes_of(path);
  fs::create_symlink("/dev/full", path + ".part");
  CHECK_THROWS_WITH(save_run(path, sample(9)),
                    Catch::Contains("a.orr.part") && Catch::Contains("No space left"));
  CHECK(bytes_of(path) == before);
  CHECK_FALSE(fs::exists(fs::symlink_status(path + ".part")));
}

TEST_CASE("a log does not take the name of what is no file") {
  const Directory directory;
  const std::string path = directory.file("a.orr");
  fs::create_symlink("/dev/full", path);
  CHECK_THROWS_WITH(save_run(path, sample()), Catch::Contains("no plain file"));
  CHECK(fs::is_symlink(path));
  CHECK_FALSE(fs::exists(path + ".part"));
}

TEST_CASE("a directory that is missing is named when a log is to be written") {
  CHECK_THROWS_WITH(save_run("/nowhere/at/all/a.orr", sample()),
                    Catch::Contains("/nowhere/at/all/a.orr.part"));
}

}  // namespace orrery
