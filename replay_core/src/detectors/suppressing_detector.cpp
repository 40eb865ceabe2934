// A detector in front of another one, which passes on what is not suppressed.
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/replay_core/suppressions.hpp>

namespace orrery {
namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

class SuppressingDetector final : public Detector {
 public:
  SuppressingDetector(std::unique_ptr<Detector> finder, Suppressions suppressions)
      : finder_(std::move(finder)), suppressions_(std::move(suppressions)) {
    for (const Suppressions::Line& line : suppressions_.lines()) {
      names_.push_back("suppressed by " + line.text());
    }
  }

  void begin_run(const RunInfo& info) override {
    is_explained_ = false;
    finder_->begin_run(info);
  }
  [[nodiscard]] EventMask interest() const override { return finder_->interest(); }
  [[nodiscard]] bool is_quiet() const override { return finder_->is_quiet(); }
  void on_event(const Event& event) override { finder_->on_event(event); }
  void on_matching(const MatchingStep& step) override { finder_->on_matching(step); }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    finder_->on_task(task, predecessors);
  }
  void on_step(const Alternative& taken) override { finder_->on_step(taken); }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    finder_->on_choice(point, index);
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    finder_->on_value(question, answer);
  }
  void on_outcome(OperationId id, OperationKind kind, const OpenOutcome& outcome) override {
    finder_->on_outcome(id, kind, outcome);
  }
  void on_access(TaskId task, const MemoryAccess& access) override {
    finder_->on_access(task, access);
  }
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override {
    finder_->on_accesses(task, accesses);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    finder_->on_freed(address, size_bytes);
  }
  void on_allocated(TaskId task, Address address, std::uint64_t size_bytes) override {
    finder_->on_allocated(task, address, size_bytes);
  }
  void on_lent(const MemoryLoan& loan) override { finder_->on_lent(loan); }
  void on_returned(std::uint64_t loan, TaskId task, const char* call,
                   const SourceLocation* where) override {
    finder_->on_returned(loan, task, call, where);
  }
  void end_run(const Outcome& outcome) override { finder_->end_run(outcome); }

  void examine(Reruns& reruns) override {
    finder_->examine(reruns);
    if (suppressions_.look_at_stacks() && !findings().empty()) explain(reruns);
  }
  void explain(Reruns& reruns) override {
    if (!std::exchange(is_explained_, true)) finder_->explain(reruns);
  }
  [[nodiscard]] std::vector<Finding> findings() const override {
    std::vector<Finding> wanted = finder_->findings();
    std::erase_if(wanted,
                  [this](const Finding& one) { return suppressions_.find(one).has_value(); });
    return wanted;
  }
  [[nodiscard]] std::vector<Finding> remarks() const override;
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override;
  [[nodiscard]] std::optional<Schedule> other_run() const override { return finder_->other_run(); }

 private:
  [[nodiscard]] std::vector<std::uint64_t> counts_by_line() const;

  std::unique_ptr<Detector> finder_;
  Suppressions suppressions_;
  std::vector<std::string> names_;  ///< of the counts by line
  bool is_explained_ = false;
};

std::vector<std::uint64_t> SuppressingDetector::counts_by_line() const {
  std::vector<std::uint64_t> counts(suppressions_.lines().size());
  for (const Finding& one : finder_->findings()) {
    if (const auto line = suppressions_.find(one)) ++counts[*line];
  }
  return counts;
}

std::vector<std::pair<std::string_view, std::uint64_t>> SuppressingDetector::counts() const {
  auto counts = finder_->counts();
  const std::vector<std::uint64_t> by_line = counts_by_line();
  counts.emplace_back("suppressed", sum(by_line));
  for (std::size_t i = 0; i < by_line.size(); ++i) counts.emplace_back(names_[i], by_line[i]);
  return counts;
}

std::vector<Finding> SuppressingDetector::remarks() const {
  const std::vector<std::uint64_t> counts = counts_by_line();
  std::vector<Finding> remarks = finder_->remarks();
  if (sum(counts) == 0) return remarks;
  // The others are about races of which some are not wanted.
  if (findings().empty()) remarks.clear();
  remarks.push_back(suppressed_remark(suppressions_, counts));
  return remarks;
}

}  // namespace

Finding suppressed_remark(const Suppressions& suppressions,
                          const std::vector<std::uint64_t>& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", counts[i],
                        suppressions.lines()[i].text());
  }
  const std::uint64_t whole = sum(counts);
  Finding remark{FindingKind::data_race,
                 fmt::format("{} not told of: {}",
                             whole == 1 ? "1 race is" : fmt::format("{} races are", whole), text),
                 {}};
  remark.class_name = "suppressed";
  return remark;
}

std::unique_ptr<Detector> suppressing(std::unique_ptr<Detector> detector,
                                      Suppressions suppressions) {
  return std::make_unique<SuppressingDetector>(std::move(detector), std::move(suppressions));
}

}  // namespace orrery
