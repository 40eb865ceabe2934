// `epoll`: what was found, behind what others had done to it by then; and timers that are read from
// a descriptor.
#include <array>
#include <cerrno>
#include <ctime>
#include <vector>

#include <files/epoll_words.hpp>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "cancellation.hpp"
#include "epoll_list.hpp"
#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "transfer_order.hpp"

using namespace orrery::on_hardware;

namespace {

EpollList* list_of(int file) {
  const Ends* const ends = ends_of(file);
  return ends == nullptr ? nullptr : ends->list;
}

int made_list(int file) {
  if (file >= 0) set_ends(file, new Ends{.list = new EpollList});
  return file;
}

/// Who changes the list has a turn at it, and so does who has looked at what it found.
template <typename Call>
void with_changes(EpollList& list, const Call& call) {
  Queue* const ordered = keeps_order() ? &list.changes : nullptr;
  std::array<Queue*, 1> queues{&list.changes};
  const Guarded guarded(queues);
  const QueueTurn turn(ordered);
  call();
}

/// Keeps what was found, and shows it to the program as it knows it.
void take_found(EpollList& list, epoll_event* events, int found) {
  const int error = errno;
  const bool is_kept = keeps_findings();
  std::vector<const Ends*> all_ends;
  with_changes(list, [&] {
    errno = error;
    if (is_kept) keep_outcome(found);
    for (int i = 0; i < found; ++i) {
      const auto which = static_cast<std::uint32_t>(events[i].data.u64);
      if (is_kept) readings().drew(orrery::host::word_of({which, events[i].events}));
      all_ends.push_back(list.ends_of(events[i]));
      list.give(events[i]);
    }
  });
  for (const Ends* const ends : all_ends) {
    if (ends == nullptr) continue;
    take_turn(ends->in);
    take_turn(ends->out);
  }
  errno = error;
}

/// `wait` is as one of the functions.
template <typename Wait>
int wait_in_order(int file, epoll_event* events, int count_max, const Wait& wait) {
  EpollList* const list = list_of(file);
  if (list == nullptr || count_max <= 0) return wait();
  return cancellable([&] {
    if (ThreadRecord* const own = recorded()) own->before_operation();
    const int found = wait();
    take_found(*list, events, found);
    return found;
  });
}

Queue* timer_of(int file) {
  const Ends* const ends = ends_of(file);
  return ends != nullptr && ends->is_timer ? ends->in : nullptr;
}

/// Around a call that sets a timer, or looks at it; it has given the program `shown`.
template <typename Call>
int timer_call(int file, const itimerspec* shown, const Call& call) {
  Queue* const timer = timer_of(file);
  if (timer == nullptr || !keeps_findings()) return call();
  recorded()->before_operation();
  Queue* const ordered = keeps_order() ? timer : nullptr;
  std::array<Queue*, 1> queues{timer};
  const Guarded guarded(queues);
  const QueueTurn turn(ordered);
  const int result = call();
  const int error = errno;
  keep_outcome(result);
  if (result == 0 && shown != nullptr) readings().drew(shown, sizeof *shown);
  errno = error;
  return result;
}

}  // namespace

ORRERY_RECORDED int epoll_create(int size) noexcept {
  return made_list(next<&::epoll_create>("epoll_create")(size));
}

ORRERY_RECORDED int epoll_create1(int flags) noexcept {
  return made_list(next<&::epoll_create1>("epoll_create1")(flags));
}

ORRERY_RECORDED int epoll_ctl(int file, int operation, int other, epoll_event* event) noexcept {
  EpollList* const list = list_of(file);
  if (list == nullptr) return next<&::epoll_ctl>("epoll_ctl")(file, operation, other, event);
  const bool is_kept = keeps_findings();
  if (is_kept) recorded()->before_operation();
  int result = 0;
  int error = errno;
  with_changes(*list, [&] {
    result = list->change(file, operation, other, event);
    if (result < 0) error = errno;
    if (is_kept) keep_outcome(result);
  });
  errno = error;
  return result;
}

ORRERY_RECORDED int epoll_wait(int file, epoll_event* events, int count_max, int timeout_ms) {
  return wait_in_order(file, events, count_max, [=] {
    return next<&::epoll_wait>("epoll_wait")(file, events, count_max, timeout_ms);
  });
}

ORRERY_RECORDED int epoll_pwait(int file, epoll_event* events, int count_max, int timeout_ms,
                                const sigset_t* mask) {
  return wait_in_order(file, events, count_max, [=] {
    return next<&::epoll_pwait>("epoll_pwait")(file, events, count_max, timeout_ms, mask);
  });
}

ORRERY_RECORDED int epoll_pwait2(int file, epoll_event* events, int count_max,
                                 const timespec* timeout, const sigset_t* mask) {
  return wait_in_order(file, events, count_max, [=] {
    return next<&::epoll_pwait2>("epoll_pwait2")(file, events, count_max, timeout, mask);
  });
}

// --- timers -------------------------------------------------------------------------------------

ORRERY_RECORDED int timerfd_create(int clock, int flags) noexcept {
  const int file = next<&::timerfd_create>("timerfd_create")(clock, flags);
  if (file >= 0) set_ends(file, new Ends{.in = new Queue, .is_timer = true});
  return file;
}

ORRERY_RECORDED int timerfd_settime(int file, int flags, const itimerspec* time,
                                    itimerspec* before) noexcept {
  return timer_call(file, before, [=] {
    return next<&::timerfd_settime>("timerfd_settime")(file, flags, time, before);
  });
}

ORRERY_RECORDED int timerfd_gettime(int file, itimerspec* time) noexcept {
  return timer_call(file, time,
                    [=] { return next<&::timerfd_gettime>("timerfd_gettime")(file, time); });
}
