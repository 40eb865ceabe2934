// All steps that could come next: who competes now, who comes later, who is withheld.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {

/// Something that can take a step: a task's pending operation, its deadline, the head of a channel
/// of messages, the next phase of a rendezvous.  Owned by what it stands for.
struct Actor {
  enum class Type : std::uint8_t { operation, deadline, delivery, transfer };
  enum class Place : std::uint8_t { nowhere, open, future, withheld };
  Type type = Type::operation;
  Place place = Place::nowhere;
  std::uint32_t slot = 0;   ///< where in its list or heap
  std::uint32_t owner = 0;  ///< index of the task, channel or transfer
  std::uint64_t order = 0;  ///< when it was added: breaks ties, oldest first
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
  explicit Agenda(VirtualDuration window) : window_(window) {}
  /// Empties the agenda for a new run.  `chooser` is asked for admission; null: all are admitted.
  void reset(Chooser* chooser);

  void add(Actor& actor, VirtualTime date);
  void remove(Actor& actor);
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
  [[nodiscard]] Actor& open(std::size_t index) { return *open_[index]; }
  [[nodiscard]] std::span<Actor* const> open_actors() const { return open_; }
  [[nodiscard]] bool has_withheld() const { return !withheld_.empty(); }
  [[nodiscard]] std::span<Actor* const> withheld() const { return withheld_; }
  /// Asks again for those that were withheld.
  void readmit(VirtualTime now);
  /// Would an operation that is ready at `now` be without a competitor?
  [[nodiscard]] bool is_alone(VirtualTime now) const {
    return open_.empty() && withheld_.empty() &&
           (future_.empty() || future_.front()->date > now + window_);
  }
  /// The earliest date to come, or never.
  [[nodiscard]] VirtualTime next_date() const;

 private:
  void push_open(Actor& actor);
  void push_future(Actor& actor);
  void take_out(Actor& actor);
  void advance_window();
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
  std::vector<Actor*> open_;
  std::vector<Actor*> future_;  // binary heap by (date, order)
  std::vector<Actor*> withheld_;
  // Only for a finite window: the dates of the open ones, to know the earliest.
  std::set<std::pair<VirtualTime, std::uint64_t>> open_dates_;
};

}  // namespace orrery::detail
