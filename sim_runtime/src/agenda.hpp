// All steps that could come next: who competes now, who comes later, who is withheld.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {

struct Task;

/// Something that can take a step: a task's pending operation, its deadline, the head of a channel
/// of messages, the next phase of a rendezvous, the end of a fault.  Owned by what it stands for.
struct Actor {
  enum class Type : std::uint8_t { operation, deadline, delivery, transfer, recovery };
  enum class Place : std::uint8_t { nowhere, open, future, withheld };
  Type type = Type::operation;
  Place place = Place::nowhere;
  std::uint32_t slot = 0;                ///< where in its list or heap
  std::uint32_t owner = 0;               ///< index of the channel, message or fault
  Task* task = nullptr;                  ///< whose operation or deadline it is
  const Operation* announced = nullptr;  ///< mostly in the stack of that task
  std::uint64_t order = 0;               ///< when it was added: breaks ties, oldest first
  VirtualTime date;
  Alternative alternative;
};

/// The set of alternatives of the next step, kept up to date and never rebuilt.
///
/// *Open* are those whose dates lie within the reorder window of the earliest one; they are the
/// alternatives of a question.  *Future* ones wait in a heap by date.  *Withheld* are those that
/// the chooser does not admit yet; they do not hold the clock back.
class Agenda {
 public:
  /// An open actor, and what will be read if it is taken: to ask for both at once.
  struct Open {
    Actor* actor;
    const Operation* announced;
  };

  explicit Agenda(VirtualDuration window) : window_(window) {}
  /// Empties the agenda for a new run.  `chooser` is asked for admission; null: all are admitted.
  void reset(Chooser* chooser);
  /// From now on another one is asked.
  void set_chooser(Chooser* chooser) { chooser_ = chooser; }

  void add(Actor& actor, VirtualTime date) {
    actor.date = date;
    actor.order = next_order_++;
    if (chooser_ == nullptr && date <= horizon_) return push_open(actor);
    add_elsewhere(actor);
  }
  void remove(Actor& actor) {
    if (actor.place == Actor::Place::open) return remove_open(actor);
    remove_elsewhere(actor);
  }
  /// Moves an actor that is somewhere to another date.
  void update(Actor& actor, VirtualTime date);

  /// To be called before each question, when whoever ran last has announced again: moves the window
  /// to the earliest date.  Returns false if nothing can come.
  bool refill() {
    if (open_.empty() && future_.empty()) return false;
    if (open_.empty() || tracks_dates()) advance_window();
    return true;
  }
  [[nodiscard]] std::span<const Alternative> alternatives() const { return alternatives_; }
  [[nodiscard]] Actor& open(std::size_t index) { return *open_[index].actor; }
  [[nodiscard]] std::span<const Open> open_actors() const { return open_; }
  [[nodiscard]] bool has_open() const { return !open_.empty(); }
  [[nodiscard]] bool has_future() const { return !future_.empty(); }
  [[nodiscard]] bool has_withheld() const { return !withheld_.empty(); }
  [[nodiscard]] std::span<Actor* const> withheld() const { return withheld_; }
  /// Asks again for those that were withheld.
  void readmit(VirtualTime now);
  /// Would an operation that is ready at `now` be without a competitor?
  [[nodiscard]] bool is_alone(VirtualTime now) const {
    return competitors_ == 0 &&
           (next_future_ == VirtualTime::never() || next_future_ > now + window_);
  }
  /// The earliest date of those that are not open, or never.
  [[nodiscard]] VirtualTime next_future_date() const { return next_future_; }
  /// The earliest date to come, or never.
  [[nodiscard]] VirtualTime next_date() const;

 private:
  void push_open(Actor& actor) {
    actor.place = Actor::Place::open;
    actor.slot = static_cast<std::uint32_t>(open_.size());
    open_.push_back({&actor, actor.announced});
    ++competitors_;
    copy_fields(actor.alternative, alternatives_.emplace_back());
    if (tracks_dates()) open_dates_.emplace(actor.date, actor.order);
  }
  void remove_open(Actor& actor) {
    actor.place = Actor::Place::nowhere;
    if (tracks_dates()) open_dates_.erase({actor.date, actor.order});
    // The last one takes its place, be it itself: which one it is is a choice, and a branch that a
    // processor cannot guess costs more than these stores.
    const auto slot = actor.slot;
    open_[slot] = open_.back();
    open_[slot].actor->slot = slot;
    copy_fields(alternatives_.back(), alternatives_[slot]);
    open_.pop_back();
    --competitors_;
    alternatives_.pop_back();
  }
  void add_elsewhere(Actor& actor);
  void remove_elsewhere(Actor& actor);
  // Field by field, as they were written a moment ago: wider loads would have to wait until the
  // narrow stores have reached the cache (the folder is built without merging them).
  static void copy_fields(const Alternative& from, Alternative& to) {
    to.id = from.id;
    to.asker = from.asker;
    to.object = from.object;
    to.kind = from.kind;
    to.weight = from.weight;
    to.is_unshared = from.is_unshared;
  }
  void push_future(Actor& actor);
  void advance_window();
  // An actor of the heap, with what it is compared by: of many actors few are in a cache.
  struct Future {
    VirtualTime date;
    std::uint64_t order;
    Actor* actor;
    friend bool operator<(const Future& a, const Future& b) {
      return a.date != b.date ? a.date < b.date : a.order < b.order;
    }
  };
  void put_future(std::size_t slot, const Future& future) {
    future_[slot] = future;
    future.actor->slot = static_cast<std::uint32_t>(slot);
  }
  void sift_up(std::size_t slot);
  void sift_down(std::size_t slot);
  [[nodiscard]] bool tracks_dates() const {
    return window_ != VirtualDuration::zero() && window_ != VirtualDuration::max();
  }

  VirtualDuration window_;
  VirtualTime horizon_;  ///< open ones have dates up to here
  Chooser* chooser_ = nullptr;
  std::uint64_t next_order_ = 0;
  std::vector<Alternative> alternatives_;  // in step with open_
  std::vector<Open> open_;
  std::vector<Future> future_;  // binary heap
  std::vector<Actor*> withheld_;
  std::size_t competitors_ = 0;  // open and withheld ones
  VirtualTime next_future_ = VirtualTime::never();
  // Only for a finite window: the dates of the open ones, to know the earliest.
  std::set<std::pair<VirtualTime, std::uint64_t>> open_dates_;
};

}  // namespace orrery::detail
