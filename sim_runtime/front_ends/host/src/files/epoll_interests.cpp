#include "epoll_interests.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "epoll_files.hpp"

namespace orrery::host {
namespace {

/// Of what nobody in the program can change: it has something at any time.
Found standing(const OpenFile& file) {
  switch (file.flags & O_ACCMODE) {
    case O_RDONLY: return {POLLIN};
    case O_WRONLY: return {POLLOUT};
    default: return {POLLIN | POLLOUT};
  }
}

int held(const Found& found, const Interest& one) {
  constexpr std::uint32_t bits = 0xffff;
  return asked_of(found.bits, static_cast<int>(one.event.events & bits));
}

}  // namespace

bool Interest::has_news_in(const Found& found) const {
  if ((event.events & EPOLLET) == 0 || has_news) return true;
  const bool has_ended = (found.bits & (POLLHUP | POLLERR)) != 0;
  const bool asks_to_read = has_ended || (event.events & (EPOLLIN | EPOLLRDNORM | EPOLLRDHUP)) != 0;
  const bool asks_to_write = has_ended || (event.events & (EPOLLOUT | EPOLLWRNORM)) != 0;
  return (asks_to_read && found.arrivals != arrivals) ||
         (asks_to_write && found.departures != departures);
}

int Interests::check(int operation, int number, const OpenFile* file) const {
  const auto found =
      std::ranges::find_if(all_, [&](const Interest& one) { return one.is(number, file); });
  switch (operation) {
    case EPOLL_CTL_ADD: return found == all_.end() ? 0 : EEXIST;
    case EPOLL_CTL_DEL: return found == all_.end() ? ENOENT : 0;
    case EPOLL_CTL_MOD:
      if (found == all_.end()) return ENOENT;
      return (found->event.events & EPOLLEXCLUSIVE) != 0 ? EINVAL : 0;
    default: return EINVAL;
  }
}

Interest* Interests::last_of(int number, const OpenFile* file) {
  for (auto one = all_.rbegin(); one != all_.rend(); ++one) {
    if (one->is(number, file) || (keeps_findings() && !one->is_gone && one->number == number)) {
      return &*one;
    }
  }
  return nullptr;
}

void Interests::change(int operation, int number, const std::shared_ptr<OpenFile>& file,
                       const epoll_event& event) {
  if (operation == EPOLL_CTL_ADD) {
    const HostScope ours;
    drop_those_gone();
    WatchedFile* const watched = file == nullptr ? nullptr : file->watched();
    const bool has_order = keeps_findings() && watched != nullptr;
    all_.push_back({.which = added_++,
                    .number = number,
                    .file = file,
                    .event = event,
                    .reading = has_order ? watched->order(/*is_reading=*/true) : nullptr,
                    .writing = has_order ? watched->order(/*is_reading=*/false) : nullptr});
  } else if (Interest* const one = last_of(number, file.get())) {
    one->is_gone = operation == EPOLL_CTL_DEL;
    one->is_off = false;
    one->has_news = true;
    if (!one->is_gone) one->event = event;
  }
  changed();
}

// Real threads may have found one that was gone by then.  Of one that is closed it is known since
// that had a turn.
void Interests::drop_those_gone() {
  if (keeps_findings()) return;
  std::erase_if(all_, [](const Interest& one) { return one.is_gone || one.file.expired(); });
}

Found Interests::look_at(Interest& one, Watcher* watcher) {
  auto file = one.file.lock();
  if (file == nullptr || one.is_gone || one.is_off) return {};
  WatchedFile* const watched = file->watched();
  if (watched == nullptr) return standing(*file);
  if (watcher != nullptr) {
    const HostScope ours;
    watched_.push_back({watcher, watched->states()});
  }
  return watched->watch(watcher);
}

Interests::Collected Interests::collect(std::size_t count_max, Watcher* watcher) {
  const std::uintptr_t place = place_of_call();
  Collected collected;
  const std::size_t begin = next_;
  for (std::size_t i = 0; i < all_.size() && collected.events.size() < count_max; ++i) {
    const std::size_t index = (begin + i) % all_.size();
    Interest& one = all_[index];
    note_place_of_call(place);
    const Found found = look_at(one, collected.events.empty() ? watcher : nullptr);
    collected.due = std::min(collected.due, found.due);
    const int bits = held(found, one);
    const bool has_news = one.has_news_in(found);
    one.has_news = false;
    one.arrivals = found.arrivals;
    one.departures = found.departures;
    if (bits == 0 || !has_news) continue;
    if ((one.event.events & EPOLLONESHOT) != 0) one.is_off = true;
    next_ = index + 1;
    const HostScope ours;
    collected.events.push_back({one.which, static_cast<std::uint32_t>(bits)});
  }
  if (collected.events.size() < count_max) next_ = begin;
  return collected;
}

Found Interests::look(Watcher* watcher) {
  const std::uintptr_t place = place_of_call();
  Found all;
  for (Interest& one : all_) {
    note_place_of_call(place);
    const Found found = look_at(one, all.bits == 0 ? watcher : nullptr);
    all.due = std::min(all.due, found.due);
    all.arrivals += found.arrivals + found.departures;
    if (held(found, one) != 0 && one.has_news_in(found)) all.bits = POLLIN;
  }
  return all;
}

void Interests::forget(const Watcher& watcher) {
  const std::uintptr_t place = place_of_call();
  SharedState::forget(watcher);
  note_place_of_call(place);
  std::vector<Watched> forgotten;
  {
    const Turn turn(*this);
    const HostScope ours;
    const auto rest =
        std::stable_partition(watched_.begin(), watched_.end(),
                              [&](const Watched& one) { return one.watcher != &watcher; });
    forgotten.assign(std::make_move_iterator(rest), std::make_move_iterator(watched_.end()));
    watched_.erase(rest, watched_.end());
  }
  for (const Watched& one : forgotten) {
    note_place_of_call(place);
    WatchedFile::forget_in(one.states, watcher);
  }
  const HostScope ours;
  forgotten = {};
}

void Interests::drop(const OpenFile& file) {
  const Turn turn(*this);
  for (Interest& one : all_) {
    if (one.file.lock().get() == &file) one.is_gone = true;
  }
}

void leave_epoll_lists(WatchedFile& file) {
  const std::uintptr_t place = place_of_call();
  for (const auto& one : std::exchange(file.lists, {})) {
    note_place_of_call(place);
    if (const auto list = one.lock()) list->drop(file);
  }
  note_place_of_call(place);
}

const Interest* Interests::at(std::uint32_t which) const {
  const auto found = std::ranges::lower_bound(all_, which, {}, &Interest::which);
  return found != all_.end() && found->which == which ? &*found : nullptr;
}

bool Interests::leads_to(const OpenFile* list) const {
  return std::ranges::any_of(all_, [&](const Interest& one) {
    const auto file = one.is_gone ? nullptr : one.file.lock();
    if (file == nullptr || file.get() == list) return file != nullptr;
    const Interests* const below = interests_of(*file);
    return below != nullptr && below->leads_to(list);
  });
}

int Interests::depth() const {
  int depth_below = 0;
  for (const Interest& one : all_) {
    const auto file = one.is_gone ? nullptr : one.file.lock();
    const Interests* const below = file == nullptr ? nullptr : interests_of(*file);
    if (below != nullptr) depth_below = std::max(depth_below, below->depth());
  }
  return depth_below + 1;
}

}  // namespace orrery::host
