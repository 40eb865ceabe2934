#include "event_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "event_clocks.hpp"
#include "messages/message_history.hpp"
#include "messages/message_races.hpp"
#include "order/place_table.hpp"
#include "race_marks.hpp"

namespace orrery {
namespace {

constexpr std::uint32_t unknown = GraphMessage::nobody;

bool is_receipt(OperationKind kind) {
  return kind == OperationKind::receive || kind == OperationKind::wait ||
         kind == OperationKind::select || kind == OperationKind::test;
}

}  // namespace

std::string_view EventGraph::label(const GraphOperation& operation) const {
  if (operation.call != 0) return calls[operation.call];
  return name(operation.is_waking ? OperationKind::condition_wait : operation.kind);
}

std::string EventGraph::line_of(const GraphOperation& operation) const {
  const FindingPlace& place = places[operation.place];
  if (place.file.empty()) return place.function;
  return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
}

/// The graph of the present run, and what it takes to go on with it.
class EventGraphObserver::Maker {
 public:
  Maker(EventGraphOptions options, const Names* names)
      : options_(std::move(options)), names_(names) {
    graph_.calls.emplace_back();
    objects_.push_back(ObjectId{});
    if (!options_.data_races.empty()) race_marks_.emplace(options_.data_races, *names);
  }

  [[nodiscard]] const EventGraph& graph() const { return graph_; }
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  void on_matching(const MatchingStep& step);
  void on_event(const Event& event);
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses);
  void leave(VirtualTime end, const std::vector<Finding>& findings);

 private:
  struct Sent {
    std::uint32_t number = 0;  ///< of the task's operation
    std::uint32_t message = 0;
  };
  struct Life {
    std::uint32_t last = unknown;  ///< its newest operation
    bool sleeps = false;           ///< waits for a condition since
    std::vector<Sent> sends;       ///< ascending
  };

  Life& life(TaskId task);
  /// The operation of this event, a new one or the newest.
  std::uint32_t operation_of(const Event& event, bool& is_new);
  std::uint32_t object_number(ObjectId object);
  std::uint16_t call_number(const SourceLocation* where);
  void note_message(const Event& event, std::uint32_t operation);
  [[nodiscard]] std::uint32_t message_of(OperationId send) const;
  [[nodiscard]] std::uint32_t operation_count() const {
    return static_cast<std::uint32_t>(graph_.operations.size());
  }
  void mark_races();
  void mark_data_races(std::uint32_t first_finding);
  /// Of what was no event.
  GraphOperation operation_of(const detail::MarkedAccess& access);
  struct Inserted {
    std::vector<std::uint32_t> numbers;  ///< of what was put in
    std::vector<std::uint32_t> moved;    ///< of the operations that were there
  };
  /// Puts these, by where they belong, between the operations.
  Inserted insert(const std::vector<detail::MarkedAccess>& accesses);

  EventGraphOptions options_;
  const Names* names_;
  EventGraph graph_;
  std::vector<Life> lives_;
  VirtualTime now_;
  detail::PlaceTable places_;
  std::vector<ObjectId> objects_;
  std::unordered_map<std::uint64_t, std::uint32_t> object_numbers_;
  struct Again {
    std::uint32_t message = 0;
    std::uint32_t receive = 0;
  };
  std::vector<Again> received_again_;  ///< what the network has delivered twice
  detail::MessageHistory history_;
  detail::EventClocks clocks_;
  std::optional<detail::RaceMarks> race_marks_;
};

EventGraphObserver::Maker::Life& EventGraphObserver::Maker::life(TaskId task) {
  while (lives_.size() <= task.value) {
    lives_.emplace_back();
    graph_.tasks.emplace_back().begin = now_;
  }
  return lives_[task.value];
}

void EventGraphObserver::Maker::on_task(TaskId task, std::span<const TaskId> predecessors) {
  life(task);
  graph_.tasks[task.value].begin = now_;
  if (options_.marks_races) history_.on_task(task, predecessors);
  if (options_.keeps_knowledge) clocks_.on_task(task, predecessors);
  if (race_marks_) race_marks_->on_task(task, predecessors);
}

void EventGraphObserver::Maker::on_matching(const MatchingStep& step) {
  if (options_.marks_races) history_.on_matching(step);
  if (step.kind != MatchingStep::Kind::sent || step.is_call) return;
  GraphMessage message;
  message.context = step.context;
  message.source = step.source;
  message.destination = step.destination;
  message.tag = step.tag;
  const auto number = static_cast<std::uint32_t>(graph_.messages.size());
  life(step.send.task).sends.push_back({step.send.number, number});
  graph_.messages.push_back(message);
}

std::uint32_t EventGraphObserver::Maker::object_number(ObjectId object) {
  if (object == ObjectId{}) return 0;
  const auto next = static_cast<std::uint32_t>(objects_.size());
  const auto [found, is_new] = object_numbers_.try_emplace(object.packed(), next);
  if (is_new) objects_.push_back(object);
  return found->second;
}

std::uint16_t EventGraphObserver::Maker::call_number(const SourceLocation* where) {
  if (where == nullptr) return 0;
  const std::string_view call = names_->call_here(*where);
  if (call.empty()) return 0;
  const auto found = std::ranges::find(graph_.calls, call);
  const auto number = static_cast<std::uint16_t>(found - graph_.calls.begin());
  if (found == graph_.calls.end()) graph_.calls.emplace_back(call);
  return number;
}

std::uint32_t EventGraphObserver::Maker::operation_of(const Event& event, bool& is_new) {
  Life& self = life(event.id.task);
  const std::uint32_t last = self.last;
  const auto next = static_cast<std::uint32_t>(graph_.operations.size());
  // Where others acted in between, what it does then is a piece of its own: it knows more.
  const bool goes_on =
      last != unknown && last + 1 == next && graph_.operations[last].id == event.id;
  const OperationKind before = goes_on ? graph_.operations[last].kind : OperationKind::none;
  // A fault strikes within the operation that it is told of.
  is_new = before != event.kind && before != OperationKind::fault;
  if (!is_new) {
    GraphOperation& operation = graph_.operations[last];
    operation.end = event.time;
    operation.timed_out = operation.timed_out || event.timed_out;
    operation.size_bytes += event.size_bytes;
    if (operation.peer != event.peer) operation.peer = -1;
    if (operation.tag != event.tag) operation.tag = -1;
    if (before != OperationKind::fault) return last;
    operation.kind = event.kind;
    operation.peer = event.peer;
    operation.tag = event.tag;
    operation.size_bytes = event.size_bytes;
    operation.value = event.payload_hash;
    return last;
  }
  GraphOperation operation;
  operation.id = event.id;
  operation.kind = event.kind;
  operation.is_waking = self.sleeps && event.kind == OperationKind::mutex_lock;
  self.sleeps = event.kind == OperationKind::condition_wait && event.gives_up != ObjectId{};
  operation.begin =
      last == unknown ? graph_.tasks[event.id.task.value].begin : graph_.operations[last].end;
  operation.end = event.time;
  operation.size_bytes = event.size_bytes;
  operation.value = event.payload_hash;
  operation.object = object_number(event.object);
  operation.place = places_.number_of(event.where);
  operation.peer = event.peer;
  operation.tag = event.tag;
  operation.call = call_number(event.where);
  operation.timed_out = event.timed_out;
  graph_.operations.push_back(operation);
  self.last = next;
  return next;
}

std::uint32_t EventGraphObserver::Maker::message_of(OperationId send) const {
  if (send.number == 0 || send.task.value >= lives_.size()) return unknown;
  const std::vector<Sent>& sends = lives_[send.task.value].sends;
  const auto found = std::ranges::lower_bound(sends, send.number, {}, &Sent::number);
  return found != sends.end() && found->number == send.number ? found->message : unknown;
}

void EventGraphObserver::Maker::note_message(const Event& event, std::uint32_t operation) {
  if (event.kind == OperationKind::send) {
    const std::uint32_t sent = message_of(event.id);
    if (sent == unknown) return;
    graph_.messages[sent].send = operation;
    graph_.messages[sent].size_bytes = event.size_bytes;
    return;
  }
  // Without a peer it is a send that is complete.
  if (!is_receipt(event.kind) || event.peer < 0) return;
  const std::uint32_t number = message_of(event.matched);
  if (number == unknown) return;
  GraphMessage& message = graph_.messages[number];
  if (message.receive == unknown) {
    message.receive = operation;
  } else {
    received_again_.push_back({number, operation});
  }
}

void EventGraphObserver::Maker::on_event(const Event& event) {
  now_ = event.time;
  if (options_.marks_races) history_.on_event(event);
  if (is_machine_step(event.kind)) {
    if (race_marks_) race_marks_->on_event(event, unknown, operation_count());
    return;
  }
  if (event.kind == OperationKind::spawn) {
    const TaskId started{static_cast<std::uint32_t>(event.payload_hash)};
    if (life(started).last == unknown) graph_.tasks[started.value].begin = event.time;
  }
  bool is_new = false;
  const std::uint32_t operation = operation_of(event, is_new);
  if (options_.keeps_knowledge) clocks_.on_event(event, operation, is_new, graph_.knowledge);
  note_message(event, operation);
  if (race_marks_) race_marks_->on_event(event, operation, operation_count());
}

void EventGraphObserver::Maker::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  const std::uint32_t last = life(task).last;
  const OperationId id = last == unknown ? OperationId{task, 0} : graph_.operations[last].id;
  for (const MemoryAccess& access : accesses) {
    race_marks_->on_access(id, access, operation_count(), now_);
  }
}

void EventGraphObserver::Maker::mark_races() {
  std::vector<GraphRace> races;
  std::unordered_map<std::uint64_t, std::uint32_t> operations;  // of those that began a receiver
  detail::find_message_races(history_, [&](const detail::MessageRace& race) {
    graph_.messages[race.taken].is_racing = true;
    graph_.messages[race.other].is_racing = true;
    const OperationId receive = history_.receivers()[race.receiver].id;
    // A receive that waits for the rest of a large message ends with that wait.
    const bool takes_it = history_.messages()[race.taken].taken_by == race.receiver;
    const std::uint32_t end = takes_it ? graph_.messages[race.taken].receive : unknown;
    operations.try_emplace(receive.packed(), unknown);
    races.push_back({end, race.taken, race.other, 0, receive});
  });
  for (std::uint32_t i = 0; i < graph_.operations.size() && !operations.empty(); ++i) {
    const auto found = operations.find(graph_.operations[i].id.packed());
    if (found != operations.end() && found->second == unknown) found->second = i;
  }
  std::ranges::sort(races, {}, [&](const GraphRace& one) {
    return std::pair(one.receive, history_.messages()[one.other].send);
  });
  std::uint32_t number = 0;
  for (GraphRace& one : races) {
    one.number = ++number;
    if (const std::uint32_t begin = operations.at(one.receive.packed()); begin != unknown) {
      one.receiver = begin;
    }
    // In a run that has died they may be on their way into the graph.
    const bool is_whole = one.receiver != unknown && graph_.messages[one.taken].send != unknown &&
                          graph_.messages[one.other].send != unknown;
    if (is_whole) graph_.races.push_back(one);
  }
}

void EventGraphObserver::Maker::leave(VirtualTime end, const std::vector<Finding>& findings) {
  graph_.end = std::max(end, now_);
  graph_.findings = findings;
  graph_.findings.insert(graph_.findings.end(), options_.data_races.begin(),
                         options_.data_races.end());
  for (std::uint32_t i = 0; i < lives_.size(); ++i) {
    GraphTask& task = graph_.tasks[i];
    task.name = names_->task(TaskId{i});
    task.process = names_->process(TaskId{i});
    const std::uint32_t last = lives_[i].last;
    task.has_ended = last != unknown && graph_.operations[last].kind == OperationKind::task_end;
    task.end = task.has_ended ? graph_.operations[last].end : graph_.end;
    for (const Finding& finding : findings) {
      const auto place = std::ranges::find(finding.where, task.name, &FindingPlace::task);
      if (task.rest.empty() && !task.has_ended && place != finding.where.end()) {
        task.rest = place->role;
      }
    }
  }
  for (const ObjectId object : objects_) {
    graph_.objects.push_back(object == ObjectId{} ? std::string() : names_->object(object));
  }
  for (detail::PlaceNumber i = 0; i < places_.size(); ++i) {
    graph_.places.push_back(i == 0 ? FindingPlace{} : names_->place(places_.place(i)));
  }
  if (race_marks_) mark_data_races(static_cast<std::uint32_t>(findings.size()));
  if (options_.marks_races) mark_races();
  for (const auto& [message, receive] : received_again_) {
    graph_.messages.push_back(GraphMessage(graph_.messages[message]));
    graph_.messages.back().receive = receive;
  }
}

// --- accesses of data races ---------------------------------------------------------------------

GraphOperation EventGraphObserver::Maker::operation_of(const detail::MarkedAccess& access) {
  GraphOperation operation;
  operation.id = access.id;
  operation.end = access.date;
  operation.kind = access.is_write ? OperationKind::write : OperationKind::read;
  operation.object = static_cast<std::uint32_t>(graph_.objects.size());
  graph_.objects.push_back(names_->memory(access.address));
  operation.place = static_cast<std::uint32_t>(graph_.places.size());
  graph_.places.push_back(names_->place(race_marks_->place(access.place)));
  return operation;
}

EventGraphObserver::Maker::Inserted EventGraphObserver::Maker::insert(
    const std::vector<detail::MarkedAccess>& accesses) {
  std::vector<GraphOperation> all;
  all.reserve(graph_.operations.size() + accesses.size());
  std::vector<VirtualTime> reached;
  for (const GraphTask& task : graph_.tasks) reached.push_back(task.begin);
  const auto add = [&](GraphOperation operation) {
    VirtualTime& here = reached[operation.id.task.value];
    operation.begin = here;  // its task's operations cover its life
    here = operation.end = std::max(operation.end, here);
    all.push_back(operation);
    return static_cast<std::uint32_t>(all.size() - 1);
  };
  Inserted result;
  const auto add_up_to = [&](std::uint32_t operations) {
    std::vector<std::uint32_t>& put_in = result.numbers;
    while (put_in.size() < accesses.size() &&
           accesses[put_in.size()].operations_before <= operations) {
      put_in.push_back(add(operation_of(accesses[put_in.size()])));
    }
  };
  for (std::uint32_t i = 0; i < graph_.operations.size(); ++i) {
    add_up_to(i);
    result.moved.push_back(add(graph_.operations[i]));
  }
  add_up_to(operation_count());
  graph_.operations = std::move(all);
  const auto move = [&](std::uint32_t& number) {
    if (number != unknown) number = result.moved[number];
  };
  for (GraphMessage& message : graph_.messages) {
    move(message.send);
    move(message.receive);
  }
  for (Again& one : received_again_) move(one.receive);
  for (Life& one : lives_) move(one.last);
  for (GraphKnowledge& one : graph_.knowledge) move(one.operation);
  return result;
}

void EventGraphObserver::Maker::mark_data_races(std::uint32_t first_finding) {
  const std::vector<detail::MarkedPair> pairs = race_marks_->pairs();
  std::map<std::uint64_t, detail::MarkedAccess> accesses;  // by serial: several races may share one
  for (const detail::MarkedPair& pair : pairs) {
    for (const detail::MarkedAccess& one : {pair.first, pair.second}) {
      if (one.operation == unknown) accesses.emplace(one.serial, one);
    }
  }
  std::vector<detail::MarkedAccess> added;
  for (const auto& [serial, access] : accesses) added.push_back(access);
  const Inserted inserted = insert(added);
  std::map<std::uint64_t, std::uint32_t> numbers;
  for (std::size_t i = 0; i < added.size(); ++i) numbers[added[i].serial] = inserted.numbers[i];
  const auto number_of = [&](const detail::MarkedAccess& access) {
    return access.operation == unknown ? numbers.at(access.serial)
                                       : inserted.moved[access.operation];
  };
  for (const detail::MarkedPair& pair : pairs) {
    graph_.data_races.push_back(
        {number_of(pair.first), number_of(pair.second), first_finding + pair.finding});
  }
}

// --- the observer -------------------------------------------------------------------------------

EventGraphObserver::EventGraphObserver(EventGraphOptions options) : options_(std::move(options)) {}
EventGraphObserver::~EventGraphObserver() = default;

const EventGraph& EventGraphObserver::graph() const {
  detail::ensure(maker_ != nullptr, "a graph is asked for after a run");
  return maker_->graph();
}

void EventGraphObserver::begin_run(const RunInfo& info) {
  maker_ = std::make_unique<Maker>(options_, info.names);
}

EventMask EventGraphObserver::interest() const {
  const EventMask events = EventMask::all_events() | EventMask::tasks() | EventMask::matching();
  return options_.data_races.empty() ? events : events | detail::RaceMarks::interest();
}

void EventGraphObserver::on_task(TaskId task, std::span<const TaskId> predecessors) {
  maker_->on_task(task, predecessors);
}

void EventGraphObserver::on_matching(const MatchingStep& step) {
  maker_->on_matching(step);
}

void EventGraphObserver::on_event(const Event& event) {
  maker_->on_event(event);
}

void EventGraphObserver::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  maker_->on_accesses(task, accesses);
}

void EventGraphObserver::leave(VirtualTime end, const std::vector<Finding>& findings) {
  maker_->leave(end, findings);
}

void EventGraphObserver::end_run(const Outcome& outcome) {
  leave(outcome.end, outcome.findings);
}

}  // namespace orrery
