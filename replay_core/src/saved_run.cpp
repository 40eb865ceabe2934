#include "saved_run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/real_log.hpp>

#include "intervals/intervals_block.hpp"
#include "log/inputs_block.hpp"

namespace orrery {
namespace {

// What is lost of a log that was cut in a block.  Each block costs some hundred bytes, since its
// coding learns from nothing.
constexpr std::size_t entries_per_block = std::size_t{1} << 16U;

/// The program, with what else it was started with and in.
ProgramInfo program_with(const ProgramInfo& program, const ProgramInputs& inputs) {
  ProgramInfo whole = program;
  if (!inputs.environment.empty()) whole.environment = inputs.environment;
  if (!inputs.directory.empty()) whole.directory = inputs.directory;
  return whole;
}

}  // namespace

std::vector<RecordedBlock> schedule_blocks(const Schedule& schedule) {
  std::vector<RecordedBlock> blocks;
  const std::size_t count = schedule.entries.size();
  std::size_t first = 0;
  do {
    const std::size_t last = std::min(count, first + entries_per_block);
    Schedule part;
    part.entries.assign(schedule.entries.begin() + static_cast<std::ptrdiff_t>(first),
                        schedule.entries.begin() + static_cast<std::ptrdiff_t>(last));
    part.entries_lost = last == count ? schedule.entries_lost : 0;
    blocks.push_back({BlockKind::choices, encode_schedule(part)});
    first = last;
  } while (first < count);
  return blocks;
}

void save_run(const std::string& path, const SavedRun& run) {
  save_run(path, run, schedule_blocks(run.schedule));
}

void save_run(const std::string& path, const SavedRun& run,
              std::span<const RecordedBlock> records) {
  RunLog log(path, run);
  try {
    log.finish(run, records);
  } catch (const UsageError&) {
    log.discard();
    throw;
  }
}

RunLog::RunLog(const std::string& path, const SavedRun& run)
    : log_(path, program_with(run.program, run.inputs)) {
  try {
    log_.append(BlockKind::run, encode_settings(run.settings));
  } catch (const UsageError&) {
    log_.discard();
    throw;
  }
}

void RunLog::finish(const SavedRun& run, std::span<const RecordedBlock> records) {
  if (run.method != schedule_method) {
    log_.append(BlockKind::method, std::as_bytes(std::span(run.method)));
  }
  detail::append_inputs(log_, run.inputs);
  log_.append(BlockKind::findings, encode_findings(run.findings));
  if (run.limit != Limit::none) {
    const std::byte limit{static_cast<std::uint8_t>(run.limit)};
    log_.append(BlockKind::limit, std::span(&limit, 1), BlockNeed::optional);
  }
  for (const RecordedBlock& block : records) append(block);
  log_.finish();
}

namespace {

/// Takes a block of records into the run; false if it is something else.
bool take_records(const LogBlock& block, const std::string& where, SavedRun& run) {
  MessageRecords& messages = run.messages;
  switch (block.kind) {
    case BlockKind::choices: {
      const Schedule part = decode_schedule(block.content, where);
      run.schedule.entries.insert(run.schedule.entries.end(), part.entries.begin(),
                                  part.entries.end());
      run.schedule.entries_lost = part.entries_lost;
      return true;
    }
    case BlockKind::open_calls:
      for (const OpenCalls& calls : decode_open_calls(block.content, where)) {
        const auto own = std::ranges::find(messages.calls, calls.task, &OpenCalls::task);
        if (own == messages.calls.end()) {
          messages.calls.push_back(calls);
        } else {
          own->append(calls);
        }
      }
      return true;
    case BlockKind::traced_messages: {
      const auto traced = decode_traced_messages(block.content, where);
      messages.traced.insert(messages.traced.end(), traced.begin(), traced.end());
      return true;
    }
    case BlockKind::real_run: {
      const RealRun real = decode_real_run(block.content, where);
      run.is_real = true;
      if (real.gaps.empty()) return true;
      run.is_whole = false;
      run.why_cut = fmt::format("{}", fmt::join(real.gaps, "; "));
      return true;
    }
    case BlockKind::clock_reads:
      for (const RankReadings& readings : decode_readings(block.content, where)) {
        const auto own = std::ranges::find(messages.readings, readings.task, &RankReadings::task);
        if (own == messages.readings.end()) {
          messages.readings.push_back(readings);
        } else {
          own->append(readings);
        }
      }
      return true;
    case BlockKind::lamport_stamps:
      run.stamps = decode_lamport_records(block.content, where);
      return true;
    case BlockKind::shared_accesses:
      run.accesses = decode_access_records(block.content, where);
      return true;
    case BlockKind::thread_stamps:
      run.stamps = decode_lamport_records(block.content, where, /*is_of_library=*/true);
      return true;
    case BlockKind::answers: decode_answers(block.content, where, messages); return true;
    case BlockKind::history_tapes: run.tapes = decode_tapes(block.content, where); return true;
    case BlockKind::remote_calls: {
      const auto calls = decode_remote_calls(block.content, where);
      messages.remote_calls.insert(messages.remote_calls.end(), calls.begin(), calls.end());
      return true;
    }
    default: return false;
  }
}

/// Does a block alone say how a run of this method went?
bool tells_of_course(BlockKind kind, std::string_view method) {
  return follows_memory(method) ? kind == BlockKind::shared_accesses : kind != BlockKind::real_run;
}

std::string method_in(const LogBlock& block, const std::string& where) {
  std::string name;
  for (const std::byte byte : block.content) name.push_back(static_cast<char>(byte));
  for (const RecorderKind& known : recorders()) {
    if (known.name == name) return name;
  }
  throw UsageError(fmt::format("the log was made by a method '{}', which is not known here", name),
                   where, "use the version of orrery that made it");
}

Limit limit_in(const LogBlock& block, const std::string& where) {
  const std::byte last{static_cast<std::uint8_t>(Limit::wall_time)};
  if (block.content.size() != 1 || block.content.front() > last) {
    throw UsageError("the block 'limit' names none", where,
                     "the log is damaged: take another copy of it");
  }
  return static_cast<Limit>(block.content.front());
}

}  // namespace

SavedRun load_run(Log log) {
  SavedRun run;
  run.program = log.program;
  run.is_whole = log.is_whole;
  run.why_cut = log.why_cut;
  bool has_settings = false;
  bool has_records = false;
  bool has_method = false;
  bool has_intervals = false;
  detail::IntervalsReader intervals;
  std::vector<std::byte> inputs;
  for (LogBlock& block : log.blocks) {
    const std::string where = log.where(block);
    if (block.kind == BlockKind::run) {
      run.settings = decode_settings(block.content, where);
      has_settings = true;
    } else if (block.kind == BlockKind::method) {
      run.method = method_in(block, where);
      has_method = true;
    } else if (block.kind == BlockKind::interval) {
      intervals.take_boundary(block.content, where);
      has_intervals = true;
    } else if (block.kind == BlockKind::logged_messages) {
      intervals.take_logged(std::move(block.content), where);
    } else if (block.kind == BlockKind::inputs) {
      inputs.insert(inputs.end(), block.content.begin(), block.content.end());
    } else if (block.kind == BlockKind::findings) {
      run.findings = decode_findings(block.content, where);
    } else if (block.kind == BlockKind::limit) {
      run.limit = limit_in(block, where);
    } else if (take_records(block, where, run)) {
      has_records = has_records || tells_of_course(block.kind, run.method);
    }
  }
  if (has_intervals) {
    run.checkpoints = intervals.run();
    if (!has_method) run.method = "wildcards";
    if (is_kept_in_intervals(run.method)) run.messages = run.checkpoints->records;
  }
  // Only a schedule always has records: others have none of a program without open calls.
  const bool may_have_none = log.is_whole && run.method != schedule_method;
  if (!has_settings || !(has_records || has_intervals || may_have_none)) {
    const std::string missing = !has_settings ? "block 'run'"
                                : run.method == schedule_method
                                    ? "block 'choices'"
                                    : "block with records of " + run.method;
    throw UsageError("the log has no " + missing, log.is_whole ? log.path : log.why_cut,
                     log.is_whole ? "it was not made for a replay" : "too little of it is left");
  }
  if (!inputs.empty()) run.inputs = detail::decode_inputs(inputs, log.path + ", blocks inputs");
  run.inputs.environment = run.program.environment;
  run.inputs.directory = run.program.directory;
  return run;
}

SavedRun load_run(const std::string& path, LogExtent extent) {
  return load_run(read_log(path, extent));
}

}  // namespace orrery
