#include "epoll_files.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "epoll_interests.hpp"
#include "user_files.hpp"

namespace orrery::host {
namespace {

constexpr int lists_below_max = 4;  ///< as Linux has it

/// Where a call puts what it has found.
struct Room {
  epoll_event* events;
  std::size_t count_max;
};

class EpollList final : public WatchedFile {
 public:
  EpollList() : WatchedFile(O_RDWR), interests_(std::make_shared<Interests>()) {}

  int change(int operation, int number, const epoll_event* event);
  int wait(Room room, std::optional<std::int64_t> timeout_ps);

  ssize_t read(void*, std::size_t) override { return fail(EINVAL); }
  ssize_t write(const void*, std::size_t) override { return fail(EINVAL); }
  void status(struct stat& result) const override {
    result = {};
    result.st_mode = 0600;
    result.st_blksize = 4096;
  }
  [[nodiscard]] Found watch(Watcher* watcher) override {
    return interests_->watch(watcher, [&] { return interests_->look(watcher); });
  }
  [[nodiscard]] States states() override { return {interests_}; }
  [[nodiscard]] bool has_clock() const override { return true; }
  [[nodiscard]] const Interests& interests() const { return *interests_; }

 private:
  [[nodiscard]] int check(int operation, OpenFile* file, const epoll_event* event) const;
  void is_looked_at(const std::shared_ptr<OpenFile>& file) const {
    WatchedFile* const watched = file == nullptr ? nullptr : file->watched();
    if (watched == nullptr) return;
    const auto is_known = [&](const auto& list) { return list.lock() == interests_; };
    if (std::ranges::any_of(watched->lists, is_known)) return;
    const HostScope ours;
    watched->lists.emplace_back(interests_);
  }
  [[nodiscard]] std::shared_ptr<bool> turn_of_change() const {
    if (!keeps_order()) return nullptr;
    return {interests_, &interests_->is_order_locked};
  }
  /// What there is now; with a watcher, which is told of changes, only if there is nothing.
  Interests::Collected collect(Room room, Watcher* watcher);
  struct Seen {
    int count;
    std::int64_t due;
  };
  Seen look(Room room, Watcher* watcher);
  void give(Room room, std::size_t index, FoundEvent found);
  std::optional<int> wait_as_told(Room room, std::optional<std::int64_t> timeout_ps);
  int take_told(Room room, std::size_t count, const std::vector<FoundEvent>& own);
  static void free_events(Interests::Collected& collected) {
    const HostScope ours;
    collected.events = {};
  }

  std::shared_ptr<Interests> interests_;
};

// In the order in which Linux looks.
int EpollList::check(int operation, OpenFile* file, const epoll_event* event) const {
  constexpr std::uint32_t with_exclusive = EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP |
                                           static_cast<std::uint32_t>(EPOLLET) | EPOLLEXCLUSIVE;
  if (operation != EPOLL_CTL_DEL && event == nullptr) return EFAULT;
  if (file == nullptr) return EBADF;
  if (!file->can_be_awaited()) return EPERM;
  if (file == this) return EINVAL;
  const Interests* const below = interests_of(*file);
  if (operation != EPOLL_CTL_DEL && (event->events & EPOLLEXCLUSIVE) != 0) {
    const bool is_good =
        operation == EPOLL_CTL_ADD && below == nullptr && (event->events & ~with_exclusive) == 0;
    if (!is_good) return EINVAL;
  }
  if (operation != EPOLL_CTL_ADD || below == nullptr) return 0;
  return below->leads_to(this) || below->depth() > lists_below_max ? ELOOP : 0;
}

int EpollList::change(int operation, int number, const epoll_event* event) {
  const TransferTurn order(turn_of_change());
  const auto file = open_file(number);
  const SharedState::Turn turn(*interests_);
  int error = check(operation, file.get(), event);
  if (error == 0) error = interests_->check(operation, number, file.get());
  const int result = keeps_findings() ? static_cast<int>(told_result(-error))
                     : error == 0     ? 0
                                      : fail(error);
  if (result == 0) {
    interests_->change(operation, number, file, event == nullptr ? epoll_event{} : *event);
    if (operation == EPOLL_CTL_ADD) is_looked_at(file);
  }
  return result;
}

Interests::Collected EpollList::collect(Room room, Watcher* watcher) {
  return interests_->watch(watcher, [&] {
    Interests::Collected found = interests_->collect(room.count_max, watcher);
    for (std::size_t i = 0; i < found.events.size(); ++i) give(room, i, found.events[i]);
    return found;
  });
}

EpollList::Seen EpollList::look(Room room, Watcher* watcher) {
  auto collected = collect(room, watcher);
  const Seen seen{static_cast<int>(collected.events.size()), collected.due};
  free_events(collected);
  return seen;
}

void EpollList::give(Room room, std::size_t index, FoundEvent found) {
  const Interest* const one = interests_->at(found.which);
  room.events[index].events = found.events;
  room.events[index].data = one == nullptr ? epoll_data_t{} : one->event.data;
}

int EpollList::wait(Room room, std::optional<std::int64_t> timeout_ps) {
  const CancellationPoint point(place_of_call());
  const std::uintptr_t place = place_of_call();
  guarded_runtime().visible_call(POLLIN, place);
  note_place_of_call(place);
  if (keeps_findings()) {
    const auto as_told = wait_as_told(room, timeout_ps);
    if (as_told) return *as_told;
  }
  if (timeout_ps && *timeout_ps <= 0) {
    const Seen seen = look(room, nullptr);
    if (seen.count == 0) give_way_until(seen.due, place);
    return seen.count;
  }
  const std::int64_t deadline = timeout_ps ? guarded_runtime().now() + *timeout_ps : ORRERY_NEVER;
  while (true) {
    Watcher watcher;
    note_place_of_call(place);
    const Seen seen = look(room, &watcher);
    const bool in_time = seen.count > 0 || watcher.wait(std::min(deadline, seen.due));
    note_place_of_call(place);
    forget(watcher);
    if (seen.count > 0) return seen.count;
    note_place_of_call(place);
    const bool is_over = deadline < seen.due || is_wait_cancelled();
    if (!in_time && is_over) return look(room, nullptr).count;
  }
}

/// In a replay of real threads; none: it is to wait here.
std::optional<int> EpollList::wait_as_told(Room room, std::optional<std::int64_t> timeout_ps) {
  { const TransferTurn order(turn_of_change()); }
  auto own = collect(room, nullptr);
  const ssize_t outcome = told_result(static_cast<std::int64_t>(own.events.size()));
  std::optional<int> result = static_cast<int>(outcome);
  // A run that was changed may have nothing to find yet.
  if (outcome == 0 && !timeout_ps) result.reset();
  if (outcome == 0 && timeout_ps && *timeout_ps > 0) {
    Watcher never_told;
    never_told.wait(guarded_runtime().now() + *timeout_ps);
  }
  if (outcome > 0) {
    result =
        take_told(room, std::min(static_cast<std::size_t>(outcome), room.count_max), own.events);
  }
  free_events(own);
  return result;
}

int EpollList::take_told(Room room, std::size_t count, const std::vector<FoundEvent>& own) {
  const std::uintptr_t place = place_of_call();
  std::vector<FoundEvent> found;
  {
    const HostScope ours;
    found.resize(count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    found[i] = event_in(told(i < own.size() ? word_of(own[i]) : 0));
    give(room, i, found[i]);
  }
  for (const FoundEvent& one : found) {
    const Interest* const interest = keeps_order() ? interests_->at(one.which) : nullptr;
    if (interest == nullptr) continue;
    // The list may grow meanwhile.
    const auto orders = std::make_pair(interest->reading, interest->writing);
    note_place_of_call(place);
    { const TransferTurn reading(orders.first); }
    note_place_of_call(place);
    { const TransferTurn writing(orders.second); }
  }
  const HostScope ours;
  found = {};
  return static_cast<int>(count);
}

}  // namespace

std::shared_ptr<OpenFile> make_epoll_list() {
  return std::make_shared<EpollList>();
}

const Interests* interests_of(const OpenFile& file) {
  const auto* const list = dynamic_cast<const EpollList*>(&file);
  return list == nullptr ? nullptr : &list->interests();
}

int change_epoll_list(int list, int operation, int file, const epoll_event* event) {
  const auto opened = open_file(list);
  if (opened == nullptr) return -1;
  auto* const epoll = dynamic_cast<EpollList*>(opened.get());
  if (epoll != nullptr) return epoll->change(operation, file, event);
  const auto target = open_file(file);
  if (target == nullptr) return -1;
  return fail(target->can_be_awaited() ? EINVAL : EPERM);
}

int wait_for_epoll_list(int list, epoll_event* events, int count_max,
                        std::optional<std::int64_t> timeout_ps) {
  if (count_max <= 0) return fail(EINVAL);
  const auto opened = open_file(list);
  if (opened == nullptr) return -1;
  auto* const epoll = dynamic_cast<EpollList*>(opened.get());
  if (epoll == nullptr) return fail(EINVAL);
  return epoll->wait({events, static_cast<std::size_t>(count_max)}, timeout_ps);
}

}  // namespace orrery::host
