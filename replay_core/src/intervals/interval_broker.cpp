// The processes of intervals that are executed again: started, fed, stopped.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <list>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/interval_replay.hpp>

#include "interval_child.hpp"
#include "interval_router.hpp"

namespace orrery::detail {
namespace {

constexpr const char* flag = "--interval";

std::string text(const IntervalId& id) {
  return fmt::format("{}:{}", id.rank, id.number);
}

/// The interval and RS of it, ascending.
std::vector<IntervalId> executed_for(const CheckpointedRun& run, const IntervalId& wanted) {
  std::set<IntervalId> all{wanted};
  const Interval& interval = *run.find(wanted);
  all.insert(interval.depends_on.begin(), interval.depends_on.end());
  return {all.begin(), all.end()};
}

const Interval& find_interval(const CheckpointedRun& run, const IntervalId& id) {
  if (const Interval* const found = run.find(id)) return *found;
  std::uint64_t count = 0;
  std::int32_t ranks = 0;
  for (const Interval& interval : run.intervals) {
    count += interval.id.rank == id.rank ? 1 : 0;
    ranks = std::max(ranks, interval.id.rank + 1);
  }
  if (count == 0) {
    throw UsageError(fmt::format("the log has no rank {}", id.rank), flag,
                     fmt::format("ranks go from 0 to {}", ranks - 1));
  }
  throw UsageError(fmt::format("rank {} has no interval {}", id.rank, id.number), flag,
                   fmt::format("its intervals go from 0 to {}", count - 1));
}

std::uint64_t image_of(const CheckpointedRun& run, const ImageStore& images, const IntervalId& id,
                       const IntervalId& wanted) {
  const auto& number = find_interval(run, id).begin.image;
  const bool is_there = number && std::ranges::find(images.images(), *number, &ImageInfo::number) !=
                                      images.images().end();
  if (is_there) return *number;
  std::string what = "there is no image of the beginning of " + text(id);
  if (id != wanted) what += fmt::format(", on which {} depends", text(wanted));
  const bool was_dropped = number && *number < images.dropped();
  const bool is_torn = number && !was_dropped && !images.torn().empty();
  if (was_dropped) what += ": it was dropped to keep within the budget";
  if (is_torn) what += ": its file is torn (" + images.torn().front().string() + ")";
  if (!number) what += ": it could not be saved";
  throw UsageError(what, flag,
                   was_dropped ? "take a later interval, or record the run again with a larger "
                                 "--keep-checkpoints"
                               : "take another interval: orrery show lists them");
}

/// Which rank each task works for; -1: of none that is known.
std::vector<std::int32_t> ranks_of_tasks(const CheckpointedRun& run) {
  std::vector<std::int32_t> ranks;
  const auto set = [&](TaskId task, std::int32_t rank) {
    if (task.value >= ranks.size()) ranks.resize(std::size_t{task.value} + 1, -1);
    ranks[task.value] = rank;
  };
  for (const Interval& interval : run.intervals) {
    set(interval.begin.next.task, interval.id.rank);
    for (const TaskId task : interval.started) set(task, interval.id.rank);
  }
  return ranks;
}

/// `ranks`: of tasks.
IntervalSetup setup_for(const CheckpointedRun& run, const Interval& interval,
                        const std::vector<std::int32_t>& ranks) {
  IntervalSetup setup;
  setup.id = interval.id;
  if (interval.has_ended) setup.end = interval.end;
  setup.is_last = interval.is_last;
  setup.started = interval.started;
  setup.ranks = ranks;
  const auto is_own = [&](TaskId task) {
    return task.value < setup.ranks.size() && setup.ranks[task.value] == interval.id.rank;
  };
  for (const TaskProgress& progress : interval.own_progress) {
    const bool is_helper = progress.task != interval.begin.next.task;
    if (interval.has_ended && !interval.is_last && is_helper) setup.helpers.push_back(progress);
  }
  for (const OpenCalls& calls : run.records.calls) {
    if (is_own(calls.task)) setup.records.calls.push_back(calls);
  }
  for (const Answer& answer : run.records.answers) {
    if (is_own(answer.asker.task)) setup.records.answers.push_back(answer);
  }
  setup.records.run_answers = run.records.run_answers;
  for (const OperationId receive : run.withdrawn) {
    if (is_own(receive.task)) setup.withdrawn.push_back(receive);
  }
  return setup;
}

// Both processes run this very file.
std::shared_ptr<const CrashReport> decode_crash(std::span<const std::byte> bytes) {
  if (bytes.size() != sizeof(CrashReport)) return nullptr;
  auto report = std::make_shared<CrashReport>();
  std::ranges::copy(bytes, std::as_writable_bytes(std::span(report.get(), 1)).begin());
  return report;
}

/// All of them together.
class Session {
 public:
  Session(const CheckpointedRun& run, std::vector<LoggedMessage> logged,
          const IntervalStarter& start, const IntervalId& wanted, const IntervalOutput& output)
      : wanted_(wanted),
        executed_(executed_for(run, wanted)),
        router_(run, executed_, std::move(logged)),
        output_(output) {
    const std::vector<std::int32_t> ranks = ranks_of_tasks(run);
    for (const IntervalId& id : executed_) {
      IntervalSetup setup = setup_for(run, *run.find(id), ranks);
      setup.tells_sends = router_.is_needed(id);
      processes_.emplace_back(setup, start);
    }
  }

  IntervalReplay run() {
    while (of_wanted().is_running()) {
      if (give_messages(/*is_stuck=*/false)) continue;
      stop_needless();
      if (!are_all_waiting()) {
        listen();
      } else if (!give_messages(/*is_stuck=*/true)) {
        give_up();
      }
    }
    IntervalReplay replay{.intervals = {}, .wanted = wanted_};
    for (IntervalChild& process : processes_) {
      if (process.is_running()) process.result().was_stopped = true;
      process.stop();
      replay.intervals.push_back(process.result());
    }
    return replay;
  }

 private:
  IntervalChild& of_wanted() {
    return *std::ranges::find(processes_, wanted_,
                              [](const IntervalChild& one) { return one.id(); });
  }

  bool give_messages(bool is_stuck) {
    bool has_given = false;
    for (IntervalChild& process : processes_) {
      if (!process.is_waiting() || (is_stuck && has_given)) continue;
      const auto messages = router_.next_for(process.id(), is_stuck);
      if (messages.empty()) continue;
      process.give(messages);
      has_given = true;
    }
    return has_given;
  }

  void stop_needless() {
    for (IntervalChild& process : processes_) {
      const bool is_needed = process.id() == wanted_ || router_.is_needed(process.id());
      if (!process.is_running() || is_needed) continue;
      process.result().was_stopped = true;
      process.stop();
    }
  }

  [[nodiscard]] bool are_all_waiting() const {
    return std::ranges::all_of(processes_, [](const IntervalChild& process) {
      return !process.is_running() || process.is_waiting();
    });
  }

  void listen() {
    std::vector<pollfd> descriptors;
    std::vector<IntervalChild*> speakers;
    for (IntervalChild& process : processes_) {
      if (!process.is_running() || process.is_waiting()) continue;
      descriptors.push_back({process.descriptor(), POLLIN, 0});
      speakers.push_back(&process);
    }
    if (poll(descriptors.data(), descriptors.size(), -1) < 0 && errno != EINTR) {
      throw UsageError(std::strerror(errno), flag, "close some files");
    }
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      if (descriptors[i].revents == 0) continue;
      do take(*speakers[i]);
      while (speakers[i]->has_said_more());
    }
  }

  void take(IntervalChild& process) {
    const std::optional<Frame> frame = process.hear();
    if (!frame) return has_died(process);
    const std::string_view words(reinterpret_cast<const char*>(frame->content.data()),
                                 frame->content.size());
    switch (frame->kind) {
      case FrameKind::sent:
        for (OutsideMessage& message : decode_messages(frame->content)) {
          router_.sent(process.id(), std::move(message));
        }
        return;
      case FrameKind::output:
        if (output_ && !words.empty()) output_(process.id(), words.front(), words.substr(1));
        return;
      case FrameKind::done: {
        const IntervalEnd end = decode_end(frame->content);
        ReplayedInterval& result = process.result();
        result.has_ended = true;
        result.memory_hash = end.memory_hash;
        result.event_hash = end.event_hash;
        result.events = end.events;
        process.wait();
        return;
      }
      case FrameKind::over:
        process.result().finding = decode_finding(frame->content);
        process.wait();
        return;
      case FrameKind::refused: throw decode_error(frame->content);
      case FrameKind::died: process.result().crash = decode_crash(frame->content); return;
      default: return;
    }
  }

  static void has_died(IntervalChild& process) {
    const int status = process.wait();
    std::string how = fmt::format("its process ended with status {}", WEXITSTATUS(status));
    if (WIFSIGNALED(status)) {
      how = fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    process.result().finding = Finding{FindingKind::crash, std::move(how), {}};
  }

  // The first run may have ended so, too: then the rank itself says what it is.
  void give_up() {
    IntervalChild& process = of_wanted();
    const std::string lack = router_.lacks(wanted_);
    if (lack.empty()) return process.give({});
    std::string what = fmt::format("{} lacks {}", text(wanted_), lack);
    for (IntervalChild& other : processes_) {
      const std::string more = router_.lacks(other.id());
      if (other.id() == wanted_ || more.empty()) continue;
      what += fmt::format("; {} lacks {}", text(other.id()), more);
      break;
    }
    process.result().finding = Finding{FindingKind::divergence, std::move(what), {}};
    process.stop();
  }

  IntervalId wanted_;
  std::vector<IntervalId> executed_;
  MessageRouter router_;
  const IntervalOutput& output_;
  std::list<IntervalChild> processes_;
};

}  // namespace
}  // namespace orrery::detail

namespace orrery {

const ReplayedInterval& IntervalReplay::of_wanted() const {
  return *std::ranges::find(intervals, wanted, &ReplayedInterval::id);
}

IntervalReplay replay_interval(const CheckpointedRun& run, const ImageStore& images,
                               const IntervalId& wanted, const IntervalOutput& output) {
  static_cast<void>(detail::find_interval(run, wanted));
  // All of them, before the first one is restored.
  std::map<IntervalId, std::uint64_t> numbers;
  for (const IntervalId& id : detail::executed_for(run, wanted)) {
    numbers[id] = detail::image_of(run, images, id, wanted);
  }
  // Some are read while others are restored, in the order of intervals.
  std::vector<std::future<ReadImage>> reading;
  auto next = numbers.begin();
  const auto read_next = [&] {
    if (next == numbers.end()) return;
    reading.push_back(std::async(std::launch::async,
                                 [&images, number = next->second] { return images.read(number); }));
    ++next;
  };
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) read_next();
  std::size_t started = 0;
  const IntervalStarter start = [&](const IntervalId&, int descriptor) {
    const ReadImage image = reading.at(started++).get();
    read_next();
    return images.restore(image, descriptor);
  };
  std::vector<LoggedMessage> logged = run.logged_messages.of(
      [&](const IntervalId& receiver) { return numbers.contains(receiver); });
  return detail::Session(run, std::move(logged), start, wanted, output).run();
}

Interval all_intervals_of(const CheckpointedRun& run, std::int32_t rank) {
  Interval all = detail::find_interval(run, {rank, 0});
  all.begin.progress.clear();  // nothing was there yet: nothing is in an image
  all.begin.left_over.clear();
  all.depends_on.clear();
  all.taken.clear();
  for (const Interval& interval : run.intervals) {
    if (interval.id.rank != rank || interval.id.number == 0) continue;
    all.has_ended = interval.has_ended;
    all.end = interval.end;
    all.is_last = interval.is_last;
    all.started.insert(all.started.end(), interval.started.begin(), interval.started.end());
    all.own_progress = interval.own_progress;
    all.memory_hash = interval.memory_hash;
    all.event_hash = interval.event_hash;
    all.events += interval.events;
    all.end_progress = interval.end_progress;
    all.end_left_over = interval.end_left_over;
  }
  return all;
}

IntervalReplay replay_rank(CheckpointedRun run, std::int32_t rank, const IntervalStarter& start,
                           const IntervalOutput& output) {
  Interval all = all_intervals_of(run, rank);
  std::erase_if(run.intervals,
                [&](const Interval& one) { return one.id.rank == rank && one.id.number > 0; });
  *std::ranges::find(run.intervals, all.id, &Interval::id) = std::move(all);
  std::vector<LoggedMessage> logged =
      run.logged_messages.of([&](const IntervalId& receiver) { return receiver.rank == rank; });
  for (LoggedMessage& message : logged) message.receiver.number = 0;
  return detail::Session(run, std::move(logged), start, {rank, 0}, output).run();
}

}  // namespace orrery
