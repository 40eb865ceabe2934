#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/run_story.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "operation_places.hpp"
#include "order/place_table.hpp"

namespace orrery {
namespace {

/// Does it ask for what is not there?
bool is_failed_poll(const Event& event) {
  using Kind = OperationKind;
  if (event.kind == Kind::yield) return true;
  return (event.kind == Kind::test || event.kind == Kind::try_probe) && event.matched.number == 0;
}

}  // namespace

class RunStoryObserver::Keeper {
 public:
  explicit Keeper(const Names* names) : names_(names) { story_.calls.emplace_back(); }

  [[nodiscard]] const RunStory& story() const { return story_; }
  void on_event(const Event& event);
  void leave();

 private:
  const Names* names_;
  RunStory story_;
  detail::PlaceTable places_;
};

void RunStoryObserver::Keeper::on_event(const Event& event) {
  if (is_machine_step(event.kind) || is_failed_poll(event)) return;
  StoryEvent seen;
  seen.id = event.id;
  seen.matched = event.matched;
  seen.content = event.payload_hash;
  seen.size_bytes = event.size_bytes;
  seen.peer = event.peer;
  seen.tag = event.tag;
  seen.place = places_.number_of(event.where);
  if (event.where != nullptr) {
    seen.call = detail::number_in(story_.calls, names_->call_here(*event.where));
  }
  seen.kind = event.kind;
  seen.timed_out = event.timed_out;
  story_.events.push_back(seen);
  while (story_.tasks.size() <= event.id.task.value) story_.tasks.emplace_back();
}

void RunStoryObserver::Keeper::leave() {
  for (std::uint32_t i = 0; i < story_.tasks.size(); ++i) {
    story_.tasks[i] = names_->task(TaskId{i});
  }
  for (detail::PlaceNumber i = 0; i < places_.size(); ++i) {
    story_.places.push_back(i == 0 ? FindingPlace{} : names_->place(places_.place(i)));
  }
}

RunStoryObserver::RunStoryObserver() = default;
RunStoryObserver::~RunStoryObserver() = default;

const RunStory& RunStoryObserver::story() const {
  detail::ensure(keeper_ != nullptr, "a story is asked for after a run");
  return keeper_->story();
}
void RunStoryObserver::leave() {
  keeper_->leave();
}
void RunStoryObserver::begin_run(const RunInfo& info) {
  keeper_ = std::make_unique<Keeper>(info.names);
}
void RunStoryObserver::on_event(const Event& event) {
  keeper_->on_event(event);
}
void RunStoryObserver::end_run(const Outcome&) {
  leave();
}

}  // namespace orrery
