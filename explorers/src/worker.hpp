// The loop in which a worker does its share of a search's runs.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "child_process.hpp"
#include "explorer.hpp"
#include "run_session.hpp"
#include "search_block.hpp"

namespace orrery::detail {

/// What a search's workers share.  Everything outlives the workers.
struct SearchContext {
  const ExploreOptions& options;
  const Program& program;
  const Strategy& strategy;
  RunSetup setup;
  SearchBlock& block;
  std::span<std::byte> walk;
  std::span<std::byte> walk_backup;  ///< as it was before it last moved
};

/// How a worker reaches its parent, which may be itself.
struct WorkerPort {
  std::function<void(const Message&)> send;
  std::function<void()> between_runs;  ///< may be empty
};

/// Does the runs that `number` is given, until none is left, or until the worker should be
/// replaced; says which in `worker.state`.  What it throws (`UsageError`) is for the parent.
void do_runs(const SearchContext& context, std::uint32_t number, WorkerBlock& worker,
             std::span<std::byte> recording, const WorkerPort& port);

/// The findings of a run that have entries of their own in the report: the first; and where the
/// search keeps going all data races, so that each is reported once.
[[nodiscard]] std::vector<const Finding*> told_apart(const Outcome& outcome, bool keep_going);
/// Puts the keys of these into the record of their run.
void put_keys(const std::vector<const Finding*>& findings, RunRecord& record);

/// The message that tells of a run with findings, or of one at a limit (`Limit::none` if not).
[[nodiscard]] Message found_message(std::uint64_t run_index, const Outcome& outcome,
                                    const Schedule& schedule);

}  // namespace orrery::detail
