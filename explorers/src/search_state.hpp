// The file from which a stopped search goes on: `<save path>.search`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "explorer.hpp"
#include "tally.hpp"

namespace orrery::detail {

struct SearchState {
  Tally tally;
  bool has_walk_ended = false;
};

/// Where the first log of a search goes.
[[nodiscard]] std::string save_path_of(const ExploreOptions& options);
[[nodiscard]] std::string state_path_of(const ExploreOptions& options);

/// Writes the state, under a temporary name first.  The file is one line of JSON, then the bytes
/// that it announces.  Throws `UsageError` if it cannot be written.
void save_search_state(const ExploreOptions& options, const Strategy& strategy,
                       std::span<const std::byte> walk, const SearchState& state);

/// Reads it, and the walk's memory.  Nothing if there is no such file; throws `UsageError` if it is
/// damaged or of another search (name, strategy, seed, machine).
[[nodiscard]] std::optional<SearchState> load_search_state(const ExploreOptions& options,
                                                           const Strategy& strategy,
                                                           std::span<std::byte> walk);

}  // namespace orrery::detail
