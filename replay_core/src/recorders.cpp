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
std::unique_ptr<Recorder> without_options(const NameWithOptions&) {
  return make();
}

constexpr std::array<RecorderOption, 5> nic_options{{{"buffer", "64KiB"},
                                                     {"cycles", "30"},
                                                     {"compress", "no|yes"},
                                                     {"compress_cycles", "60"},
                                                     {"flush_cycles", "100"}}};
constexpr std::array<RecorderOption, 1> lamport_options{{{"objects", "no|yes"}}};
// What is not needed on real cores: reads find a version there, and need not be guessed.
constexpr RecorderOption slots{"slots", "1310720", RecordedOn::simulation};
constexpr std::array<RecorderOption, 1> global_writes_options{slots};
constexpr std::array<RecorderOption, 4> stride_options{
    {{"group", "variable|block:BYTES|site|allocation"},
     {"lag", "0", RecordedOn::simulation},
     slots,
     {"protected", "FILE", RecordedOn::real_cores}}};

constexpr std::string_view with_memory = "synchronisation and memory";

constexpr std::array<RecorderKind, 15> table = {{
    {schedule_method,
     "every step and every answer of a simulated run; replays on any network",
     {},
     without_options<detail::make_choices_recorder>,
     detail::make_choices_replayer},
    {contents_method,
     "what each message held, so that one rank can be replayed alone",
     {},
     without_options<detail::make_wildcards_recorder>,
     detail::make_wildcards_replayer},
    {"orders",
     "who sent what each receive took, and what open calls came to",
     {},
     without_options<detail::make_orders_recorder>,
     detail::make_orders_replayer},
    {"wildcards",
     "the same of receives that name no sender; real runs are recorded so",
     {},
     without_options<detail::make_wildcards_recorder>,
     detail::make_wildcards_replayer,
     "messages",
     RealPrograms::jobs_of_mpi},
    {"racing-messages",
     "one message of each pair that races, by Zeng's Algorithm 1",
     {},
     without_options<detail::make_racing_recorder>,
     detail::make_racing_replayer},
    {"racing-messages-tight",
     "the same where an earlier receive could have taken the message",
     {},
     without_options<detail::make_tight_racing_recorder>,
     detail::make_racing_replayer},
    {"nic", "who sent what came to each Myrinet card, kept by code on the cards", nic_options,
     detail::make_nic_recorder, detail::make_nic_replayer},
    {"nic+polls", "the same, and the host keeps what open calls came to", nic_options,
     detail::make_nic_polls_recorder, detail::make_nic_replayer},
    {"switch", "who sent what passed a Myrinet switch's port to each host, kept at the ports",
     nic_options, detail::make_switch_recorder, detail::make_nic_replayer},
    {"switch+polls", "the same, and the host keeps what open calls came to", nic_options,
     detail::make_switch_polls_recorder, detail::make_nic_replayer},
    {instant_replay_method,
     "which version of each shared object each task has met, and messages",
     {},
     without_options<detail::make_instant_replay_recorder>,
     detail::make_instant_replayer,
     "objects and messages",
     RealPrograms::of_threads},
    {"lamport-order", "time stamps of what threads do to locks, atomics and the like",
     lamport_options, detail::make_lamport_recorder, detail::make_lamport_replayer,
     "synchronisation", RealPrograms::of_threads},
    {leap_method,
     "in which order tasks came to each shared variable and lock",
     {},
     without_options<detail::make_leap_recorder>,
     detail::make_leap_replayer,
     with_memory,
     RealPrograms::of_threads},
    {global_writes_method,
     "one order of all writes to memory and locks, and the values that were read",
     global_writes_options, detail::make_global_writes_recorder, detail::make_linkage_replayer,
     with_memory, RealPrograms::of_threads},
    {"stride", "the order of writes of each variable, and values and bounds of reads",
     stride_options, detail::make_stride_recorder, detail::make_linkage_replayer, with_memory,
     RealPrograms::of_threads},
}};

bool is_taken(const RecorderOption& option, RecordedOn where) {
  return option.where.value_or(where) == where;
}

/// Of an option that is for the other kind of runs.
[[noreturn]] void refuse_elsewhere(const NameWithOptions& given, std::string_view key,
                                   RecordedOn where) {
  const bool is_real = where == RecordedOn::real_cores;
  throw UsageError(fmt::format("the option '{}' of '{}' is for runs {}", key, given.name(),
                               is_real ? "that are simulated" : "on real cores"),
                   given.where(),
                   is_real ? "leave it out, or record a simulated run: orrery run --record"
                           : "leave it out, or record a run on real cores: orrery record");
}

}  // namespace

std::string RecorderKind::options_text(RecordedOn where) const {
  std::string text;
  for (const RecorderOption& option : options) {
    if (!is_taken(option, where)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", option.key, option.values);
  }
  return text;
}

void RecorderKind::check_options(const NameWithOptions& given, RecordedOn where) const {
  given.allow_no_count();
  std::vector<std::string> taken;
  for (const RecorderOption& option : options) {
    if (is_taken(option, where)) taken.emplace_back(option.key);
  }
  for (const std::string& key : given.keys()) {
    if (std::ranges::find(taken, key) != taken.end()) continue;
    const bool is_known = std::ranges::find(options, key, &RecorderOption::key) != options.end();
    if (is_known) refuse_elsewhere(given, key, where);
    throw UsageError(fmt::format("'{}' has no option '{}'", name, key), given.where(),
                     taken.empty() ? "it takes no options" : name_hint(key, taken));
  }
}

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
  const RecorderKind& kind = recorder_kind(given.name());
  kind.check_options(given, RecordedOn::simulation);
  return kind.make(given);
}

}  // namespace orrery
