#include "real_log.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/thread_spool.hpp>

#include "log/byte_cursor.hpp"
#include "log/inputs_block.hpp"

namespace orrery {
namespace {

constexpr std::string_view method_of_jobs = "wildcards";
constexpr std::string_view method_of_threads = "lamport-order";

// Far below what fits into a block, at two bytes each and more.
constexpr std::size_t elements_per_block = std::size_t{1} << 24U;

std::string_view method_of(const RecordedJob& job) {
  if (!job.is_of_threads()) return method_of_jobs;
  if (job.accesses) return job.memory_method;
  const bool has_versions = (job.thread_gaps & thread_spool::versions_kept) != 0;
  return has_versions ? instant_replay_method : method_of_threads;
}

ProgramInfo program_of(const RecordedJob& job) {
  ProgramInfo program;
  program.kind = ProgramInfo::Kind::binary;
  program.path = job.program_path;
  program.name = std::filesystem::path(job.program_path).filename().string();
  program.build_ids.push_back({job.program_path, job.build_id});
  program.arguments = job.arguments;
  program.ranks = static_cast<std::uint32_t>(job.ranks.size());
  program.host = this_host_id();
  program.directory = job.directory;
  program.environment = job.inputs.environment;
  return program;
}

template <typename Elements>
Elements part_of(const Elements& all, std::size_t part) {
  const std::size_t first = std::min(all.size(), part * elements_per_block);
  const std::size_t last = std::min(all.size(), first + elements_per_block);
  return Elements(all.begin() + static_cast<std::ptrdiff_t>(first),
                  all.begin() + static_cast<std::ptrdiff_t>(last));
}

std::size_t longest(const OpenCalls& calls) {
  return std::max({calls.sources.size(), calls.failed_polls.size(), calls.selections.size(),
                   calls.cancellations.size()});
}

/// Blocks that `OpenCalls::append` puts together again: one, but for very long runs.
void append_open_calls(LogWriter& log, const RecordedJob& job) {
  std::vector<OpenCalls> block;
  std::size_t elements = 0;
  const auto flush = [&] {
    if (!block.empty()) log.append(BlockKind::open_calls, encode_open_calls(std::move(block)));
    block = {};
    elements = 0;
  };
  for (const RecordedRank& rank : job.ranks) {
    const OpenCalls& calls = rank.calls;
    if (calls.is_empty()) continue;
    const std::size_t parts = longest(calls) / elements_per_block + 1;
    for (std::size_t part = 0; part < parts; ++part) {
      if (elements + longest(calls) > elements_per_block) flush();
      OpenCalls piece;
      piece.task = calls.task;
      piece.sources = part_of(calls.sources, part);
      piece.failed_polls = part_of(calls.failed_polls, part);
      piece.selections = part_of(calls.selections, part);
      piece.cancellations = part_of(calls.cancellations, part);
      if (part + 1 == parts) piece.last_failed_polls = calls.last_failed_polls;
      elements += longest(piece);
      block.push_back(std::move(piece));
    }
  }
  flush();
}

void append_readings(LogWriter& log, const RecordedJob& job) {
  std::vector<RankReadings> readings;
  for (const RecordedRank& rank : job.ranks) {
    if (!rank.readings.is_empty()) readings.push_back(rank.readings);
  }
  for (const RecordedThread& thread : job.threads) {
    if (!thread.readings.is_empty()) readings.push_back(thread.readings);
  }
  for (const std::vector<std::byte>& block : readings_blocks(readings)) {
    log.append(BlockKind::clock_reads, block);
  }
}

void append_withdrawn(LogWriter& log, const RecordedJob& job) {
  std::vector<TracedMessage> withdrawn;
  for (const RecordedRank& rank : job.ranks) {
    for (const std::uint64_t number : rank.withdrawn) {
      withdrawn.push_back({rank.calls.task, counts_started | number, {}});
    }
  }
  if (!withdrawn.empty()) {
    log.append(BlockKind::traced_messages, encode_traced_messages(withdrawn));
  }
}

LamportRecords stamps_of(const RecordedJob& job) {
  LamportRecords stamps;
  stamps.is_of_library = true;
  stamps.has_atomics = (job.thread_gaps & thread_spool::atomics_seen) != 0;
  stamps.has_objects = (job.thread_gaps & thread_spool::objects_kept) != 0;
  stamps.has_versions = (job.thread_gaps & thread_spool::versions_kept) != 0;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;  // small ones, in the log
  for (const RecordedThread& thread : job.threads) {
    if (thread.stamps.operations > 0) stamps.tasks.push_back(thread.stamps);
  }
  for (LamportRecords::Task& task : stamps.tasks) {
    for (LamportRecords::Access& access : task.accesses) {
      const auto next = static_cast<std::uint32_t>(numbers.size());
      access.object = numbers.try_emplace(access.object, next).first->second;
    }
  }
  return stamps.has_objects ? stamps : stamps.without_objects();
}

/// What each thread did, and who started it.
void append_threads(LogWriter& log, const RecordedJob& job) {
  MessageRecords starters;
  // The first one of a program is started by nobody who is in the log.
  starters.first_started = 2;
  for (const RecordedThread& thread : job.threads) {
    if (thread.number > 0) starters.starters.push_back(TaskId{thread.starter + 1});
  }
  log.append(BlockKind::thread_stamps, encode_lamport_records(stamps_of(job)));
  if (job.accesses) {
    log.append(BlockKind::shared_accesses, encode_access_records(*job.accesses));
  }
  if (!starters.starters.empty()) log.append(BlockKind::answers, encode_answers(starters));
}

std::vector<std::string> read_lines(detail::ByteReader& in) {
  std::vector<std::string> lines(in.count());
  for (std::string& line : lines) line = in.text();
  return lines;
}

}  // namespace

std::vector<std::byte> encode_real_run(const RealRun& run) {
  detail::ByteWriter out;
  for (const auto* lines : {&run.gaps, &run.remarks}) {
    out.varint(lines->size());
    for (const std::string& line : *lines) out.text(line);
  }
  return out.take();
}

RealRun decode_real_run(std::span<const std::byte> bytes, std::string_view where) {
  detail::ByteReader in(bytes, where);
  RealRun run;
  run.gaps = read_lines(in);
  run.remarks = read_lines(in);
  in.finish();
  return run;
}

void save_real_log(const std::string& path, const RealLog& log) {
  LogWriter writer(path, program_of(*log.job));
  try {
    writer.append(BlockKind::run, encode_settings(log.settings));
    const std::string_view method = method_of(*log.job);
    writer.append(BlockKind::method, std::as_bytes(std::span(method)));
    writer.append(BlockKind::findings, encode_findings(log.findings));
    const RealRun run{log.job->gaps(), log.job->remarks()};
    if (run != RealRun{} || !log.findings.empty())
      writer.append(BlockKind::real_run, encode_real_run(run));
    detail::append_inputs(writer, log.job->inputs);
    if (log.job->is_of_threads()) append_threads(writer, *log.job);
    append_open_calls(writer, *log.job);
    append_withdrawn(writer, *log.job);
    append_readings(writer, *log.job);
    writer.finish();
  } catch (const UsageError&) {
    writer.discard();
    throw;
  }
}

RecordCounts count_records(const RecordedJob& job) {
  RecordCounts counts;
  for (const RecordedThread& thread : job.threads) {
    counts.stamped += thread.stamps.operations;
    counts.stamps_kept += thread.stamps.marks.size();
    counts.dates += thread.readings.date_count();
    counts.draws += thread.readings.draws.size();
  }
  if (job.is_of_threads()) {
    const LamportRecords stamps = stamps_of(job);
    counts.polls += stamps.repeat_count();
    counts.objects_kept = stamps.found_count();
    counts.stamp_bytes = encode_lamport_records(stamps.without_objects()).size();
    counts.object_bytes = encode_lamport_records(stamps).size() - counts.stamp_bytes;
  }
  if (job.accesses) {
    counts.accesses = job.accesses->operation_count();
    counts.reads = job.reads;
    counts.variables = job.accesses->variables;
    counts.turns = job.accesses->turn_count();
    counts.bounds = job.accesses->bound_count();
    counts.switched_off = job.accesses->switched_off.accesses.size();
    counts.without_order = job.accesses->switched_off.orders.size();
  }
  for (const RecordedRank& rank : job.ranks) {
    const OpenCalls& calls = rank.calls;
    counts.sources += calls.sources.size();
    counts.polls += calls.failed_polls.size() + calls.last_failed_polls;
    counts.polls +=
        std::accumulate(calls.failed_polls.begin(), calls.failed_polls.end(), std::uint64_t{0});
    counts.selections += calls.selections.size();
    counts.cancellations += calls.cancellations.size();
    counts.dates += rank.readings.date_count();
    counts.draws += rank.readings.draws.size();
  }
  return counts;
}

}  // namespace orrery
