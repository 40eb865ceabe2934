// Pipes and pairs of sockets: which thread's bytes come first, and who gets which.
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <mutex>

#include <fcntl.h>
#include <files/pipe_pieces.hpp>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "next_function.hpp"
#include "own_lock.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "transfers.hpp"

using namespace orrery::on_hardware;

namespace {

/// Bytes on their way.  In a replay, too, a transfer has a lock, which is recorded as one of the
/// program's.
struct Queue {
  OwnLock guard;
  pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
};
struct Ends {
  Queue* in = nullptr;
  Queue* out = nullptr;
};
/// By descriptor.  What has been made stays: a descriptor may be closed while it is used.
std::array<std::atomic<const Ends*>, 1024> all_ends;

bool is_known(int file) {
  return file >= 0 && static_cast<std::size_t>(file) < all_ends.size();
}

const Ends* ends_of(int file) {
  return is_known(file) ? all_ends[static_cast<std::size_t>(file)].load(std::memory_order_acquire)
                        : nullptr;
}

void set_ends(int file, const Ends* ends) {
  if (!is_known(file)) return;
  all_ends[static_cast<std::size_t>(file)].store(ends, std::memory_order_release);
}

int copied(int from, int to) {
  if (to >= 0) set_ends(to, ends_of(from));
  return to;
}

void made_pipe(const int* files) {
  auto* const queue = new Queue;
  set_ends(files[0], new Ends{.in = queue});
  set_ends(files[1], new Ends{.out = queue});
}

/// The thread has a guard: a handler of a signal, which may write to the pipe that the thread is
/// reading, must not wait for it.
constinit thread_local bool is_transferring __attribute__((tls_model("initial-exec"))) = false;

class Transferring {
 public:
  Transferring() { is_transferring = true; }
  ~Transferring() { is_transferring = false; }
  Transferring(const Transferring&) = delete;
  Transferring& operator=(const Transferring&) = delete;
};

/// Where a transfer goes that is to be in an order.
Queue* queue_of(const Transfer& transfer) {
  if (is_transferring) return nullptr;
  const Ends* const ends = ends_of(transfer.file);
  Queue* const queue = ends == nullptr ? nullptr : transfer.is_reading ? ends->in : ends->out;
  const bool counts = queue != nullptr && recorded() != nullptr && process_record.has_threads();
  return counts && transfer.bytes > 0 ? queue : nullptr;
}

bool waits(int file) {
  return (fcntl(file, F_GETFL) & O_NONBLOCK) == 0;
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

ssize_t do_with(Queue& queue, const Transfer& transfer, DoTransfer execute, void* context) {
  const bool may_wait = !transfer.never_waits && waits(transfer.file);
  while (true) {
    {
      // Nobody waits for the lock, and it is had for a transfer alone.
      const Transferring now;
      const std::lock_guard held(queue.guard);
      if (!may_wait || look(transfer, 0) != 0) {
        pthread_mutex_lock(&queue.order);
        const ssize_t done = execute(context);
        const int error = errno;
        pthread_mutex_unlock(&queue.order);
        errno = error;
        return done;
      }
    }
    if (look(transfer, -1) < 0 && errno == EINTR && do_signals_interrupt()) return -1;
  }
}

ssize_t in_order(const Transfer& transfer, DoTransfer execute, void* context) {
  Queue* const queue = queue_of(transfer);
  if (queue == nullptr) return execute(context);
  recorded()->before_operation();
  return do_with(*queue, transfer, execute, context);
}

/// As soon as the library is there.
[[gnu::constructor]] void begin() {
  do_in_order = in_order;
}

}  // namespace

ORRERY_RECORDED int pipe(int* files) noexcept {
  const int error = next<&::pipe>("pipe")(files);
  if (error == 0) made_pipe(files);
  return error;
}

ORRERY_RECORDED int pipe2(int* files, int flags) noexcept {
  const int error = next<&::pipe2>("pipe2")(files, flags);
  if (error == 0) made_pipe(files);
  return error;
}

ORRERY_RECORDED int socketpair(int domain, int type, int protocol, int* files) noexcept {
  const int error = next<&::socketpair>("socketpair")(domain, type, protocol, files);
  if (error != 0) return error;
  auto* const there = new Queue;
  auto* const back = new Queue;
  set_ends(files[0], new Ends{.in = back, .out = there});
  set_ends(files[1], new Ends{.in = there, .out = back});
  return error;
}

ORRERY_RECORDED int dup(int file) noexcept {
  return copied(file, next<&::dup>("dup")(file));
}

ORRERY_RECORDED int dup2(int file, int wanted) noexcept {
  return copied(file, next<&::dup2>("dup2")(file, wanted));
}

ORRERY_RECORDED int dup3(int file, int wanted, int flags) noexcept {
  return copied(file, next<&::dup3>("dup3")(file, wanted, flags));
}

ORRERY_RECORDED int close(int file) {
  set_ends(file, nullptr);
  return next<&::close>("close")(file);
}

ORRERY_RECORDED ssize_t write(int file, const void* from, std::size_t bytes) {
  const auto real_one = next<&::write>("write");
  const auto* const text = static_cast<const char*>(from);
  const bool may_wait =
      bytes > PIPE_BUF && queue_of({file, false, bytes}) != nullptr && waits(file);
  return orrery::host::write_in_pieces(bytes, may_wait, [&](std::size_t begin, std::size_t piece) {
    return transferred({file, false, piece}, [&] { return real_one(file, text + begin, piece); });
  });
}

ORRERY_RECORDED ssize_t send(int file, const void* from, std::size_t bytes, int flags) {
  return transferred({file, false, bytes, (flags & MSG_DONTWAIT) != 0},
                     [&] { return next<&::send>("send")(file, from, bytes, flags); });
}

ORRERY_RECORDED ssize_t recv(int file, void* into, std::size_t bytes, int flags) {
  return transferred({file, true, bytes, (flags & MSG_DONTWAIT) != 0},
                     [&] { return next<&::recv>("recv")(file, into, bytes, flags); });
}
