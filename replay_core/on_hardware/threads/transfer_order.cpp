#include "transfer_order.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>

#include "next_function.hpp"
#include "process_record.hpp"
#include "transfers.hpp"

namespace orrery::on_hardware {
namespace {

/// By descriptor.  What has been made stays: a descriptor may be closed while it is used.
std::array<std::atomic<const Ends*>, 1024> all_ends;

bool is_known(int file) {
  return file >= 0 && static_cast<std::size_t>(file) < all_ends.size();
}

/// The thread has guards.
constinit thread_local bool has_guards __attribute__((tls_model("initial-exec"))) = false;

/// Where a transfer goes that is to be in an order.
Queue* queue_of(const Transfer& transfer) {
  const Ends* const ends = ends_of(transfer.file);
  Queue* const queue = ends == nullptr ? nullptr : transfer.is_reading ? ends->in : ends->out;
  return queue != nullptr && transfer.bytes > 0 && keeps_order() ? queue : nullptr;
}

bool waits(const Transfer& transfer) {
  return !transfer.never_waits && (fcntl(transfer.file, F_GETFL) & O_NONBLOCK) == 0;
}

/// As `poll`: 0: it would wait.
int look(const Transfer& transfer, int timeout_ms) {
  pollfd one{transfer.file, static_cast<short>(transfer.is_reading ? POLLIN : POLLOUT), 0};
  return next<&::poll>("poll")(&one, 1, timeout_ms);
}

/// Does a signal end calls that wait?  One that has them go on (SA_RESTART) ends `poll` all the
/// same.
bool do_signals_interrupt() {
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    const bool is_handled = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
    if (is_handled && (action.sa_flags & SA_RESTART) == 0) return true;
  }
  return false;
}

ssize_t do_with(Queue& queue, const Transfer& transfer, TransferOrder::Execute execute,
                void* context) {
  const bool may_wait = waits(transfer);
  while (true) {
    {
      std::array<Queue*, 1> queues{&queue};
      const Guarded guarded(queues);
      if (!may_wait || look(transfer, 0) != 0) {
        const QueueTurn turn(&queue);
        const ssize_t done = execute(context);
        if (!may_wait) keep_outcome(done);
        return done;
      }
    }
    if (look(transfer, -1) < 0 && errno == EINTR && do_signals_interrupt()) return -1;
  }
}

bool is_of_timer(const Transfer& transfer) {
  const Ends* const ends = ends_of(transfer.file);
  return ends != nullptr && ends->is_timer && transfer.is_reading && transfer.bytes > 0 &&
         keeps_findings();
}

// It waits without a guard: how often the timer has gone off nothing but the log tells, so what
// counts is that this comes behind whoever has set it.
ssize_t timer_read(const Transfer& transfer, TransferOrder::Execute execute, void* context) {
  ssize_t done = 0;
  cancellable([&] {
    recorded()->before_operation();
    done = execute(context);
    const int error = errno;
    take_turn(ends_of(transfer.file)->in);
    errno = error;
    keep_outcome(done);
    std::uint64_t count = 0;
    if (done == sizeof count)
      readings().drew(std::memcpy(&count, transfer.into, sizeof count), sizeof count);
    errno = error;
    return 0;
  });
  return done;
}

ssize_t in_order(const Transfer& transfer, TransferOrder::Execute execute, void* context) {
  if (is_of_timer(transfer)) return timer_read(transfer, execute, context);
  Queue* const queue = queue_of(transfer);
  if (queue == nullptr) return execute(context);
  ssize_t done = 0;
  cancellable([&] {
    recorded()->before_operation();
    done = do_with(*queue, transfer, execute, context);
    return 0;
  });
  return done;
}

bool waits_in_order(const Transfer& transfer) {
  return queue_of(transfer) != nullptr && waits(transfer);
}

/// As soon as the library is there.
[[gnu::constructor]] void begin() {
  transfer_order = {in_order, waits_in_order,
                    [](int from, int to) { set_ends(to, ends_of(from)); }};
}

}  // namespace

const Ends* ends_of(int file) {
  return is_known(file) ? all_ends[static_cast<std::size_t>(file)].load(std::memory_order_acquire)
                        : nullptr;
}

void set_ends(int file, const Ends* ends) {
  if (!is_known(file)) return;
  all_ends[static_cast<std::size_t>(file)].store(ends, std::memory_order_release);
}

bool keeps_order() {
  return !has_guards && recorded() != nullptr && process_record.has_threads();
}

bool keeps_findings() {
  return !has_guards && recorded() != nullptr;
}

void take_turn(Queue* queue) {
  if (queue == nullptr || !keeps_order()) return;
  std::array<Queue*, 1> queues{queue};
  const Guarded guarded(queues);
  const QueueTurn turn(queue);
}

Guarded::Guarded(std::span<Queue*> queues) : queues_(queues) {
  std::ranges::sort(queues_);
  const auto end = std::unique(queues_.begin(), queues_.end());
  queues_ = queues_.first(static_cast<std::size_t>(end - queues_.begin()));
  has_guards = true;
  for (Queue* const queue : queues_) queue->guard.lock();
}

Guarded::~Guarded() {
  for (Queue* const queue : queues_) queue->guard.unlock();
  has_guards = false;
}

void keep_outcome(std::int64_t result) {
  readings().drew(static_cast<std::uint64_t>(result < 0 ? -std::int64_t{errno} : result));
}

}  // namespace orrery::on_hardware
