// Exhaustive: every answer to every question, depth first, the undisturbed answer first.
//
// Stateless search as in VeriSoft (Godefroid, "Model checking for programming languages using
// VeriSoft", POPL 1997), without partial-order reduction; the bound on preemptions is that of CHESS
// (Musuvathi and Qadeer, "Iterative context bounding", PLDI 2007).  Where we differ: deliveries,
// deadlines, waiters, messages, faults and draws are questions like the others, and steps of the
// machine are free under the bound.
// Bounds, all options: `preemptions` a run (default: any); `values`, the widest range of a draw
// that is gone through (default 16; of a wider one the lowest and the highest value are taken);
// `depth`, the questions of a run that are varied (later ones get the undisturbed answer).  A
// search that met a wider range or a deeper run has ended but is not complete.
//
// An input (a measured time) is no branch, but it is kept on the path: the runs below a branch get
// what was measured when it was made, or they would not come to the same questions again.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include <orrery/sim_runtime/finding.hpp>

#include "keyed_draw.hpp"
#include "strategy_kinds.hpp"

namespace orrery::detail {
namespace {

/// One question on the path, and which of its answers is on; or an input, of which nothing is
/// tried.
struct Branch {
  std::uint32_t position = 0;  ///< in the order of trying
  std::uint32_t count = 0;     ///< answers to try; none of an input
  std::uint64_t question = 0;  ///< a check that the program asks the same again; an input's value
};

/// The walk's state: a path through the tree of questions.  Lies in memory that the explorer gives.
struct Path {
  std::uint64_t length = 0;   ///< branches that are on
  std::uint64_t reached = 0;  ///< branches passed in the present run
  std::uint8_t cut_short = 0;
  std::uint8_t contradicted = 0;
  std::uint64_t expected_count = 0;  ///< where contradicted
  std::uint64_t actual_count = 0;

  [[nodiscard]] Branch* branches() { return reinterpret_cast<Branch*>(this + 1); }
};
static_assert(sizeof(Path) % alignof(Branch) == 0);

struct Bounds {
  std::uint64_t preemptions = UINT64_MAX;
  std::uint64_t values = 16;
  std::uint64_t depth = 1'000'000;
};

Path& path_of(std::span<std::byte> walk) {
  return *reinterpret_cast<Path*>(walk.data());
}
const Path& path_of(std::span<const std::byte> walk) {
  return *reinterpret_cast<const Path*>(walk.data());
}

class ExhaustiveChooser final : public Chooser {
 public:
  ExhaustiveChooser(const Bounds& bounds, Path& path) : bounds_(bounds), path_(path) {}

  void begin_run(const RunInfo&) override {
    path_.reached = 0;
    preemptions_ = 0;
  }

  Decision choose(const ChoicePoint& point) override {
    const std::size_t usual = point.default_index();
    const bool is_bound = point.kind == ChoiceKind::step && point.current_is_enabled &&
                          preemptions_ >= bounds_.preemptions;
    const std::size_t count = is_bound ? count_free(point) : point.alternatives.size();
    const std::uint32_t position = pass(point.question, static_cast<std::uint32_t>(count));
    if (path_.contradicted != 0) return Decision::abandon();
    const std::size_t index =
        is_bound ? free_at(point, usual, position) : in_order(usual, position);
    if (is_preemption(point, point.alternatives[index])) ++preemptions_;
    return Decision::take(index);
  }

  std::uint64_t choose_value(const ValueQuestion& question) override {
    if (question.kind == ChoiceKind::input) return pass_input(question.low);
    // What a clock says follows from the answers before.
    if (question.kind == ChoiceKind::clock) return question.low;
    if (!question.weights.empty()) return choose_weighted(question);
    const std::uint64_t width = question.high - question.low;  // one less than the values
    const bool is_wide = width >= bounds_.values;
    if (is_wide && width > 1) path_.cut_short = 1;
    const std::uint64_t count = is_wide ? 2 : width + 1;
    const std::uint64_t position = pass(question.question, static_cast<std::uint32_t>(count));
    if (path_.contradicted != 0) return question.low;
    return is_wide && position == 1 ? question.high : question.low + position;
  }

  void end_run(const Outcome& outcome) override {
    const bool ended_by_itself =
        outcome.status == Outcome::Status::clean || outcome.status == Outcome::Status::finding;
    if (!ended_by_itself || path_.contradicted != 0 || path_.reached >= path_.length) return;
    path_.contradicted = 1;
    path_.expected_count = path_.branches()[path_.reached].count;
    path_.actual_count = 0;
  }

 private:
  /// A value without weight cannot come up.
  std::uint64_t choose_weighted(const ValueQuestion& question) {
    const auto possible = [](std::uint32_t weight) { return weight != 0; };
    const auto count = std::ranges::count_if(question.weights, possible);
    std::uint64_t position = pass(question.question, static_cast<std::uint32_t>(count));
    if (path_.contradicted != 0) return question.low;
    std::uint64_t value = question.low;
    for (const std::uint32_t weight : question.weights) {
      if (weight != 0 && position-- == 0) return value;
      ++value;
    }
    return question.low;
  }
  /// Goes one branch down: the position that is on, or the first of a new branch.
  std::uint32_t pass(std::uint64_t question, std::uint32_t count) {
    if (path_.reached >= bounds_.depth) {
      path_.cut_short = 1;
      return 0;
    }
    Branch& branch = path_.branches()[path_.reached];
    if (path_.reached == path_.length) {
      branch = {0, count, question};
      ++path_.length;
    } else if (branch.count != count || branch.question != question) {
      path_.contradicted = 1;
      path_.expected_count = branch.count;
      path_.actual_count = count;
      return 0;
    }
    ++path_.reached;
    return branch.position;
  }
  /// What the input was when the path was made; `measured` beyond its end.
  std::uint64_t pass_input(std::uint64_t measured) {
    constexpr std::uint32_t of_an_input = 0;
    if (path_.reached >= bounds_.depth) return measured;
    Branch& branch = path_.branches()[path_.reached];
    if (path_.reached == path_.length) {
      branch = {0, of_an_input, measured};
      ++path_.length;
    } else if (branch.count != of_an_input) {
      path_.contradicted = 1;
      path_.expected_count = branch.count;
      path_.actual_count = of_an_input;
      return measured;
    }
    ++path_.reached;
    return branch.question;
  }
  /// The usual answer first, then the others in the order in which they are listed.
  static std::size_t in_order(std::size_t usual, std::uint32_t position) {
    if (position == 0) return usual;
    return position <= usual ? position - 1 : position;
  }
  static std::size_t count_free(const ChoicePoint& point) {
    std::size_t count = 0;
    for (const Alternative& one : point.alternatives) count += is_preemption(point, one) ? 0 : 1;
    return count;
  }
  static std::size_t free_at(const ChoicePoint& point, std::size_t usual, std::uint32_t position) {
    if (position == 0) return usual;  // the current task's own operation is no preemption
    for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
      if (i == usual || is_preemption(point, point.alternatives[i])) continue;
      if (--position == 0) return i;
    }
    return usual;
  }

  Bounds bounds_;
  Path& path_;
  std::uint64_t preemptions_ = 0;
};

class ExhaustiveStrategy final : public Strategy {
 public:
  explicit ExhaustiveStrategy(const Bounds& bounds) : bounds_(bounds) {}

  [[nodiscard]] std::string text() const override {
    std::string text = "exhaustive:";
    if (bounds_.preemptions != UINT64_MAX) {
      text += "preemptions=" + std::to_string(bounds_.preemptions) + ",";
    }
    return text + "values=" + std::to_string(bounds_.values) +
           ",depth=" + std::to_string(bounds_.depth);
  }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte> walk) const override {
    return std::make_unique<ExhaustiveChooser>(bounds_, path_of(walk));
  }
  [[nodiscard]] std::size_t walk_bytes() const override {
    return sizeof(Path) + bounds_.depth * sizeof(Branch);
  }
  bool next(std::span<std::byte> walk) const override {
    Path& path = path_of(walk);
    if (path.contradicted != 0) return false;
    // What lies beyond the end of the run belongs to no run.
    path.length = path.reached;
    while (path.length > 0) {
      Branch& last = path.branches()[path.length - 1];
      if (++last.position < last.count) return true;
      --path.length;
    }
    return false;
  }
  [[nodiscard]] bool is_complete(std::span<const std::byte> walk) const override {
    const Path& path = path_of(walk);
    return path.length == 0 && path.cut_short == 0 && path.contradicted == 0;
  }
  [[nodiscard]] std::size_t walk_bytes_used(std::span<const std::byte> walk) const override {
    return sizeof(Path) + path_of(walk).length * sizeof(Branch);
  }
  [[nodiscard]] std::optional<std::string> contradiction(
      std::span<const std::byte> walk) const override {
    const Path& path = path_of(walk);
    if (path.contradicted == 0) return std::nullopt;
    return "question " + std::to_string(path.reached + 1) + " of the run had " +
           std::to_string(path.expected_count) + " answers before and has " +
           std::to_string(path.actual_count) +
           " now, after the same choices: the program depends on something else";
  }

 private:
  Bounds bounds_;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const NameWithOptions& given) {
  given.allow_no_count();
  given.allow_keys({"preemptions", "values", "depth"});
  Bounds bounds;
  if (given.text("preemptions").value_or("any") != "any") {
    bounds.preemptions = given.whole_number("preemptions", 0, 0, UINT64_MAX - 1);
  }
  bounds.values = given.whole_number("values", bounds.values, 1, 1'000'000'000);
  bounds.depth = given.whole_number("depth", bounds.depth, 1, 100'000'000);
  return std::make_unique<ExhaustiveStrategy>(bounds);
}

}  // namespace orrery::detail
