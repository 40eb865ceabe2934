// The processes of intervals that are executed again: started, fed, stopped.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <list>
#include <set>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/interval_replay.hpp>

#include "interval_router.hpp"
#include "interval_wire.hpp"

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

/// One process; killed, however this ends.
class Executed {
 public:
  Executed(const IntervalSetup& setup, const ImageStore& images, std::uint64_t image)
      : result_{.id = setup.id, .finding = {}} {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw UsageError(std::string("no socket can be made: ") + std::strerror(errno), flag,
                       "raise the limit on open files: ulimit -n");
    }
    descriptor_ = ends[0];
    try {
      process_ = images.restore(image, ends[1]);
    } catch (...) {
      close(ends[0]);
      close(ends[1]);
      throw;
    }
    close(ends[1]);
    try {
      write_frame(descriptor_, FrameKind::setup, encode(setup));
    } catch (const UsageError&) {
      // It has died already: whoever listens hears of that.
    }
  }
  ~Executed() { stop(); }
  Executed(const Executed&) = delete;
  Executed& operator=(const Executed&) = delete;

  [[nodiscard]] const IntervalId& id() const { return result_.id; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_running() const { return descriptor_ >= 0; }
  [[nodiscard]] bool is_waiting() const { return is_running() && is_waiting_; }
  [[nodiscard]] ReplayedInterval& result() { return result_; }

  /// Gives what it says; nothing: it has died.
  std::optional<Frame> hear() {
    std::optional<Frame> frame;
    try {
      frame = read_frame(descriptor_);
    } catch (const UsageError&) {
    }
    if (frame && frame->kind == FrameKind::waiting) is_waiting_ = true;
    return frame;
  }

  void give(const std::vector<OutsideMessage>& messages) {
    is_waiting_ = false;
    try {
      write_frame(descriptor_, FrameKind::more, encode(messages));
    } catch (const UsageError&) {
      // As above.
    }
  }

  /// Returns how the process has ended, as `waitpid` tells.
  int stop() {
    if (!is_running()) return 0;
    close(descriptor_);
    descriptor_ = -1;
    int status = 0;
    if (process_ <= 0) return 0;
    kill(process_, SIGKILL);
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  /// The same for one that has said its last.
  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    stop();
    return status;
  }

 private:
  ReplayedInterval result_;
  pid_t process_ = -1;
  int descriptor_ = -1;
  bool is_waiting_ = false;
};

/// All of them together.
class Session {
 public:
  Session(const CheckpointedRun& run, const ImageStore& images, const IntervalId& wanted,
          const IntervalOutput& output)
      : wanted_(wanted),
        executed_(executed_for(run, wanted)),
        router_(run, executed_),
        output_(output) {
    std::vector<std::uint64_t> numbers;
    for (const IntervalId& id : executed_) numbers.push_back(image_of(run, images, id, wanted));
    const std::vector<std::int32_t> ranks = ranks_of_tasks(run);
    for (std::size_t i = 0; i < executed_.size(); ++i) {
      processes_.emplace_back(setup_for(run, *run.find(executed_[i]), ranks), images, numbers[i]);
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
    for (Executed& process : processes_) {
      if (process.is_running()) process.result().was_stopped = true;
      process.stop();
      replay.intervals.push_back(process.result());
    }
    return replay;
  }

 private:
  Executed& of_wanted() {
    return *std::ranges::find(processes_, wanted_, [](const Executed& one) { return one.id(); });
  }

  bool give_messages(bool is_stuck) {
    bool has_given = false;
    for (Executed& process : processes_) {
      if (!process.is_waiting() || (is_stuck && has_given)) continue;
      const auto messages = router_.next_for(process.id(), is_stuck);
      if (messages.empty()) continue;
      process.give(messages);
      has_given = true;
    }
    return has_given;
  }

  void stop_needless() {
    for (Executed& process : processes_) {
      const bool is_needed = process.id() == wanted_ || router_.is_needed(process.id());
      if (!process.is_running() || is_needed) continue;
      process.result().was_stopped = true;
      process.stop();
    }
  }

  [[nodiscard]] bool are_all_waiting() const {
    return std::ranges::all_of(processes_, [](const Executed& process) {
      return !process.is_running() || process.is_waiting();
    });
  }

  void listen() {
    std::vector<pollfd> descriptors;
    std::vector<Executed*> speakers;
    for (Executed& process : processes_) {
      if (!process.is_running() || process.is_waiting()) continue;
      descriptors.push_back({process.descriptor(), POLLIN, 0});
      speakers.push_back(&process);
    }
    if (poll(descriptors.data(), descriptors.size(), -1) < 0 && errno != EINTR) {
      throw UsageError(std::strerror(errno), flag, "close some files");
    }
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      if (descriptors[i].revents != 0) take(*speakers[i]);
    }
  }

  void take(Executed& process) {
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
      default: return;
    }
  }

  static void has_died(Executed& process) {
    const int status = process.wait();
    std::string how = fmt::format("its process ended with status {}", WEXITSTATUS(status));
    if (WIFSIGNALED(status)) {
      how = fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    process.result().finding = Finding{FindingKind::crash, std::move(how), {}};
  }

  // The first run may have ended so, too: then the rank itself says what it is.
  void give_up() {
    Executed& process = of_wanted();
    const std::string lack = router_.lacks(wanted_);
    if (lack.empty()) return process.give({});
    std::string what = fmt::format("{} lacks {}", text(wanted_), lack);
    for (Executed& other : processes_) {
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
  std::list<Executed> processes_;
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
  return detail::Session(run, images, wanted, output).run();
}

}  // namespace orrery
