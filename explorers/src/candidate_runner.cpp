#include "candidate_runner.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/finding_json.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "bounded_random.hpp"
#include "finding_json.hpp"
#include "follow_schedule.hpp"
#include "patience.hpp"
#include "recording.hpp"
#include "strategies.hpp"
#include "timeline_mirror.hpp"
#include "timers_ahead.hpp"
#include "unasked_preemptions.hpp"
#include "wall_clock.hpp"

namespace orrery::detail {
namespace {

using Kind = CandidateRequest::Kind;

/// Does it decide who comes next by withholding the others?
constexpr bool withholds(Kind kind) {
  return kind == Kind::replay || kind == Kind::polling_turns || kind == Kind::delays;
}

/// Enough for the few hundred runs that the shrinker gives it.
std::string exhaustive_text(std::uint64_t preemptions) {
  return "exhaustive:preemptions=" + std::to_string(preemptions) + ",values=4,depth=100000";
}

template <class T>
void append(std::vector<std::byte>& bytes, const std::vector<T>& items) {
  const auto more = std::as_bytes(std::span(items));
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// Takes so many items off the front.
template <class T>
std::vector<T> take_items(std::span<const std::byte>& bytes, std::size_t count) {
  std::vector<T> items(count);
  if (count > 0) std::memcpy(items.data(), bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
  return items;
}

Message encode(const CandidateRequest& request) {
  Message message;
  message.value = {{"kind", static_cast<unsigned>(request.kind)},
                   {"preemptions", request.preemptions},
                   {"steps", request.steps},
                   {"index", request.index},
                   {"turns", request.turns.turns.size()},
                   {"timed_out", request.turns.timed_out.size()},
                   {"timed_out_later", request.turns.timed_out_later.size()},
                   {"clocks", request.turns.clocks.size()},
                   {"reads_max", request.turns.reads_max},
                   {"repeats_max", request.turns.repeats_max},
                   {"timeline", request.wants_timeline}};
  if (const auto& below = request.below) {
    message.value["below"] = {below->preemptions, below->deviations, below->reordered,
                              below->steps};
  }
  if (request.schedule != nullptr) {
    message.bytes = to_bytes(*request.schedule);
  } else {
    append(message.bytes, request.turns.turns);
    append(message.bytes, request.turns.timed_out);
    append(message.bytes, request.turns.timed_out_later);
    append(message.bytes, request.turns.clocks);
    append(message.bytes, request.deviations);
    append(message.bytes, request.delays);
  }
  return message;
}

std::unique_ptr<Chooser> deviating_chooser(std::span<const std::byte> bytes) {
  auto chooser = std::make_unique<DeviatingChooser>();
  chooser->set(take_items<Deviation>(bytes, bytes.size() / sizeof(Deviation)));
  return chooser;
}

std::unique_ptr<Chooser> delaying_chooser(std::span<const std::byte> bytes) {
  return make_delaying_chooser(take_items<Delay>(bytes, bytes.size() / sizeof(Delay)));
}

std::unique_ptr<Chooser> turn_taker(const Message& request, bool polls_on,
                                    const TaskPlaces& places) {
  std::span<const std::byte> bytes = request.bytes;
  TurnsOfRun run;
  const auto count = [&request](const char* of) { return request.value.at(of).get<std::size_t>(); };
  run.turns = take_items<Turn>(bytes, count("turns"));
  run.timed_out = take_items<PlacedOperation>(bytes, count("timed_out"));
  run.timed_out_later = take_items<PlacedOperation>(bytes, count("timed_out_later"));
  run.clocks = take_items<ClockReading>(bytes, count("clocks"));
  run.reads_max = request.value.at("reads_max").get<std::uint32_t>();
  run.repeats_max = request.value.at("repeats_max").get<std::uint32_t>();
  const auto others = take_items<Deviation>(bytes, bytes.size() / sizeof(Deviation));
  return polls_on ? make_polling_turn_taker(run, others, places)
                  : make_turn_taker(run, others, places);
}

}  // namespace

/// The worker's side.
class CandidateRunner::Loop {
 public:
  explicit Loop(CandidateRunner& owner)
      : owner_(owner),
        session_(owner.setup_, owner.program_, owner.recording_.bytes()),
        tally_(owner.tally_.as<DeviationBlock>()) {
    session_.watch(tally_);
  }

  Message answer(const Message& request) {
    const std::unique_ptr<Chooser> chooser = make_chooser(request);
    if (request.value.at("timeline").get<bool>() && !timeline_) {
      timeline_.emplace(owner_.timeline_.as<MirrorBlock>());
      session_.watch(*timeline_);
      session_.watch(timers_ahead_);
    }
    const Outcome outcome = session_.run(*chooser, owner_.seed_, owner_.run_index_,
                                         [&] { return may_be_taken(request.value); });
    const auto other = session_.other_run();
    return {{{"findings", to_json(outcome.findings)},
             {"output", outcome.output},
             {"timers_ahead", timers_ahead_.text()}},
            other ? to_bytes(*other) : std::vector<std::byte>{}};
  }

  void serve(int request_fd, int answer_fd) {
    MessageReader reader;
    while (reader.read_some(request_fd)) {
      while (const auto request = reader.next()) {
        if (!write_message(answer_fd, answer(*request))) return;
      }
    }
  }

 private:
  /// What the run that was just done costs is known.
  [[nodiscard]] bool may_be_taken(const nlohmann::json& request) const {
    if (!request.contains("below")) return true;
    const auto below = request.at("below").get<std::array<std::uint64_t, 4>>();
    return owner_.tally_.as<DeviationBlock>().cost <
           RunCost{below[0], below[1], below[2], below[3]};
  }

  std::unique_ptr<Chooser> make_chooser(const Message& request) {
    const auto& value = request.value;
    const auto kind = static_cast<Kind>(value.at("kind").get<unsigned>());
    if (withholds(kind)) count_unasked();
    switch (kind) {
      case Kind::schedule: return std::make_unique<ScheduleFollower>(schedule_from(request.bytes));
      case Kind::shared_schedule: return make_follower_of_shared(schedule_from(request.bytes));
      case Kind::replay: return std::make_unique<JudgingReplayer>(schedule_from(request.bytes));
      case Kind::exhaustive:
        return make_strategy(exhaustive_text(value.at("preemptions")))
            ->chooser(owner_.walk_.bytes());
      case Kind::bounded_random:
        return make_bounded_random(value.at("preemptions"), value.at("steps"), value.at("index"));
      case Kind::turns: return turn_taker(request, false, watched_places());
      case Kind::polling_turns: return turn_taker(request, true, watched_places());
      case Kind::delays: return delaying_chooser(request.bytes);
      case Kind::deviations: break;
    }
    return deviating_chooser(request.bytes);
  }

  void count_unasked() {
    if (unasked_) return;
    session_.watch(unasked_.emplace(owner_.tally_.as<DeviationBlock>().unasked_preemptions));
  }
  const TaskPlaces& watched_places() {
    if (!places_) session_.watch(places_.emplace());
    return *places_;
  }

  CandidateRunner& owner_;
  RunSession session_;
  DeviationTally tally_;
  std::optional<TaskPlaces> places_;           ///< from the first run by turns on
  std::optional<UnaskedPreemptions> unasked_;  ///< from the first one that withholds on
  std::optional<TimelineMirror> timeline_;
  TimersAhead timers_ahead_;
};

CandidateRunner::CandidateRunner(RunSetup setup, const Program& program, std::uint64_t seed,
                                 std::uint64_t run_index, bool isolate)
    : setup_(std::move(setup)),
      program_(program),
      seed_(seed),
      run_index_(run_index),
      isolate_(isolate),
      crash_(sizeof(CrashReport)),
      recording_(recording_bytes),
      tally_(sizeof(DeviationBlock)),
      timeline_(sizeof(MirrorBlock)),
      walk_(make_strategy(exhaustive_text(0))->walk_bytes()) {}

CandidateRunner::~CandidateRunner() {
  stop();
}

void CandidateRunner::start() {
  std::array<int, 2> requests{};
  if (pipe2(requests.data(), O_CLOEXEC) != 0) {
    throw UsageError(std::string("cannot make a pipe to a worker: ") + std::strerror(errno),
                     "shrink", "raise the limit on open files (ulimit -n)");
  }
  crash_.as<CrashReport>().clear();
  process_ = std::make_unique<ChildProcess>([this, requests](int answer_fd) {
    close(requests[1]);  // else the end of the requests is never seen
    CrashReporter reporter(crash_.as<CrashReport>());
    if (setup_.observer_findings) {
      reporter.tell_findings([this] { return json_text(setup_.observer_findings()); });
    }
    try {
      Loop(*this).serve(requests[0], answer_fd);
    } catch (const UsageError& error) {
      write_message(answer_fd, {{{"error", {error.problem(), error.where(), error.hint()}}}, {}});
    }
  });
  close(requests[0]);
  request_fd_ = requests[1];
}

void CandidateRunner::stop() {
  if (request_fd_ >= 0) close(std::exchange(request_fd_, -1));
  process_.reset();
}

std::optional<Message> CandidateRunner::ask(const Message& request) {
  if (process_ == nullptr) start();
  const BrokenPipeGuard guard;  // the worker may have died since
  write_message(request_fd_, request);
  const Stopwatch since_asked;
  for (;;) {
    pollfd waiting{process_->fd(), POLLIN, 0};
    const bool has_something = poll(&waiting, 1, 100) > 0;
    const bool is_alive = !has_something || process_->read_some();
    if (auto message = process_->next_message()) return message;
    if (!is_alive) return std::nullopt;
    if (since_asked.elapsed_ns() > patience_ns(setup_.simulation)) {
      is_hung_ = true;
      process_->kill_now();
    }
  }
}

CandidateResult CandidateRunner::run(const CandidateRequest& request) {
  CandidateResult result;
  if (!isolate_ && here_ == nullptr) here_ = std::make_unique<Loop>(*this);
  std::optional<Message> answer = isolate_ ? ask(encode(request)) : here_->answer(encode(request));
  if (answer) {
    if (answer->value.contains("error")) {
      const auto& error = answer->value["error"];
      throw UsageError(error[0], error[1], error[2]);
    }
    result.findings = findings_from_json(answer->value.at("findings"));
    result.output = answer->value.at("output");
    result.timers_ahead = answer->value.at("timers_ahead");
    if (!answer->bytes.empty()) result.other_run = schedule_from(answer->bytes);
  } else {
    const int status = process_->wait();
    if (!std::exchange(is_hung_, false)) {
      result.findings = outcome_of_death(status, crash_.as<CrashReport>()).findings;
    }
    stop();
  }
  const auto& tally = tally_.as<DeviationBlock>();
  if (request.wants_timeline) result.timeline = timeline_.as<MirrorBlock>().text();
  result.deviations = tally.deviations();
  result.cost = tally.cost;
  if (withholds(request.kind)) result.cost.preemptions += tally.unasked_preemptions;
  // A run that has died has told of its questions only.
  if (!answer) result.cost.steps = schedule().steps();
  return result;
}

void CandidateRunner::set_step_limit(std::uint64_t steps) {
  setup_.simulation.step_limit = steps;
  stop();  // the worker has a machine with the old one
  here_.reset();
}

Schedule CandidateRunner::schedule() const {
  return recorded_schedule(recording_.bytes());
}

void CandidateRunner::begin_exhaustive(std::uint64_t preemptions) {
  exhaustive_ = make_strategy(exhaustive_text(preemptions));
  std::memset(walk_.bytes().data(), 0, 4096);
  exhaustive_->first(walk_.bytes());
}

bool CandidateRunner::next_exhaustive() {
  return exhaustive_->next(walk_.bytes());
}

}  // namespace orrery::detail
