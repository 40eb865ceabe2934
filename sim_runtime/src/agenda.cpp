#include "agenda.hpp"

#include <algorithm>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

void Agenda::reset(Chooser* chooser) {
  chooser_ = chooser;
  next_order_ = 0;
  horizon_ = VirtualTime::start() + window_;
  alternatives_.clear();
  open_.clear();
  future_.clear();
  withheld_.clear();
  competitors_ = 0;
  next_future_ = VirtualTime::never();
  open_dates_.clear();
}

void Agenda::add_elsewhere(Actor& actor) {
  if (chooser_ != nullptr && !chooser_->admits(actor.alternative)) {
    actor.place = Actor::Place::withheld;
    actor.slot = static_cast<std::uint32_t>(withheld_.size());
    withheld_.push_back(&actor);
    ++competitors_;
    return;
  }
  if (actor.date <= horizon_) {
    push_open(actor);
  } else {
    push_future(actor);
  }
}

void Agenda::push_future(Actor& actor) {
  actor.place = Actor::Place::future;
  future_.push_back({actor.date, actor.order, &actor});
  sift_up(future_.size() - 1);
  next_future_ = future_.front().date;
}

void Agenda::remove_elsewhere(Actor& actor) {
  const auto place = actor.place;
  actor.place = Actor::Place::nowhere;
  if (place == Actor::Place::future) {
    const std::size_t slot = actor.slot;
    const Future last = future_.back();
    future_.pop_back();
    if (last.actor != &actor) {
      future_[slot] = last;
      sift_up(slot);
      sift_down(last.actor->slot);
    }
    next_future_ = future_.empty() ? VirtualTime::never() : future_.front().date;
  } else if (place == Actor::Place::withheld) {
    withheld_[actor.slot] = withheld_.back();
    withheld_[actor.slot]->slot = actor.slot;
    withheld_.pop_back();
    --competitors_;
  }
}

void Agenda::update(Actor& actor, VirtualTime date) {
  if (actor.place == Actor::Place::withheld) {
    actor.date = date;
    return;
  }
  remove(actor);
  add(actor, date);
}

void Agenda::advance_window() {
  auto earliest = future_.empty() ? VirtualTime::never() : future_.front().date;
  if (!open_dates_.empty()) earliest = std::min(earliest, open_dates_.begin()->first);
  // Nobody can be added at a date before the earliest one, so the window only moves forward.
  horizon_ = std::max(horizon_, earliest + window_);
  while (!future_.empty() && future_.front().date <= horizon_) {
    Actor& actor = *future_.front().actor;
    remove(actor);
    push_open(actor);
  }
}

void Agenda::readmit(VirtualTime now) {
  // Those that are admitted leave the list by swapping in the last one: walk backwards.
  for (std::size_t i = withheld_.size(); i-- > 0;) {
    Actor& actor = *withheld_[i];
    if (!chooser_->admits(actor.alternative)) continue;
    remove(actor);
    actor.date = std::max(actor.date, now);
    if (actor.date <= horizon_) {
      push_open(actor);
    } else {
      push_future(actor);
    }
  }
}

VirtualTime Agenda::next_date() const {
  auto date = future_.empty() ? VirtualTime::never() : future_.front().date;
  for (const Open& open : open_) date = std::min(date, open.actor->date);
  return date;
}

void Agenda::sift_up(std::size_t slot) {
  const Future risen = future_[slot];
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / 2;
    if (!(risen < future_[parent])) break;
    put_future(slot, future_[parent]);
    slot = parent;
  }
  put_future(slot, risen);
}

void Agenda::sift_down(std::size_t slot) {
  const Future sunk = future_[slot];
  while (true) {
    std::size_t child = 2 * slot + 1;
    if (child >= future_.size()) break;
    if (child + 1 < future_.size() && future_[child + 1] < future_[child]) ++child;
    if (!(future_[child] < sunk)) break;
    put_future(slot, future_[child]);
    slot = child;
  }
  put_future(slot, sunk);
}

}  // namespace orrery::detail
