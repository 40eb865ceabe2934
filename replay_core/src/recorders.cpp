#include "recorders.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "linkages/access_recorder.hpp"
#include "linkages/leap_replayer.hpp"
#include "linkages/linkage_replayer.hpp"
#include "messages/nic_recorder.hpp"
#include "messages/nic_replayer.hpp"
#include "messages/racing_recorder.hpp"
#include "messages/racing_replayer.hpp"
#include "messages/source_recorder.hpp"
#include "messages/source_replayer.hpp"
#include "schedules/choices_recorder.hpp"
#include "synchronisation/instant_replay_recorder.hpp"
#include "synchronisation/instant_replay_replayer.hpp"
#include "synchronisation/lamport_recorder.hpp"
#include "synchronisation/lamport_replayer.hpp"

namespace orrery {
namespace {

template <std::unique_ptr<Recorder> (*make)()>
std::unique_ptr<Recorder> without_options(const NameWithOptions& given) {
  given.allow_no_count();
  given.allow_keys({});
  return make();
}

constexpr std::string_view nic_options =
    "buffer=64KiB, cycles=30, compress=no|yes, compress_cycles=60, flush_cycles=100";

constexpr std::string_view with_memory = "synchronisation and memory";

constexpr std::array<RecorderKind, 15> table = {{
    {schedule_method, "every step and every answer of a simulated run; replays on any network", "",
     without_options<detail::make_choices_recorder>, detail::make_choices_replayer},
    {contents_method, "what each message held, so that one rank can be replayed alone", "",
     without_options<detail::make_wildcards_recorder>, detail::make_wildcards_replayer},
    {"orders", "who sent what each receive took, and what open calls came to", "",
     without_options<detail::make_orders_recorder>, detail::make_orders_replayer},
    {"wildcards", "the same of receives that name no sender; real runs are recorded so", "",
     without_options<detail::make_wildcards_recorder>, detail::make_wildcards_replayer},
    {"racing-messages", "one message of each pair that races, by Zeng's Algorithm 1", "",
     without_options<detail::make_racing_recorder>, detail::make_racing_replayer},
    {"racing-messages-tight", "the same where an earlier receive could have taken the message", "",
     without_options<detail::make_tight_racing_recorder>, detail::make_racing_replayer},
    {"nic", "who sent what came to each Myrinet card, kept by code on the cards", nic_options,
     detail::make_nic_recorder, detail::make_nic_replayer},
    {"nic+polls", "the same, and the host keeps what open calls came to", nic_options,
     detail::make_nic_polls_recorder, detail::make_nic_replayer},
    {"switch", "who sent what passed a Myrinet switch's port to each host, kept at the ports",
     nic_options, detail::make_switch_recorder, detail::make_nic_replayer},
    {"switch+polls", "the same, and the host keeps what open calls came to", nic_options,
     detail::make_switch_polls_recorder, detail::make_nic_replayer},
    {instant_replay_method, "which version of each shared object each task has met, and messages",
     "", without_options<detail::make_instant_replay_recorder>, detail::make_instant_replayer,
     "objects and messages"},
    {"lamport-order", "time stamps of what threads do to locks, atomics and the like",
     "objects=no|yes", detail::make_lamport_recorder, detail::make_lamport_replayer,
     "synchronisation"},
    {leap_method, "in which order tasks came to each shared variable and lock", "",
     without_options<detail::make_leap_recorder>, detail::make_leap_replayer, with_memory},
    {global_writes_method,
     "one order of all writes to memory and locks, and the values that were read", "slots=1310720",
     detail::make_global_writes_recorder, detail::make_linkage_replayer, with_memory},
    {"stride", "the order of writes of each variable, and values and bounds of reads",
     "group=variable|block:BYTES|site|allocation, lag=0, slots=1310720",
     detail::make_stride_recorder, detail::make_linkage_replayer, with_memory},
}};

}  // namespace

std::span<const RecorderKind> recorders() {
  return table;
}

bool is_kept_in_intervals(std::string_view method) {
  return method == "wildcards" || method == contents_method;
}

bool orders_objects(std::string_view method) {
  return method == schedule_method || recorder_kind(method).follows != "messages";
}

bool follows_memory(std::string_view method) {
  return recorder_kind(method).follows == with_memory;
}

const RecorderKind& recorder_kind(std::string_view name) {
  const auto found = std::ranges::find(table, name, &RecorderKind::name);
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const RecorderKind& kind : table) names.emplace_back(kind.name);
  throw UsageError(fmt::format("there is no recorder '{}'", name), "--method",
                   name_hint(name, names));
}

std::unique_ptr<Recorder> make_recorder(std::string_view text, std::string_view where) {
  const NameWithOptions given = NameWithOptions::parse(text, where);
  return recorder_kind(given.name()).make(given);
}

}  // namespace orrery
