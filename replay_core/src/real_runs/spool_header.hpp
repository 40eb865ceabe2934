// What the first page of a rank's or a thread's file says.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <orrery/replay_core/recorded_job.hpp>

namespace orrery::detail {

/// All but the records.
[[nodiscard]] RecordedRank rank_of(const rank_spool::Header& header);
/// The records behind the header.  Throws `UsageError` where the file is shorter than it says.
[[nodiscard]] std::span<const std::byte> records_of(const rank_spool::Header& header,
                                                    std::span<const std::byte> bytes,
                                                    const std::string& path);
/// Dates that are in no record yet.
void add_last_dates(const rank_spool::Header& header, RankReadings& readings);

}  // namespace orrery::detail
