// How many random programs, from which seed on, and logs as a file would hold them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "replay/same_run.hpp"

namespace orrery::test {

/// As many in a campaign as its variable says: `./dev campaign`.
inline std::uint64_t program_count(std::uint64_t otherwise) {
  const char* const wanted = std::getenv("ORRERY_CAMPAIGN_PROGRAMS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

inline std::uint64_t first_seed() {
  const char* const wanted = std::getenv("ORRERY_CAMPAIGN_SEED");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1;
}

struct Run {
  Outcome outcome;
  NamedRun seen;
};

/// As a log would hold them: through their bytes.
inline SavedRun saved(const RecorderKind& method, const std::vector<RecordedBlock>& blocks) {
  Log log;
  log.path = "test";
  log.blocks.push_back({BlockKind::run, BlockNeed::required, 0, encode_settings({})});
  const std::string name(method.name);
  const auto text = std::as_bytes(std::span(name));
  log.blocks.push_back({BlockKind::method, BlockNeed::required, 0, {text.begin(), text.end()}});
  for (const RecordedBlock& block : blocks) {
    log.blocks.push_back({block.kind, BlockNeed::required, 0, block.content});
  }
  return load_run(log);
}

}  // namespace orrery::test
