#include "spool_header.hpp"

#include <algorithm>
#include <optional>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

using rank_spool::End;

RecordedRank rank_of(const rank_spool::Header& header) {
  RecordedRank found;
  found.rank = header.rank;
  found.is_there = true;
  found.clock_origins = header.clock_origins;
  const auto* const name_end =
      std::find(std::begin(header.host_name), std::end(header.host_name), '\0');
  found.host_name.assign(std::begin(header.host_name), name_end);
  const auto asked = [&header](rank_spool::Use what, std::int32_t value) {
    return (header.uses & what) != 0 ? std::optional(value) : std::nullopt;
  };
  found.process_number = asked(rank_spool::process_number, header.process_number);
  found.processor_count = asked(rank_spool::processor_count, header.processor_count);
  found.own_processor_count = asked(rank_spool::own_processor_count, header.own_processor_count);
  found.standard_input = static_cast<rank_spool::StandardInput>(header.standard_input);
  found.cut = static_cast<rank_spool::Cut>(header.cut);
  found.system_error = header.system_error;
  found.uses = header.uses;
  found.end = static_cast<End>(header.end);
  found.end_value = header.end_value;
  found.end_thread = header.end_thread;
  const bool can_tell = found.end != End::unknown && found.end != End::signalled;
  found.has_read_standard_input = header.has_read_standard_input != 0 || !can_tell;
  if (header.has_exit_status != 0) found.exit_status = header.exit_status;
  found.end_time_ns = header.end_time_ns;
  found.program_hash = header.program_hash;
  return found;
}

std::span<const std::byte> records_of(const rank_spool::Header& header,
                                      std::span<const std::byte> bytes, const std::string& path) {
  const auto records = bytes.subspan(rank_spool::header_bytes);
  if (header.record_bytes > records.size()) {
    throw UsageError("the records of the rank are cut", path, "record the program again");
  }
  return records.first(static_cast<std::size_t>(header.record_bytes));
}

void add_last_dates(const rank_spool::Header& header, RankReadings& readings) {
  for (std::size_t i = 1; i < clock_kinds; ++i) {
    const rank_spool::ClockRun& run = header.clock_runs[i];
    const bool is_written = run.record_bytes != 0 && run.record_bytes <= header.record_bytes;
    if (run.count > 0 && !is_written) readings.clocks[i].push_back({run.step_ns, run.count});
  }
}

}  // namespace orrery::detail
