// What threads leave of their accesses to memory, where their process has died in the midst of
// some.
#include "../../replay_core/src/real_runs/recorded_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <unistd.h>

#include <orrery/replay_core/memory_spool.hpp>
#include <orrery/replay_core/recorded_job.hpp>

namespace {

using orrery::AccessRecords;
using orrery::RecordedJob;
using orrery::TaskId;
using orrery::memory_spool::Header;
using orrery::memory_spool::Method;
using orrery::memory_spool::Record;

/// Of one process, in a directory of its own.
class ThreadFiles {
 public:
  explicit ThreadFiles(Method method) : method_(method) {
    std::string path =
        (std::filesystem::temp_directory_path() / "orrery-recorded-memory-XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
    directory_ = path;
  }
  ThreadFiles(const ThreadFiles&) = delete;
  ThreadFiles& operator=(const ThreadFiles&) = delete;
  ~ThreadFiles() { std::filesystem::remove_all(directory_); }

  /// Of the next thread; records with small numbers only.
  void add(Header header, const std::vector<std::vector<unsigned>>& records) {
    std::vector<char> bytes(orrery::rank_spool::header_bytes);
    for (const std::vector<unsigned>& record : records) {
      for (const unsigned number : record) bytes.push_back(static_cast<char>(number));
    }
    header.method = method_;
    header.common.magic_number = orrery::rank_spool::magic;
    header.common.rank = threads_;
    header.common.record_bytes = bytes.size() - orrery::rank_spool::header_bytes;
    std::memcpy(bytes.data(), &header, sizeof header);
    const auto name = orrery::memory_spool::memory_file_prefix + std::to_string(threads_++);
    std::ofstream(directory_ / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] AccessRecords read() const {
    RecordedJob job = read_job();
    REQUIRE(job.accesses);
    return *job.accesses;
  }
  [[nodiscard]] RecordedJob read_job() const {
    RecordedJob job;
    job.threads.resize(threads_);
    for (std::uint32_t i = 0; i < threads_; ++i) job.threads[i].number = i;
    orrery::detail::read_recorded_memory(directory_.string(), job);
    return job;
  }

 private:
  Method method_;
  std::filesystem::path directory_;
  std::uint32_t threads_ = 0;
};

std::vector<unsigned> record(Record kind, unsigned number, const std::vector<unsigned>& more = {}) {
  std::vector<unsigned> numbers{number << orrery::rank_spool::kind_bits |
                                static_cast<unsigned>(kind)};
  numbers.insert(numbers.end(), more.begin(), more.end());
  return numbers;
}

Header counted(std::uint64_t reads, std::uint64_t others) {
  Header header{};
  header.reads = reads;
  header.others = others;
  return header;
}

/// Who had the turns of the first order, and how many.
std::vector<std::pair<std::uint32_t, std::uint64_t>> first_order(const AccessRecords& records) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> order;
  REQUIRE(!records.orders.empty());
  for (const auto& turns : records.orders[0]) order.emplace_back(turns.task.value, turns.count);
  return order;
}

/// By `global-writes`: a thread's first write is under way, which comes behind so many, of which
/// that thread did the last one.
Header first_write_behind(std::uint64_t writes, std::uint32_t writer) {
  Header header = counted(0, 1);
  header.whole = 0 + 1;
  header.writes_before = writes + 1;
  header.writer_before = writer;
  return header;
}

}  // namespace

TEST_CASE("an access to several words that was told of and not counted is none") {
  ThreadFiles files(Method::stride);
  files.add(counted(3, 1), {record(Record::wide, 1, {2}), record(Record::wide, 2, {4})});
  const AccessRecords::Task task = files.read().tasks.at(0);
  CHECK(task.operations == 4);
  CHECK(task.wide == std::vector<AccessRecords::Wide>{{1, 2}});
}

TEST_CASE("a thread that has come to a word that was written too often has a log that is cut") {
  ThreadFiles files(Method::stride);
  Header header = counted(3, 1);
  files.add(header, {});
  CHECK(files.read_job().gaps().empty());
  header.common.cut = orrery::memory_spool::too_many_writes;
  files.add(header, {});
  const std::vector<std::string> gaps = files.read_job().gaps();
  REQUIRE(gaps.size() == 1);
  CHECK(gaps[0].starts_with("a word of memory (by global-writes: all memory) was written more"));
  CHECK(gaps[0].ends_with("what came after that is missing"));
}

TEST_CASE("an access that was counted, and under way when its process died, is none") {
  ThreadFiles files(Method::stride);
  Header header = counted(3, 1);
  header.whole = 3 + 1;
  files.add(header, {record(Record::wide, 1, {2}), record(Record::wide, 1, {4})});
  header.whole = 4 + 1;  // it is about to count one
  files.add(header, {});
  const AccessRecords records = files.read();
  CHECK(records.tasks.at(0).operations == 3);
  CHECK(records.tasks.at(0).wide == std::vector<AccessRecords::Wide>{{1, 2}});
  CHECK(records.tasks.at(1).operations == 4);
}

TEST_CASE("a write under way that others have counted theirs behind has its turn") {
  ThreadFiles files(Method::global_writes);
  Header first = counted(0, 5);
  first.fresh = 1;
  files.add(first, {record(Record::batch, 1)});
  files.add(first_write_behind(5, 0), {record(Record::use, 1)});
  // The third one has taken over from the second, which has not said that it had taken over.
  files.add(counted(0, 2), {record(Record::use, 1), record(Record::turn, 0, {6, 1})});
  const AccessRecords records = files.read();
  CHECK(records.tasks.at(1).operations == 1);
  CHECK(first_order(records) ==
        std::vector<std::pair<std::uint32_t, std::uint64_t>>{{1, 5}, {2, 1}, {3, 0}});
}

TEST_CASE("several writes under way, one behind the other, have their turns but for the last") {
  ThreadFiles files(Method::global_writes);
  Header first = counted(0, 5);
  first.fresh = 1;
  files.add(first, {record(Record::batch, 1)});
  files.add(first_write_behind(5, 0), {record(Record::use, 1)});
  files.add(first_write_behind(6, 1), {record(Record::use, 1)});
  const AccessRecords records = files.read();
  CHECK(records.tasks.at(1).operations == 1);
  CHECK(records.tasks.at(2).operations == 0);
  CHECK(first_order(records) ==
        std::vector<std::pair<std::uint32_t, std::uint64_t>>{{1, 5}, {2, 0}});
}
