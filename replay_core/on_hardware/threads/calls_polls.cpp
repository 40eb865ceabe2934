// Waiting for several descriptors: what was found, behind what others had done to them by then.
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <vector>

#include <fcntl.h>
#include <files/poll_words.hpp>
#include <files/select_sets.hpp>
#include <poll.h>
#include <sys/select.h>

#include "cancellation.hpp"
#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "transfer_order.hpp"

using namespace orrery::on_hardware;
using orrery::host::SelectSets;

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::int64_t ns_per_us = 1'000;

timespec time_of(std::int64_t ns) {
  return {ns / ns_per_s, ns % ns_per_s};
}

/// Of the machine's clock: that it is read here is none of the program's doing.
std::int64_t now_ns() {
  timespec date{};
  next<&::clock_gettime>("clock_gettime")(CLOCK_MONOTONIC, &date);
  return date.tv_sec * ns_per_s + date.tv_nsec;
}

/// A call of `poll` or its like.
struct Poll {
  pollfd* files;
  nfds_t count;
  const timespec* timeout;
  const sigset_t* mask;

  [[nodiscard]] int look(const timespec* patience) const {
    return next<&::ppoll>("ppoll")(files, count, patience, mask);
  }
  /// In the order in which it has turns at them.
  [[nodiscard]] std::vector<Queue*> queues() const {
    std::vector<Queue*> found;
    for (nfds_t i = 0; i < count; ++i) {
      const Ends* const ends = ends_of(files[i].fd);
      if (ends == nullptr) continue;
      for (Queue* const queue : {ends->in, ends->out}) {
        if (queue != nullptr) found.push_back(queue);
      }
    }
    return found;
  }
  /// Is it kept what it comes to?
  [[nodiscard]] bool is_kept() const {
    const auto has_clock = [](const pollfd& file) {
      const Ends* const ends = ends_of(file.fd);
      return ends != nullptr && ends->has_clock();
    };
    return keeps_order() || (keeps_findings() && std::any_of(files, files + count, has_clock));
  }
  /// What it came to.
  void keep(int found, const std::vector<Queue*>& queues) const {
    const int error = errno;
    for (Queue* const queue : queues) const QueueTurn turn(queue);
    errno = error;
    keep_outcome(found);
    for (nfds_t i = 0; found > 0 && i < count; i += orrery::host::polls_a_word) {
      readings().drew(orrery::host::poll_word(files, count, i));
    }
    errno = error;
  }
};

int find_in_order(const Poll& poll) {
  if (!poll.is_kept()) return poll.look(poll.timeout);
  recorded()->before_operation();
  const std::vector<Queue*> queues = keeps_order() ? poll.queues() : std::vector<Queue*>();
  const std::int64_t deadline_ns =
      poll.timeout == nullptr ? 0
                              : now_ns() + poll.timeout->tv_sec * ns_per_s + poll.timeout->tv_nsec;
  constexpr timespec no_time{};
  bool is_interrupted = false;
  while (true) {
    const std::int64_t rest_ns = poll.timeout == nullptr ? 0 : deadline_ns - now_ns();
    {
      std::vector<Queue*> guards = queues;
      const Guarded guarded(guards);
      int found = poll.look(&no_time);
      if (found == 0 && is_interrupted) {
        errno = EINTR;
        found = -1;
      }
      if (found != 0 || (poll.timeout != nullptr && rest_ns <= 0)) {
        poll.keep(found, queues);
        return found;
      }
    }
    const timespec rest = time_of(rest_ns);
    is_interrupted = poll.look(poll.timeout == nullptr ? nullptr : &rest) < 0;
  }
}

int poll_in_order(const Poll& poll) {
  return cancellable([&poll] { return find_in_order(poll); });
}

int select_in_order(int count, const SelectSets& sets, const timespec* timeout,
                    const sigset_t* mask) {
  std::vector<pollfd> files = sets.files(count);
  for (const pollfd& file : files) {
    if (fcntl(file.fd, F_GETFD) < 0) return -1;
  }
  const int found = poll_in_order({files.data(), files.size(), timeout, mask});
  return found < 0 ? found : sets.give(files);
}

}  // namespace

ORRERY_RECORDED int poll(pollfd* files, nfds_t count, int timeout_ms) {
  const timespec timeout = time_of(timeout_ms * ns_per_ms);
  return poll_in_order({files, count, timeout_ms < 0 ? nullptr : &timeout, nullptr});
}

extern "C" int __poll_chk(pollfd*, nfds_t, int, std::size_t);

ORRERY_RECORDED int __poll_chk(pollfd* files, nfds_t count, int timeout_ms, std::size_t bytes) {
  return bytes / sizeof *files < count
             ? next<&::__poll_chk>("__poll_chk")(files, count, timeout_ms, bytes)
             : poll(files, count, timeout_ms);
}

ORRERY_RECORDED int ppoll(pollfd* files, nfds_t count, const timespec* timeout,
                          const sigset_t* mask) {
  return poll_in_order({files, count, timeout, mask});
}

ORRERY_RECORDED int select(int count, fd_set* in, fd_set* out, fd_set* errors, timeval* timeout) {
  if (timeout == nullptr) return select_in_order(count, {in, out, errors}, nullptr, nullptr);
  const timespec patience = time_of(timeout->tv_sec * ns_per_s + timeout->tv_usec * ns_per_us);
  return select_in_order(count, {in, out, errors}, &patience, nullptr);
}

ORRERY_RECORDED int pselect(int count, fd_set* in, fd_set* out, fd_set* errors,
                            const timespec* timeout, const sigset_t* mask) {
  return select_in_order(count, {in, out, errors}, timeout, mask);
}
