#include "run_settings.hpp"

#include <algorithm>
#include <utility>

#include "byte_cursor.hpp"

namespace orrery {
namespace {

// One byte of the block.
constexpr std::uint8_t has_spurious_wakeups = 1;
constexpr std::uint8_t checks_arguments_of_mpi_only = 2;

}  // namespace

RunSettings RunSettings::of(const SimulationOptions& options, std::string strategy) {
  RunSettings settings;
  settings.seed = options.seed;
  settings.run_index = options.run_index;
  settings.window = options.window;
  settings.step_limit = options.step_limit;
  settings.virtual_limit = options.virtual_limit;
  settings.stack_bytes = options.stack_bytes;
  settings.eager_threshold_bytes = options.eager_threshold_bytes;
  settings.spurious_wakeups = options.spurious_wakeups;
  settings.memory_limit_bytes = options.memory_limit_bytes;
  settings.computing = options.computing;
  settings.preemption = options.preemption;
  settings.mpi_checks = options.mpi_checks;
  settings.placement = options.placement;
  settings.faults = options.faults;
  settings.expected_output = options.expected_output;
  settings.strategy = std::move(strategy);
  return settings;
}

void RunSettings::apply_to(SimulationOptions& options) const {
  options.seed = seed;
  options.run_index = run_index;
  options.window = window;
  options.step_limit = step_limit;
  options.virtual_limit = virtual_limit;
  options.stack_bytes = static_cast<std::size_t>(stack_bytes);
  options.eager_threshold_bytes = eager_threshold_bytes;
  options.spurious_wakeups = spurious_wakeups;
  options.memory_limit_bytes = memory_limit_bytes;
  options.computing = computing;
  options.preemption = preemption;
  options.mpi_checks = mpi_checks;
  options.placement = placement;
  options.faults = faults;
  options.expected_output = expected_output;
}

std::vector<std::byte> encode_settings(const RunSettings& settings) {
  detail::ByteWriter out;
  out.varint(settings.seed);
  out.varint(settings.run_index);
  out.zigzag(settings.window.picoseconds());
  out.varint(settings.step_limit);
  out.zigzag(settings.virtual_limit.picoseconds());
  out.varint(settings.stack_bytes);
  out.varint(settings.eager_threshold_bytes);
  unsigned bits = settings.spurious_wakeups ? has_spurious_wakeups : 0U;
  if (settings.mpi_checks == MpiChecks::arguments) bits |= checks_arguments_of_mpi_only;
  out.u8(static_cast<std::uint8_t>(bits));
  out.text(settings.strategy);
  out.text(settings.placement.text());
  out.text(text(settings.faults));
  out.text(settings.computing.text());
  out.varint(settings.memory_limit_bytes);
  out.text(text(settings.preemption));
  if (settings.expected_output) out.text(*settings.expected_output);
  return out.take();
}

RunSettings decode_settings(std::span<const std::byte> bytes, std::string_view where) {
  detail::ByteReader in(bytes, where);
  RunSettings settings;
  settings.seed = in.varint();
  settings.run_index = in.varint();
  settings.window = VirtualDuration::from_picoseconds(in.zigzag());
  settings.step_limit = in.varint();
  settings.virtual_limit = VirtualDuration::from_picoseconds(in.zigzag());
  settings.stack_bytes = in.varint();
  settings.eager_threshold_bytes = in.varint();
  const unsigned bits = in.u8();
  if (bits > (has_spurious_wakeups | checks_arguments_of_mpi_only)) in.fail("an unknown setting");
  settings.spurious_wakeups = (bits & has_spurious_wakeups) != 0;
  if ((bits & checks_arguments_of_mpi_only) != 0) settings.mpi_checks = MpiChecks::arguments;
  settings.strategy = in.text();
  settings.placement = Placement::from_text(in.text(), where);
  settings.faults = parse_faults(in.text(), where);
  if (!in.at_end()) settings.computing = parse_computing_time(in.text(), where);
  if (!in.at_end()) settings.memory_limit_bytes = in.varint();
  if (!in.at_end()) settings.preemption = parse_preemption(in.text(), where);
  if (!in.at_end()) settings.expected_output = in.text();
  in.finish();
  return settings;
}

std::vector<std::byte> encode_findings(std::span<const Finding> findings) {
  detail::ByteWriter out;
  out.varint(findings.size());
  for (const Finding& finding : findings) {
    out.u8(static_cast<std::uint8_t>(finding.kind));
    out.text(finding.message);
    out.varint(finding.where.size());
    for (const FindingPlace& place : finding.where) {
      // What has no file is told from others by its function.
      out.text(place.file.empty() ? place.function : place.file);
      out.varint(place.line);
      out.text(place.task);
      out.text(place.role);
    }
  }
  const auto has_class = [](const Finding& finding) { return !finding.class_name.empty(); };
  const auto has_code = [](const Finding& finding) { return finding.exit_code.has_value(); };
  const bool has_codes = std::ranges::any_of(findings, has_code);
  if (has_codes || std::ranges::any_of(findings, has_class)) {
    for (const Finding& finding : findings) out.text(finding.class_name);
  }
  if (!has_codes) return out.take();
  for (const Finding& finding : findings) {
    out.u8(finding.exit_code ? 1 : 0);
    if (finding.exit_code) out.zigzag(*finding.exit_code);
  }
  return out.take();
}

std::vector<Finding> decode_findings(std::span<const std::byte> bytes, std::string_view where) {
  detail::ByteReader in(bytes, where);
  std::vector<Finding> findings(in.count(3));
  for (Finding& finding : findings) {
    const std::uint8_t kind = in.u8();
    if (kind > static_cast<std::uint8_t>(FindingKind::property)) {
      in.fail("a finding of an unknown kind");
    }
    finding.kind = static_cast<FindingKind>(kind);
    finding.message = in.text();
    finding.where.resize(in.count(4));
    for (FindingPlace& place : finding.where) {
      place.file = in.text();
      place.line = in.varint32();
      place.task = in.text();
      place.role = in.text();
    }
  }
  // Logs of before have none, and neither has one of whose findings no one has a class.
  if (!in.at_end()) {
    for (Finding& finding : findings) finding.class_name = in.text();
  }
  if (!in.at_end()) {
    for (Finding& finding : findings) {
      if (in.u8() != 0) finding.exit_code = static_cast<std::int32_t>(in.zigzag());
    }
  }
  in.finish();
  return findings;
}

}  // namespace orrery
