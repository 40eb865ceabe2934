#include "saved_run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "inputs_block.hpp"

namespace orrery {
namespace {

// What is lost of a log that was cut in a block.  Each block costs some hundred bytes, since its
// coding learns from nothing.
constexpr std::size_t entries_per_block = std::size_t{1} << 16U;

// Far below what a block may hold, whose content is compressed as a whole.
constexpr std::size_t input_bytes_per_block = std::size_t{16} << 20U;

void append_inputs(LogWriter& log, const ProgramInputs& inputs) {
  const bool is_plain = inputs.files.empty() && !inputs.has_standard_input;
  if (is_plain && inputs.standard_input_rank == 0) return;
  const std::vector<std::byte> all = detail::encode_inputs(inputs);
  for (std::size_t at = 0; at < all.size(); at += input_bytes_per_block) {
    log.append(BlockKind::inputs,
               std::span(all).subspan(at, std::min(input_bytes_per_block, all.size() - at)));
  }
}

/// The program, with what else it was started with and in.
ProgramInfo program_with(const ProgramInfo& program, const ProgramInputs& inputs) {
  ProgramInfo whole = program;
  if (!inputs.environment.empty()) whole.environment = inputs.environment;
  if (!inputs.directory.empty()) whole.directory = inputs.directory;
  return whole;
}

}  // namespace

void append_schedule(LogWriter& log, const Schedule& schedule) {
  const std::size_t count = schedule.entries.size();
  std::size_t first = 0;
  do {
    const std::size_t last = std::min(count, first + entries_per_block);
    Schedule part;
    part.entries.assign(schedule.entries.begin() + static_cast<std::ptrdiff_t>(first),
                        schedule.entries.begin() + static_cast<std::ptrdiff_t>(last));
    part.entries_lost = last == count ? schedule.entries_lost : 0;
    log.append(BlockKind::choices, encode_schedule(part));
    first = last;
  } while (first < count);
}

void save_run(const std::string& path, const SavedRun& run) {
  LogWriter log(path, program_with(run.program, run.inputs));
  try {
    log.append(BlockKind::run, encode_settings(run.settings));
    append_inputs(log, run.inputs);
    log.append(BlockKind::findings, encode_findings(run.findings));
    append_schedule(log, run.schedule);
    log.finish();
  } catch (const UsageError&) {
    log.discard();
    throw;
  }
}

SavedRun load_run(const Log& log) {
  SavedRun run;
  run.program = log.program;
  run.is_whole = log.is_whole;
  run.why_cut = log.why_cut;
  bool has_settings = false;
  bool has_choices = false;
  std::vector<std::byte> inputs;
  for (const LogBlock& block : log.blocks) {
    const std::string where = log.where(block);
    if (block.kind == BlockKind::run) {
      run.settings = decode_settings(block.content, where);
      has_settings = true;
    } else if (block.kind == BlockKind::inputs) {
      inputs.insert(inputs.end(), block.content.begin(), block.content.end());
    } else if (block.kind == BlockKind::findings) {
      run.findings = decode_findings(block.content, where);
    } else if (block.kind == BlockKind::choices) {
      const Schedule part = decode_schedule(block.content, where);
      run.schedule.entries.insert(run.schedule.entries.end(), part.entries.begin(),
                                  part.entries.end());
      run.schedule.entries_lost = part.entries_lost;
      has_choices = true;
    }
  }
  if (!has_settings || !has_choices) {
    throw UsageError(fmt::format("the log has no block '{}'", has_settings ? "choices" : "run"),
                     log.is_whole ? log.path : log.why_cut,
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
