// What ranks of a real job leave, put together again.
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/real_log.hpp>
#include <orrery/replay_core/recorded_job.hpp>

namespace {

using orrery::decode_rank_records;
using orrery::FindingKind;
using orrery::OpenCalls;
using orrery::RankReadings;
using orrery::RecordedJob;
using orrery::RecordedRank;
using orrery::rank_spool::Cut;
using orrery::rank_spool::End;
using orrery::rank_spool::Record;

/// Records with small numbers only.
class Records {
 public:
  Records& add(Record kind, unsigned number, const std::vector<unsigned>& more = {}) {
    put(number << orrery::rank_spool::kind_bits | static_cast<unsigned>(kind));
    for (const unsigned value : more) put(value);
    return *this;
  }
  [[nodiscard]] OpenCalls read(std::uint64_t failed_polls = 0, bool is_in_receive = false) const {
    return decode_rank_records(bytes_, failed_polls, is_in_receive, "rank-0");
  }
  [[nodiscard]] OpenCalls read_with(RankReadings& readings) const {
    return decode_rank_records(bytes_, 0, false, "rank-0", &readings);
  }
  [[nodiscard]] OpenCalls read_with(std::vector<std::uint64_t>& withdrawn) const {
    return decode_rank_records(bytes_, 0, false, "rank-0", nullptr, &withdrawn);
  }

 private:
  void put(unsigned value) { bytes_.push_back(static_cast<std::byte>(value)); }
  std::vector<std::byte> bytes_;
};

RecordedRank ended(std::uint32_t rank, End end, std::int32_t value, std::uint64_t time_ns) {
  RecordedRank made;
  made.rank = rank;
  made.is_there = true;
  made.end = end;
  made.end_value = value;
  made.end_time_ns = time_ns;
  return made;
}

std::string found(std::vector<RecordedRank> ranks, int command_status = 1) {
  RecordedJob job;
  job.ranks = std::move(ranks);
  const auto findings = job.findings(command_status);
  return findings.empty() ? "" : findings.front().message;
}

}  // namespace

TEST_CASE("receives stand where they began, whenever they ended") {
  Records records;
  records.add(Record::begun, 0).add(Record::source, 4).add(Record::begun, 0);
  records.add(Record::resolved, 2, {6}).add(Record::source, 2);
  CHECK(records.read().sources == std::vector<std::int32_t>{5, 3, -1, 1});
  CHECK(records.read(0, true).sources == std::vector<std::int32_t>{5, 3, -1, 1, -1});
}

TEST_CASE("polls, selections and cancellations come back") {
  Records records;
  records.add(Record::poll_succeeded, 3).add(Record::selection, 5, {2, 1, 2});
  records.add(Record::poll_succeeded, 0).add(Record::cancelled, 0).add(Record::cancelled, 0);
  records.add(Record::cancel_resolved, 1, {1});
  const OpenCalls calls = records.read(7);
  CHECK(calls.failed_polls == std::vector<std::uint64_t>{3, 0});
  CHECK(calls.last_failed_polls == 7);
  CHECK(calls.selections == std::vector<OpenCalls::Selection>{{5, {1, 4}}});
  CHECK(calls.cancellations == std::vector<bool>{true, false});
}

TEST_CASE("receives by name that were cancelled in time are named") {
  Records records;
  records.add(Record::cancelled, 5).add(Record::cancelled, 0).add(Record::cancelled, 3);
  records.add(Record::cancelled, 2).add(Record::cancel_resolved, 3, {1});
  records.add(Record::cancel_resolved, 2, {1}).add(Record::cancel_resolved, 1, {1});
  std::vector<std::uint64_t> withdrawn;
  CHECK(records.read_with(withdrawn).cancellations.size() == 4);
  CHECK(withdrawn == std::vector<std::uint64_t>{2, 4});
}

TEST_CASE("dates and draws stand among the other records") {
  Records records;
  records.add(Record::reading, 1, {10, 4}).add(Record::poll_succeeded, 3);
  records.add(Record::reading, 0, {99}).add(Record::reading, 1, {3, 1});
  RankReadings readings;
  CHECK(records.read_with(readings).failed_polls == std::vector<std::uint64_t>{3});
  CHECK(readings.clocks[1] == std::vector<RankReadings::Steps>{{5, 4}, {-2, 1}});
  CHECK(readings.draws == std::vector<std::uint64_t>{99});
}

TEST_CASE("records that nobody writes are refused") {
  CHECK_THROWS_AS(Records().add(Record::reading, 7, {1, 1}).read(), orrery::UsageError);
  CHECK_THROWS_AS(Records().add(Record::resolved, 0, {1}).read(), orrery::UsageError);
  CHECK_THROWS_AS(Records().add(Record::cancel_resolved, 0, {1}).read(), orrery::UsageError);
  CHECK_THROWS_AS(Records().add(Record::selection, 2, {1, 2}).read(), orrery::UsageError);
  CHECK_THROWS_AS(Records().add(Record::reading, 0).read(), orrery::UsageError);
  CHECK_THROWS_AS(Records().add(Record::selection, 2, {2, 0}).read(), orrery::UsageError);
}

TEST_CASE("the finding of a job is the rank that failed first by itself") {
  CHECK(found({ended(0, End::finalized, 0, 1), ended(1, End::finalized, 0, 2)}).empty());
  CHECK(found({ended(0, End::signalled, 15, 1), ended(1, End::exited, 4, 2)}) ==
        "rank 1 exits with status 4");
  CHECK(found({ended(0, End::aborted, 7, 3), ended(1, End::signalled, 11, 2)}) ==
        "rank 1 died of SIGSEGV (Segmentation fault) on the real machine");
  CHECK(found({ended(0, End::exited, 0, 3)}) == "rank 0 exits without MPI_Finalize");
  CHECK(found({ended(0, End::signalled, 15, 1), ended(1, End::unknown, 0, 0)}) ==
        "rank 1 was ended without a word, as by SIGKILL");
  CHECK(found({ended(0, End::unknown, 0, 0)}, /*command_status=*/0).empty());
  RecordedRank late = ended(0, End::finalized, 0, 1);
  late.exit_status = 3;
  CHECK(found({late}) == "rank 0 exits with status 3");
}

TEST_CASE("what is missing of a job is said rank by rank") {
  RecordedJob job;
  job.ranks = {ended(0, End::finalized, 0, 1), ended(1, End::finalized, 0, 2), RecordedRank{}};
  job.ranks[1].cut = Cut::threads;
  job.ranks[2].rank = 2;
  const auto gaps = job.gaps();
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].starts_with("rank 1: a second thread has called MPI"));
  CHECK(gaps[1].starts_with("rank 2: it has left nothing"));
  CHECK(job.is_refused());
  const orrery::RealRun run{gaps, {"a remark"}};
  CHECK(orrery::decode_real_run(orrery::encode_real_run(run)) == run);
}
