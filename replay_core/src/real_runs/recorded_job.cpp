#include "recorded_job.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/thread_spool.hpp>
#include <orrery/sim_runtime/signal_text.hpp>

#include "log/byte_cursor.hpp"
#include "log/whole_file.hpp"
#include "recorded_death.hpp"
#include "recorded_inputs.hpp"
#include "recorded_memory.hpp"
#include "recorded_threads.hpp"
#include "spool_files.hpp"
#include "spool_header.hpp"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using rank_spool::Cut;
using rank_spool::End;
using rank_spool::Record;

/// Puts the records of a rank together again: sources and cancellations stand where they began.
class RecordReader {
 public:
  RecordReader(std::span<const std::byte> bytes, std::string_view where, RankReadings& readings)
      : in_(bytes, where), readings_(readings) {}

  OpenCalls read() {
    while (!in_.at_end()) read_record();
    return std::move(calls_);
  }
  /// After `read`: the receives that were cancelled in time.
  [[nodiscard]] std::vector<std::uint64_t> withdrawn(const OpenCalls& calls) const {
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < cancelled_.size(); ++i) {
      if (calls.cancellations[i] && cancelled_[i] != 0) numbers.push_back(cancelled_[i] - 1);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

 private:
  void read_record() {
    const std::uint64_t first = in_.varint();
    const std::uint64_t number = first >> rank_spool::kind_bits;
    switch (static_cast<Record>(first & ((1U << rank_spool::kind_bits) - 1))) {
      case Record::source: calls_.sources.push_back(source_of(number)); return;
      case Record::begun: calls_.sources.push_back(OpenCalls::nobody); return;
      case Record::resolved: at(calls_.sources, number) = source_of(in_.varint()); return;
      case Record::poll_succeeded: calls_.failed_polls.push_back(number); return;
      case Record::selection: read_selection(number); return;
      case Record::cancelled:
        calls_.cancellations.push_back(false);
        cancelled_.push_back(number);
        return;
      case Record::cancel_resolved: at(calls_.cancellations, number) = in_.varint() != 0; return;
      case Record::reading: read_reading(number); return;
    }
    in_.fail("a record of an unknown kind");
  }

  void read_reading(std::uint64_t clock) {
    if (clock >= clock_kinds) in_.fail("a clock that there is not");
    if (clock == 0) {
      readings_.draws.push_back(in_.varint());
      return;
    }
    const std::int64_t step_ns = in_.zigzag();
    readings_.clocks[static_cast<std::size_t>(clock)].push_back({step_ns, in_.varint()});
  }

  void read_selection(std::uint64_t among) {
    OpenCalls::Selection selection;
    selection.among = static_cast<std::uint32_t>(among);
    std::uint64_t next = 0;
    for (std::uint64_t left = in_.varint(); left > 0; --left) {
      next += in_.varint();
      if (next >= among) in_.fail("a request that was not there is reported");
      selection.reported.push_back(static_cast<std::uint32_t>(next++));
    }
    calls_.selections.push_back(std::move(selection));
  }

  std::int32_t source_of(std::uint64_t number) {
    constexpr std::uint64_t ranks_max = std::uint64_t{1} << 24U;
    if (number > ranks_max) in_.fail("a rank that cannot be");
    return static_cast<std::int32_t>(number) - 1;
  }

  template <typename Elements>
  typename Elements::reference at(Elements& elements, std::uint64_t later) {
    if (later >= elements.size()) in_.fail("what has ended never began");
    return elements[static_cast<std::size_t>(elements.size() - 1 - later)];
  }

  detail::ByteReader in_;
  RankReadings& readings_;
  OpenCalls calls_;
  std::vector<std::uint64_t> cancelled_;  // which receive, + 1; for each cancellation
};

void read_program(const std::string& path, RecordedJob& job) {
  const std::vector<std::byte> bytes = detail::read_whole_file(path);
  std::vector<std::string> words(1);
  for (const std::byte byte : bytes) {
    if (byte == std::byte{0})
      words.emplace_back();
    else
      words.back().push_back(static_cast<char>(byte));
  }
  words.pop_back();  // each is ended by a zero
  if (words.size() < 3) return;
  job.program_path = words[0];
  job.build_id = words[1];
  job.directory = words[2];
  job.arguments.assign(words.begin() + 3, words.end());
}

RecordedRank read_rank(const std::string& path, const std::string& program_path,
                       std::uint32_t& ranks) {
  const std::vector<std::byte> bytes = detail::read_whole_file(path);
  rank_spool::Header header{};
  // A rank that was killed while it made its file.
  if (bytes.size() < rank_spool::header_bytes) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic_number != rank_spool::magic) return {};
  const auto records = detail::records_of(header, bytes, path);
  ranks = std::max(ranks, header.ranks);
  RecordedRank found = detail::rank_of(header);
  found.calls = decode_rank_records(records, header.failed_polls, header.is_in_receive != 0, path,
                                    &found.readings, &found.withdrawn);
  detail::add_last_dates(header, found.readings);
  found.readings.task.value = header.rank + 1;
  if (found.end == End::signalled) found.death = detail::read_last_words(path, program_path);
  // Tasks of a simulated job: the first one makes the ranks, in their order.
  found.calls.task.value = header.rank + 1;
  return found;
}

std::string words_of(const RecordedRank& rank) {
  if (!rank.is_there) return "it has left nothing: was it started, and here?";
  switch (rank.cut) {
    case Cut::disk:
      return fmt::format("its file could not grow ({}); what it did after that is missing",
                         std::generic_category().message(rank.system_error));
    case Cut::threads:
      return "a second thread has called MPI, and which of two threads takes a message is not "
             "recorded; what it did after that is missing";
    case Cut::spawn:
      return "it has made processes or connected to others, which a simulated job cannot; what it "
             "did after that is missing";
    case Cut::win_test:
      return "it has called MPI_Win_test, whose outcome is not recorded; what it did after that is "
             "missing";
    case Cut::none: break;
  }
  return {};
}

/// Is its end a failure of its own?  A launcher ends the others by SIGTERM once one has failed, and
/// people end programs by SIGINT.
bool has_failed_itself(const RecordedRank& rank, bool is_in_job) {
  if (!rank.is_there || rank.end == End::unknown) return false;
  if (rank.end == End::finalized) return rank.exit_status.value_or(0) != 0;
  if (rank.end == End::exited && !is_in_job) return rank.end_value != 0;
  if (rank.death && rank.death->is_own) return true;
  const bool is_asked = rank.end_value == SIGTERM || rank.end_value == SIGINT;
  return rank.end != End::signalled || !is_asked;
}

const RecordedRank* first_to_fail(const std::vector<RecordedRank>& ranks, bool is_in_job) {
  const RecordedRank* first = nullptr;
  for (const RecordedRank& rank : ranks) {
    if (!has_failed_itself(rank, is_in_job)) continue;
    if (first == nullptr || rank.end_time_ns < first->end_time_ns) first = &rank;
  }
  return first;
}

/// `rank 2`, `one of the ranks 0, 2, 5`: those that ended without a word; empty: none.
std::string silent_ranks(const std::vector<RecordedRank>& ranks) {
  std::vector<std::uint32_t> silent;
  for (const RecordedRank& rank : ranks) {
    if (rank.is_there && rank.end == End::unknown) silent.push_back(rank.rank);
  }
  if (silent.empty()) return {};
  if (silent.size() == 1) return fmt::format("rank {}", silent.front());
  return fmt::format("one of the ranks {}", fmt::join(silent, ", "));
}

}  // namespace

OpenCalls decode_rank_records(std::span<const std::byte> records, std::uint64_t failed_polls,
                              bool is_in_receive, std::string_view where, RankReadings* readings,
                              std::vector<std::uint64_t>* withdrawn) {
  RankReadings unwanted;
  RecordReader reader(records, where, readings != nullptr ? *readings : unwanted);
  OpenCalls calls = reader.read();
  if (withdrawn != nullptr) *withdrawn = reader.withdrawn(calls);
  if (is_in_receive) calls.sources.push_back(OpenCalls::nobody);
  calls.last_failed_polls = failed_polls;
  return calls;
}

RecordedJob read_recorded_job(const std::string& directory, const InputPolicy& policy) {
  RecordedJob job;
  const fs::path program = fs::path(directory) / rank_spool::program_file;
  if (fs::exists(program)) read_program(program.string(), job);
  if (detail::read_recorded_threads(directory, job)) {
    detail::read_recorded_memory(directory, job);
    detail::read_recorded_inputs(directory, policy, job);
    return job;
  }
  std::vector<RecordedRank> found;
  std::uint32_t ranks = 0;
  for (const std::string& path : detail::spool_files(directory, rank_spool::rank_file_prefix)) {
    RecordedRank rank = read_rank(path, job.program_path, ranks);
    if (rank.is_there) found.push_back(std::move(rank));
  }
  job.ranks.resize(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) {
    job.ranks[i].rank = i;
    job.ranks[i].calls.task.value = i + 1;
  }
  for (RecordedRank& rank : found) {
    if (rank.rank < ranks) job.ranks[rank.rank] = std::move(rank);
  }
  detail::read_recorded_inputs(directory, policy, job);
  return job;
}

bool RecordedJob::lacks_atomics() const {
  return threads.size() > 1 && (thread_gaps & thread_spool::atomics_seen) == 0;
}

bool RecordedJob::is_one_program() const {
  std::set<std::uint64_t> hashes;
  for (const RecordedRank& rank : ranks) {
    if (rank.is_there) hashes.insert(rank.program_hash);
  }
  return hashes.size() <= 1;
}

bool RecordedJob::is_refused() const {
  return std::any_of(ranks.begin(), ranks.end(), [](const RecordedRank& rank) {
    return rank.cut != Cut::none && rank.cut != Cut::disk;
  });
}

std::vector<std::string> RecordedJob::gaps() const {
  std::vector<std::string> lines = detail::thread_gap_lines(*this);
  for (const RecordedRank& rank : ranks) {
    const std::string words = words_of(rank);
    if (!words.empty()) lines.push_back(fmt::format("rank {}: {}", rank.rank, words));
  }
  return lines;
}

std::vector<std::string> RecordedJob::remarks() const {
  std::uint32_t uses = 0;
  for (const RecordedRank& rank : ranks) uses |= rank.uses;
  std::vector<std::string> lines = detail::thread_remark_lines(*this);
  if ((uses & rank_spool::one_sided) != 0) {
    lines.emplace_back(
        "the program uses one-sided operations: in which order those of several ranks were done is "
        "not in the log");
  }
  if ((uses & rank_spool::shared_file_pointers) != 0) {
    lines.emplace_back(
        "the program uses shared file pointers: whose turn it was is not in the log");
  }
  if ((uses & rank_spool::readings_of_threads) != 0) {
    lines.emplace_back(
        "threads besides the first read clocks or draw random numbers: what they read is not in "
        "the log");
  }
  if (has_lost_standard_input) {
    lines.emplace_back(
        "a rank has read a standard input that came from no launcher: it is not in the log");
  }
  return lines;
}

std::vector<Finding> RecordedJob::findings(int command_status) const {
  const RecordedRank* const first = first_to_fail(ranks, !is_of_threads());
  Finding finding;
  if (first == nullptr) {
    if (is_of_threads() && ranks.front().end == End::signalled) {
      finding.kind = FindingKind::crash;
      finding.class_name = ended_from_outside;
      finding.message = "the program was ended by " + signal_text(ranks.front().end_value);
      return {std::move(finding)};
    }
    if (command_status == 0) return {};
    if (is_of_threads()) return {detail::finding_of_silent_program(command_status)};
    const std::string silent = silent_ranks(ranks);
    if (silent.empty()) return {};
    finding.kind = FindingKind::crash;
    finding.message = silent + " was ended without a word, as by SIGKILL";
    return {std::move(finding)};
  }
  const std::string who =
      is_of_threads() ? detail::thread_name(*this, *first) : fmt::format("rank {}", first->rank);
  if (first->end == End::signalled) {
    RecordedDeath known;
    known.signal = first->end_value;
    return {detail::finding_of_death(first->death.value_or(known), who,
                                     is_of_threads() ? "the program" : who)};
  }
  finding.kind = FindingKind::exit;
  if (first->end == End::aborted) {
    finding.message = fmt::format("{} aborts the job with status {}", who, first->end_value);
    finding.exit_code = first->end_value;
  } else {
    const std::int32_t status = first->exit_status.value_or(first->end_value);
    if (is_of_threads()) {
      finding.message = fmt::format("the program exits with status {}", status);
    } else if (first->end == End::exited && status == 0) {
      finding.message = fmt::format("{} exits without MPI_Finalize", who);
    } else {
      finding.message = fmt::format("{} exits with status {}", who, status);
    }
    finding.exit_code = status;
  }
  return {std::move(finding)};
}

}  // namespace orrery
