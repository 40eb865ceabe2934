// The part of a run's records that lies behind a checkpoint of one rank.
#pragma once

#include <span>

#include <orrery/replay_core/intervals.hpp>
#include <orrery/replay_core/message_records.hpp>

namespace orrery::detail {

/// What is left of `whole` behind `before`, for the tasks that come in it.  The sources of `open`
/// receives come first, in their order: for whoever says that these begin now.
///
/// Throws `UsageError` if the one is not the beginning of the other.
[[nodiscard]] MessageRecords rest_of(const MessageRecords& whole, const MessageRecords& before,
                                     std::span<const OpenReceive> open);

}  // namespace orrery::detail
