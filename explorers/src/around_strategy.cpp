// Around: the neighbours of one recorded run, the nearest first.
//
// The first run is the recorded one.  Then come all runs that answer one of its questions
// otherwise, the last question first, since such a run has most in common with the record; then
// runs that do so twice, three times, ..., as many of each as there were with one, drawn at random.
// What the record says of other questions holds as long as they are asked.  To a new one, what was
// displaced is the answer, if it is there, or else the undisturbed one; from two changes on, some
// of these are varied too.  So the search goes by single changes at first, and by chance in the
// end.
//
// The first run of a real program's log may go another way: real threads poll on where nothing has
// happened.  Then the second one is the recorded run, and the others have other turns
// (`TurnsAround`).
//
// That bugs are near runs that people have seen is the idea of delay bounding (Emmi, Qadeer and
// Rakamaric, "Delay-bounded scheduling", POPL 2011), where the run in the middle is that of a
// scheduler.  Of a draw one other value is tried, at random.  Dates off clocks and inputs stay.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/explorers/keyed_draw.hpp>
#include <orrery/explorers/strategies.hpp>

#include "follow_schedule.hpp"
#include "strategy_kinds.hpp"
#include "turns_around.hpp"

namespace orrery::detail {
namespace {

/// A question of the recorded run, and its answer.
struct Note {
  std::uint64_t question = 0;
  std::uint64_t value = 0;  ///< of a draw
  OperationId answer;
  ChoiceKind kind = ChoiceKind::step;
  OperationKind operation = OperationKind::none;
  std::uint32_t others = 0;  ///< other answers to try
};

/// The walk's state.  All-zero bytes are the beginning.
struct Walk {
  std::uint64_t run = 0;
  std::uint64_t noted = 0;
  std::uint64_t at = 0;             ///< of one change: behind its note; 0: all have been made
  std::uint64_t other = 0;          ///< of one change: which of the other answers
  std::uint64_t singles = 0;        ///< runs with one change
  std::uint64_t goes_by_turns = 0;  ///< 1: the first run was not the recorded one

  [[nodiscard]] Note* notes() { return reinterpret_cast<Note*>(this + 1); }
  [[nodiscard]] const Note* notes() const { return reinterpret_cast<const Note*>(this + 1); }
};
static_assert(sizeof(Walk) % alignof(Note) == 0);

/// Later questions of the recorded run are not varied.
constexpr std::uint64_t notes_max = std::uint64_t{1} << 18U;

Walk& walk_of(std::span<std::byte> bytes) {
  return *reinterpret_cast<Walk*>(bytes.data());
}

bool has_weight(const ValueQuestion& question, std::uint64_t value) {
  return question.weights.empty() ||
         question.weights[static_cast<std::size_t>(value - question.low)] != 0;
}

/// Can a value besides `given` come up?
bool has_other_value(const ValueQuestion& question, std::uint64_t given) {
  if (question.weights.empty()) return question.high > question.low;
  for (std::uint64_t value = question.low; value <= question.high; ++value) {
    if (value != given && has_weight(question, value)) return true;
  }
  return false;
}

/// Answers the recorded run's questions as it does, but for some.
class AnswersAround final : public Chooser {
 public:
  AnswersAround(const Schedule& schedule, Walk& walk) : walk_(walk), follower_(schedule) {}

  void begin_run(const RunInfo& info) override {
    draw_ = KeyedDraw(info.seed, info.run_index);
    by_question_.clear();
    changes_.clear();
    displaced_.clear();
    if (is_first()) {
      walk_.noted = 0;
      return follower_.begin_run(info);
    }
    for (std::uint64_t i = 0; i < walk_.noted; ++i)
      by_question_.emplace(walk_.notes()[i].question, i);
    if (walk_.at > 0) {
      changes_.emplace(walk_.at - 1, walk_.other);
    } else {
      draw_changes();
    }
  }

  Decision choose(const ChoicePoint& point) override {
    if (is_first()) return follow(point);
    const auto found = by_question_.find(point.question);
    if (found == by_question_.end()) return answer_new(point);
    const Note& noted = walk_.notes()[found->second];
    const std::size_t recorded = index_of(point, noted);
    if (noted.kind != point.kind || recorded == point.alternatives.size()) return answer_new(point);
    const auto change = changes_.find(found->second);
    if (change == changes_.end()) return Decision::take(recorded);
    displaced_.push_back(noted);
    return Decision::take((recorded + change->second + 1) % point.alternatives.size());
  }

  std::uint64_t choose_value(const ValueQuestion& question) override {
    if (is_first()) return note(question, follower_.choose_value(question));
    const auto found = by_question_.find(question.question);
    if (found == by_question_.end() || question.kind == ChoiceKind::clock) return question.low;
    const Note& noted = walk_.notes()[found->second];
    if (noted.kind != question.kind || !admits_answer(question, noted.value)) return question.low;
    return changes_.contains(found->second) ? other_value(question, noted.value) : noted.value;
  }

 private:
  [[nodiscard]] bool is_first() const { return walk_.run == 0; }

  static std::size_t index_of(const ChoicePoint& point, const Note& noted) {
    const auto found = std::find_if(point.alternatives.begin(), point.alternatives.end(),
                                    [&](const Alternative& one) {
                                      return one.id == noted.answer && one.kind == noted.operation;
                                    });
    return static_cast<std::size_t>(found - point.alternatives.begin());
  }

  /// What a change has displaced comes next: so the rest stays as it was.  Far from the record new
  /// questions are varied as often as those that it has.
  Decision answer_new(const ChoicePoint& point) {
    if (walk_.at == 0 && scale_to(draw_.bits(point.question, 3), walk_.noted) < changes_.size()) {
      return Decision::take(draw_.index(point));
    }
    for (auto noted = displaced_.begin(); noted != displaced_.end(); ++noted) {
      const std::size_t index = index_of(point, *noted);
      if (noted->kind != point.kind || index == point.alternatives.size()) continue;
      displaced_.erase(noted);
      return Decision::take(index);
    }
    return Decision::take(point.default_index());
  }

  void add(const Note& noted) {
    if (walk_.noted < notes_max) walk_.notes()[walk_.noted++] = noted;
  }
  Decision follow(const ChoicePoint& point) {
    const Decision decision = follower_.choose(point);
    // At once: the run may kill its process.
    if (follower_.has_parted()) walk_.goes_by_turns = 1;
    const Alternative& taken = point.alternatives[decision.index];
    const auto others = static_cast<std::uint32_t>(point.alternatives.size() - 1);
    add({point.question, 0, taken.id, point.kind, taken.kind, others});
    return decision;
  }
  std::uint64_t note(const ValueQuestion& question, std::uint64_t given) {
    if (question.kind == ChoiceKind::clock) return given;
    const bool varies = !is_input(question.kind) && has_other_value(question, given);
    add({question.question, given, {}, question.kind, OperationKind::none, varies ? 1U : 0U});
    return given;
  }

  /// As likely as the question says, but not the recorded one.
  [[nodiscard]] std::uint64_t other_value(const ValueQuestion& question,
                                          std::uint64_t recorded) const {
    if (!has_other_value(question, recorded)) return recorded;
    std::uint64_t value = draw_.value(question);
    while (value == recorded || !has_weight(question, value)) {
      value = value == question.high ? question.low : value + 1;
    }
    return value;
  }
  /// As many as this run is far from the record.
  void draw_changes() {
    const std::uint64_t wanted = 1 + (walk_.run - 1) / walk_.singles;
    for (std::uint64_t i = 0; i < wanted; ++i) {
      std::uint64_t at = scale_to(draw_.bits(i, 1), walk_.noted);
      while (walk_.notes()[at].others == 0) at = (at + 1) % walk_.noted;  // there is one
      changes_.emplace(at, scale_to(draw_.bits(i, 2), walk_.notes()[at].others));
    }
  }

  Walk& walk_;
  ScheduleFollower follower_;
  KeyedDraw draw_;
  // Only looked up, never gone through.
  std::unordered_map<std::uint64_t, std::uint64_t> by_question_;  // places of notes
  std::unordered_map<std::uint64_t, std::uint64_t> changes_;      // by note: which other answer
  std::vector<Note> displaced_;  // answers that were changed, and have not come yet
};

class AroundChooser final : public Chooser {
 public:
  AroundChooser(const Schedule& schedule, const Walk& walk, std::unique_ptr<AnswersAround> answers)
      : schedule_(schedule), walk_(walk), answers_(std::move(answers)) {}

  void begin_run(const RunInfo& info) override {
    current_ = answers_.get();
    if (walk_.goes_by_turns == 0 || walk_.run == 0) return answers_->begin_run(info);
    if (turns_ == nullptr) turns_ = std::make_unique<TurnsAround>(schedule_);
    turns_->begin(info, walk_.run - 1);
    current_ = turns_.get();
  }
  [[nodiscard]] bool constrains() const override { return current_->constrains(); }
  bool admits(const Alternative& one) override { return current_->admits(one); }
  void took(const Alternative& taken) override { current_->took(taken); }
  bool gives_way(const PendingOperations& pending) override { return current_->gives_way(pending); }
  [[nodiscard]] bool lets_sleepers_wake() const override { return current_->lets_sleepers_wake(); }
  Decision choose(const ChoicePoint& point) override { return current_->choose(point); }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return current_->choose_value(question);
  }

 private:
  const Schedule& schedule_;
  const Walk& walk_;
  std::unique_ptr<AnswersAround> answers_;
  std::unique_ptr<TurnsAround> turns_;  ///< once they are needed
  Chooser* current_ = nullptr;          ///< of this run: one of these
};

class AroundStrategy final : public Strategy {
 public:
  AroundStrategy(Schedule schedule, std::string path)
      : schedule_(std::move(schedule)), path_(std::move(path)) {}

  [[nodiscard]] std::string text() const override { return "around:file=" + path_; }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte> walk) const override {
    return std::make_unique<AroundChooser>(
        schedule_, walk_of(walk), std::make_unique<AnswersAround>(schedule_, walk_of(walk)));
  }
  [[nodiscard]] std::size_t walk_bytes() const override {
    return sizeof(Walk) + notes_max * sizeof(Note);
  }
  [[nodiscard]] std::size_t walk_bytes_used(std::span<const std::byte> bytes) const override {
    const auto& walk = *reinterpret_cast<const Walk*>(bytes.data());
    return sizeof(Walk) + walk.noted * sizeof(Note);
  }

  bool next(std::span<std::byte> bytes) const override {
    Walk& walk = walk_of(bytes);
    if (walk.goes_by_turns != 0) {
      ++walk.run;
      return true;
    }
    const bool makes_one_change = walk.run == 0 || walk.at > 0;
    ++walk.run;
    if (!makes_one_change) return true;
    if (walk.run == 1) {
      walk.at = walk.noted;
    } else if (++walk.other >= walk.notes()[walk.at - 1].others) {
      --walk.at;
      walk.other = 0;
    }
    while (walk.at > 0 && walk.notes()[walk.at - 1].others == 0) --walk.at;
    if (walk.at == 0) walk.singles = walk.run - 1;
    // A run without a question has no neighbours; one with a single question has no further ones.
    return walk.at > 0 || has_several(walk);
  }

 private:
  static bool has_several(const Walk& walk) {
    const auto varies = [](const Note& one) { return one.others > 0; };
    return std::count_if(walk.notes(), walk.notes() + walk.noted, varies) > 1;
  }

  Schedule schedule_;
  std::string path_;
};

}  // namespace

std::unique_ptr<Strategy> make_around(const NameWithOptions& given) {
  StrategyLog log = log_of_strategy(given, "orrery explore --from FILE finds one of the same run");
  return std::make_unique<AroundStrategy>(std::move(log.schedule), std::move(log.path));
}

}  // namespace orrery::detail

namespace orrery {

std::unique_ptr<Strategy> make_strategy_around(Schedule schedule, std::string path) {
  return std::make_unique<detail::AroundStrategy>(std::move(schedule), std::move(path));
}

}  // namespace orrery
