// What a program took in, as logs keep it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/replay_core/log.hpp>
#include <orrery/sim_runtime/program_inputs.hpp>

namespace orrery::detail {

/// Appends them, in as many blocks as it takes: none if there is nothing.
void append_inputs(LogWriter& log, const ProgramInputs& inputs);

/// Files, standard input and where clocks begin: the content of a log's blocks `inputs`, one after
/// the other, and back. Environment and directory are in the block `program`.  Throws `UsageError`
/// with the offset.
[[nodiscard]] std::vector<std::byte> encode_inputs(const ProgramInputs& inputs);
[[nodiscard]] ProgramInputs decode_inputs(std::span<const std::byte> bytes, std::string_view where);

}  // namespace orrery::detail
