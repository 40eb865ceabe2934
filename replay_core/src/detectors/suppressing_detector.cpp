// A detector in front of another one, which passes on what is not suppressed.
#include <map>
#include <utility>

#include <fmt/format.h>

#include <orrery/replay_core/suppressions.hpp>

namespace orrery {
namespace {

class SuppressingDetector final : public Detector {
 public:
  SuppressingDetector(std::unique_ptr<Detector> finder, Suppressions suppressions)
      : finder_(std::move(finder)), suppressions_(std::move(suppressions)) {}

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
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override {
    auto counts = finder_->counts();
    counts.emplace_back("suppressed", finder_->findings().size() - findings().size());
    return counts;
  }
  [[nodiscard]] std::optional<Schedule> other_run() const override { return finder_->other_run(); }

 private:
  std::unique_ptr<Detector> finder_;
  Suppressions suppressions_;
  bool is_explained_ = false;
};

std::vector<Finding> SuppressingDetector::remarks() const {
  std::map<std::size_t, std::uint64_t> counts;  // by line
  for (const Finding& one : finder_->findings()) {
    if (const auto line = suppressions_.find(one)) ++counts[*line];
  }
  std::vector<Finding> remarks = finder_->remarks();
  if (counts.empty()) return remarks;
  // The others are about races of which some are not wanted.
  if (findings().empty()) remarks.clear();
  std::string text;
  std::uint64_t whole = 0;
  for (const auto& [line, count] : counts) {
    whole += count;
    text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", count,
                        suppressions_.lines()[line].text());
  }
  Finding remark{FindingKind::data_race,
                 fmt::format("{} not told of: {}",
                             whole == 1 ? "1 race is" : fmt::format("{} races are", whole), text),
                 {}};
  remark.class_name = "suppressed";
  remarks.push_back(std::move(remark));
  return remarks;
}

}  // namespace

std::unique_ptr<Detector> suppressing(std::unique_ptr<Detector> detector,
                                      Suppressions suppressions) {
  return std::make_unique<SuppressingDetector>(std::move(detector), std::move(suppressions));
}

}  // namespace orrery
