#include "interval_replays.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <orrery/explorers/death.hpp>
#include <orrery/network_model/duration_text.hpp>
#include <orrery/replay_core/interval_replay.hpp>
#include <orrery/replay_core/recorders.hpp>

#include "checkpointing.hpp"
#include "finding_text.hpp"
#include "json_report.hpp"
#include "source_quote.hpp"

namespace orrery::cli {
namespace {

/// `3:17`.
std::pair<std::int32_t, std::uint64_t> two_numbers(const std::string& text, const std::string& flag,
                                                   const char* hint) {
  const auto fail = [&] {
    throw UsageError("these are not two numbers with a colon between: '" + text + "'", flag, hint);
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) fail();
  const auto read = [&](std::size_t begin, std::size_t end, auto& number) {
    const char* const last = text.data() + end;
    const auto [stop, error] = std::from_chars(text.data() + begin, last, number);
    if (begin == end || error != std::errc() || stop != last) fail();
  };
  std::pair<std::int32_t, std::uint64_t> numbers;
  read(0, colon, numbers.first);
  read(colon + 1, text.size(), numbers.second);
  if (numbers.first < 0) fail();
  return numbers;
}

/// Of the rank the last interval that begins so early.
template <typename IsEarly>
IntervalId last_that(const CheckpointedRun& run, std::int32_t rank, const std::string& flag,
                     const IsEarly& is_early) {
  const Interval* last = nullptr;
  bool has_rank = false;
  for (const Interval& interval : run.intervals) {
    if (interval.id.rank != rank) continue;
    has_rank = true;
    if (is_early(interval)) last = &interval;
  }
  if (!has_rank) {
    throw UsageError(fmt::format("the log has no rank {}", rank), flag, "orrery show lists them");
  }
  if (last == nullptr) {
    throw UsageError(fmt::format("rank {} had done nothing by then", rank), flag,
                     "orrery show lists the intervals");
  }
  return last->id;
}

constexpr const char* operation_advice =
    "write RANK:OPERATION, as orrery show numbers them: 3:4711";

/// How files are called that are being written.
constexpr std::string_view unfinished = ".part";

/// The directory of the images, beside the log or what is left of it.
std::string images_of(std::string log) {
  if (log.ends_with(unfinished)) log.resize(log.size() - unfinished.size());
  return images_beside(log);
}

std::string text(const IntervalId& id) {
  return fmt::format("{}:{}", id.rank, id.number);
}

/// What is known of the wanted interval, and what came of it now.
struct Comparison {
  const Interval& first;
  const ReplayedInterval& again;
  bool is_rank = false;  ///< all of the rank, from its beginning
  /// What people call it.
  [[nodiscard]] std::string part() const {
    return is_rank ? fmt::format("rank {}", first.id.rank) : "interval " + text(first.id);
  }
  [[nodiscard]] bool can_be_made() const { return first.has_ended && again.has_ended; }
  [[nodiscard]] bool has_same_memory() const { return first.memory_hash == again.memory_hash; }
  [[nodiscard]] bool has_same_events() const {
    return first.event_hash == again.event_hash && first.events == again.events;
  }
};

/// The findings of the replay: none if the interval is what it was.
std::vector<Finding> findings_of(const Comparison& comparison) {
  if (comparison.again.crash != nullptr) {
    return outcome_of_death(CrashReporter::exit_status, *comparison.again.crash).findings;
  }
  if (comparison.again.finding) return {*comparison.again.finding};
  if (!comparison.can_be_made()) return {};
  std::string what;
  if (!comparison.has_same_events()) {
    what = fmt::format("{} events, and in the first run there were {}{}", comparison.again.events,
                       comparison.first.events,
                       comparison.again.events == comparison.first.events ? " others" : "");
  } else if (!comparison.has_same_memory()) {
    what = "the same events, but another memory at its end";
  }
  if (what.empty()) return {};
  return {{FindingKind::divergence,
           fmt::format("{} is not what it was: {}", comparison.part(), what),
           {}}};
}

std::string text_of(const CheckpointedRun& run, const IntervalReplay& replay,
                    const Comparison& comparison, const std::vector<Finding>& findings,
                    const Paint& paint) {
  SourceLines sources("");
  std::string result = findings_text(findings, paint, sources);
  if (findings.empty()) result += paint.green("no finding") + "\n";
  const Interval& first = comparison.first;
  if (comparison.is_rank) {
    result += fmt::format("rank {} alone: from its beginning", first.id.rank);
  } else {
    result += fmt::format("interval {} of rank {}: from operation {} at {}", first.id.number,
                          first.id.rank, first.begin.next.number,
                          duration_text(first.begin.date.since_start()));
  }
  if (!first.has_ended) {
    result += ", in which the run ended\n";
  } else {
    result += fmt::format(" {} {}\n", first.is_last ? "to its end, operation" : "to operation",
                          first.end.number);
  }
  if (!comparison.is_rank) {
    result += fmt::format("executed again: {} of {}:", replay.intervals.size(),
                          counted(run.intervals.size(), "interval", "intervals"));
    for (const ReplayedInterval& one : replay.intervals) result += " " + text(one.id);
    result += "\n";
  }
  if (comparison.can_be_made()) {
    result += fmt::format("{}, {}; memory at its end: {}\n",
                          counted(comparison.again.events, "event", "events"),
                          comparison.has_same_events() ? "as recorded" : "others than recorded",
                          comparison.has_same_memory() ? "as recorded" : "another than recorded");
  }
  return result;
}

Json json_of(const SavedRun& saved, const IntervalReplay& replay, const Comparison& comparison,
             const std::vector<Finding>& findings, const std::string& path,
             const std::string& output) {
  JsonReport json;
  json.command = "replay";
  json.program = saved.program.name;
  json.seed = saved.settings.seed;
  json.runs = 1;
  json.outcome = findings.empty() ? "clean" : "finding";
  json.output = output;
  for (const Finding& finding : findings) json.findings.push_back({finding, path});
  if (comparison.is_rank) {
    json.stats["rank"] = replay.wanted.rank;
  } else {
    json.stats["interval"] = text(replay.wanted);
    json.stats["intervals_replayed"] = Json::array();
    for (const ReplayedInterval& one : replay.intervals) {
      json.stats["intervals_replayed"].push_back(text(one.id));
    }
    json.stats["intervals_total"] = saved.checkpoints->intervals.size();
  }
  json.stats["events"] = comparison.again.events;
  if (comparison.can_be_made()) {
    json.stats["events_match"] = comparison.has_same_events();
    json.stats["memory_matches"] = comparison.has_same_memory();
  }
  return to_json(json);
}

void tell_of_cut(const Console& console, const SavedRun& saved) {
  if (!saved.is_whole) print_note(console, "the log was cut: " + saved.why_cut + "\n");
}

/// What the wanted part writes: printed as it comes, and kept.
class PartOutput {
 public:
  PartOutput(const Console& console, const IntervalId& wanted)
      : console_(console), wanted_(wanted) {}
  [[nodiscard]] IntervalOutput sink() {
    return [this](const IntervalId& interval, int stream, std::string_view text) {
      if (interval != wanted_) return;
      text_ += text;
      if (console_.is_json) return;
      if (stream == 2) print_err(text);
      if (stream != 2) print_out(text);
    };
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const Console& console_;
  IntervalId wanted_;
  std::string text_;
};

/// Prints what came of it; the exit status.
int conclude(const Console& console, const SavedRun& saved, const std::string& path,
             const IntervalReplay& replay, const Comparison& comparison,
             const std::string& output) {
  const std::vector<Finding> findings = findings_of(comparison);
  if (console.is_json) {
    print_out(json_text(json_of(saved, replay, comparison, findings, path, output)));
  } else if (!console.is_quiet || !findings.empty()) {
    const Paint paint = Paint::for_stream(console, STDERR_FILENO);
    print_err(text_of(*saved.checkpoints, replay, comparison, findings, paint));
  }
  return findings.empty() ? status_clean : status_finding;
}

/// `3.17`: task and operation.
bool names_task(const std::string& text) {
  const auto dot = text.find('.');
  const auto are_digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dot != std::string::npos && are_digits(std::string_view(text).substr(0, dot)) &&
         are_digits(std::string_view(text).substr(dot + 1));
}

}  // namespace

void IntervalFlags::declare(Flags& flags) {
  flags.text("--interval", interval_, "RANK:N",
             "only this interval between checkpoints, with what it depends on");
  flags.text("--at", at_, "TIME|RANK:N|TASK.N",
             "only the interval of --rank in which this virtual time, or operation, lies; with "
             "--gdb: where to stop");
  flags.whole_number("--rank", rank_, "whose interval --at means; by itself: only this rank", 0,
                     INT32_MAX);
  flags.text("--event", event_, "RANK:N", "only the interval with this operation of the rank");
}

void IntervalFlags::check(bool is_for_debugger) {
  if (at_ && names_task(*at_)) {
    task_event_ = at_;
    if (!is_for_debugger) {
      throw UsageError("'" + *at_ + "' is an operation of a task, at which a debugger can stop",
                       "--at", "add --gdb; an interval is that of a time or of RANK:N");
    }
  } else if (at_ && at_->find(':') == std::string::npos) {
    date_ = parse_duration(*at_, "--at");
  }
  const int count = (interval_ ? 1 : 0) + (at_ ? 1 : 0) + (event_ ? 1 : 0);
  if (count > 1) {
    throw UsageError("cannot be used together with another interval", name(),
                     "give one of --interval, --at and --event");
  }
  if (at_ && !date_ && !task_event_) event_ = at_;
  if (rank_ && count > 0 && !date_) {
    throw UsageError("cannot be used together with " + name(), "--rank", "leave one of them out");
  }
}

std::string IntervalFlags::stop(std::uint32_t ranks) const {
  const auto check_rank = [&](std::uint64_t rank, const std::string& flag) {
    if (ranks == 0 || rank < ranks) return;
    throw UsageError(
        fmt::format("the log has no rank {}", rank), flag,
        fmt::format("it has {}; TASK.OPERATION, as in 3.17, names a thread's",
                    ranks == 1 ? "rank 0 alone" : fmt::format("those from 0 to {}", ranks - 1)));
  };
  if (interval_) {
    throw UsageError("cannot be used together with --gdb", "--interval",
                     "stop at its first operation: --at RANK:N");
  }
  if (task_event_) return *task_event_;
  if (event_) {
    const auto [rank, number] = two_numbers(*event_, name(), operation_advice);
    check_rank(static_cast<std::uint64_t>(rank), name());
    return fmt::format("{}:{}", rank, number);
  }
  const std::string date = date_ ? fmt::format("{}ps", date_->picoseconds()) : "";
  if (!rank_) return date;
  check_rank(*rank_, "--rank");
  return date.empty() ? fmt::format("{}:1", *rank_) : fmt::format("{}@{}", *rank_, date);
}

std::optional<std::int32_t> IntervalFlags::lone_rank() const {
  if (!rank_ || date_) return std::nullopt;
  return static_cast<std::int32_t>(*rank_);
}

std::string IntervalFlags::name() const {
  return interval_ ? "--interval" : at_ ? "--at" : event_ ? "--event" : "--rank";
}

IntervalId IntervalFlags::find(const CheckpointedRun& run) const {
  if (interval_) {
    const auto [rank, number] =
        two_numbers(*interval_, "--interval", "write RANK:INTERVAL, both from 0: 3:17");
    return {rank, number};
  }
  if (event_) {
    const auto [rank, number] = two_numbers(
        *event_, "--event", "write RANK:OPERATION, as orrery show numbers them: 3:4711");
    const IntervalId found =
        last_that(run, rank, name(), [wanted = number](const Interval& interval) {
          return interval.begin.next.number <= wanted;
        });
    const Interval& last = *run.find(found);
    if (last.is_last && last.end.number < number) {
      throw UsageError(fmt::format("rank {} has no operation {}", rank, number), name(),
                       fmt::format("its last one is {}", last.end.number));
    }
    return found;
  }
  if (!rank_) throw UsageError("each rank has intervals of its own", "--at", "add --rank N");
  return last_that(run, static_cast<std::int32_t>(*rank_), "--at", [&](const Interval& interval) {
    return interval.begin.date.since_start() <= *date_;
  });
}

std::string log_or_what_is_left(const std::string& path) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(path, error);
  const std::string left = path + std::string(unfinished);
  return !is_there && std::filesystem::exists(left, error) ? left : path;
}

int replay_wanted_interval(const Console& console, const SavedRun& saved, const std::string& path,
                           const IntervalFlags& flags,
                           const std::function<FoundProgram()>& find_program) {
  if (!saved.checkpoints || !has_images(*saved.checkpoints)) {
    throw UsageError("the log has no checkpoints, from which an interval could go on", path,
                     std::string("record the run again with --checkpoint-every") +
                         (saved.checkpoints ? ", or take all of a rank: --rank N" : ""));
  }
  tell_of_cut(console, saved);
  const CheckpointedRun& run = *saved.checkpoints;
  const IntervalId wanted = flags.find(run);
  if (const Interval* const found = run.find(wanted);
      found != nullptr && !found->has_ended && !saved.is_whole) {
    throw UsageError(
        fmt::format("interval {} had not ended when the recording was cut", text(wanted)),
        flags.name(), "take an earlier one: orrery show lists them");
  }
  const ImageStore images(images_of(path));
  PartOutput output(console, wanted);
  const IntervalReplay replay = replay_interval(run, images, wanted, output.sink());
  // The program is in the image; only its lines are wanted, and only here.
  std::optional<FoundProgram> program;
  if (replay.of_wanted().crash != nullptr) {
    try {
      program = find_program();
    } catch (const UsageError&) {
      // It is not here any more.
    }
  }
  return conclude(console, saved, path, replay, {*run.find(wanted), replay.of_wanted()},
                  output.text());
}

int replay_lone_rank(const Console& console, const SavedRun& saved, const std::string& path,
                     const FoundProgram& program, std::int32_t rank) {
  if (saved.method != contents_method || !saved.checkpoints) {
    throw UsageError(
        "the log does not hold what messages held, so no rank can go alone", "--rank",
        "record the run with --method contents, or name an interval: --at, --interval");
  }
  tell_of_cut(console, saved);
  const Interval first = all_intervals_of(*saved.checkpoints, rank);
  program.image->keep_ranks_apart(true);
  const IntervalStarter start = [&](const IntervalId&, int descriptor) -> int {
    std::fflush(nullptr);  // else the child writes this process's buffers a second time
    const pid_t process = fork();
    if (process < 0) throw UsageError(std::strerror(errno), "fork", "end some processes");
    if (process > 0) return process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    replay_from_beginning(
        {.program = program.program,
         .machine = program.machine,
         .rank = rank,
         .first_task = first.begin.next.task,
         .memory_hash = [&](std::int32_t of) { return memory_hash_of(*program.image, of); }},
        descriptor);
  };
  PartOutput output(console, {rank, 0});
  const IntervalReplay replay = replay_rank(*saved.checkpoints, rank, start, output.sink());
  return conclude(console, saved, path, replay,
                  {.first = first, .again = replay.of_wanted(), .is_rank = true}, output.text());
}

}  // namespace orrery::cli
