#include "pipe_files.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <deque>
#include <string>

#include <sys/eventfd.h>
#include <sys/socket.h>

#include "user_files.hpp"

namespace orrery::host {
namespace {

constexpr std::uint32_t all_bits = 0xffffffffU;
constexpr std::size_t pipe_bytes = 65536;
constexpr std::size_t atomic_bytes = 4096;

/// Something whose changes tasks wait for, by the runtime's futexes.
class Signal {
 public:
  Signal() = default;
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  ~Signal() {
    if (running().user != nullptr) guarded_runtime().object_forget(&changes_);
  }
  void begin_run() { changes_ = waiting_ = 0; }
  /// Waits until something has changed since `seen`, or until the deadline.
  void wait(std::uint32_t seen, std::int64_t deadline) {
    ++waiting_;
    guarded_runtime().futex_wait(&changes_, seen, all_bits, deadline, /*is_programs=*/0,
                                 place_of_call());
    if (changes_ == seen) --waiting_;  // by its deadline
  }
  /// Who waits before the wake-up sleeps until then, and who comes after it need not wait: so that
  /// follows from the order of these two, which a replay has.  When a sleeper goes on does not
  /// matter: it is none from here on.
  void changed() {
    if (waiting_ > 0 && running().user != nullptr) {
      guarded_runtime().futex_wake(&changes_, INT_MAX, all_bits, nullptr, 0, place_of_call());
    }
    waiting_ = 0;
    ++changes_;
  }
  [[nodiscard]] std::uint32_t changes() const { return changes_; }

 private:
  std::uint32_t changes_ = 0;
  std::uint32_t waiting_ = 0;  ///< since the last of them
};

/// Of anything that `poll` can wait for.
Signal& any_file() {
  static Signal signal;
  return signal;
}

int fail(int error) {
  errno = error;
  return -1;
}

/// Answers a call that must not wait, and could not do anything.
int would_block() {
  guarded_runtime().yield(place_of_call());
  return fail(EAGAIN);
}

/// What several tasks look at and change: one at a time, each after what the one before it did.
class SharedState {
 public:
  /// A call that has its turn, until it returns.
  class Turn {
   public:
    explicit Turn(SharedState& state) : state_(state), place_(place_of_call()) { begin(); }
    ~Turn() { state_.unlock(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    /// Lets others have theirs until one of them has changed something.
    void wait_for_change() {
      const std::uint32_t seen = state_.signal_.changes();
      state_.unlock();
      state_.signal_.wait(seen, ORRERY_NEVER);
      begin();
    }

   private:
    void begin() {
      note_place_of_call(place_);
      state_.lock();
      note_place_of_call(place_);  // others have called meanwhile
    }
    SharedState& state_;
    std::uintptr_t place_;
  };

  SharedState() = default;
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;
  ~SharedState() {
    if (running().user != nullptr) guarded_runtime().object_forget(this);
  }
  void changed() {
    signal_.changed();
    any_file().changed();
  }

 private:
  void lock() {
    ComputingScope::charge_ahead(place_of_call());
    const std::uint32_t flags = ORRERY_MUTEX_HOSTS | (is_locked_ ? ORRERY_MUTEX_MARKED : 0);
    guarded_runtime().mutex_lock(this, flags, ORRERY_LOCK_WAIT, ORRERY_NEVER, place_of_call());
    is_locked_ = true;
  }
  void unlock() {
    guarded_runtime().mutex_unlock(this, ORRERY_MUTEX_HOSTS | ORRERY_MUTEX_MARKED, place_of_call());
    is_locked_ = false;
  }
  bool is_locked_ = false;
  Signal signal_;
};

/// Bytes on their way from writers to readers.
class ByteQueue : public SharedState {
 public:
  std::deque<std::byte> bytes;
  bool has_readers = true;
  bool has_writers = true;
  bool is_order_locked = false;

  ssize_t read(void* into, std::size_t wanted, bool waits) {
    if (wanted == 0) return 0;
    Turn turn(*this);
    while (bytes.empty()) {
      if (!has_writers || !has_readers) return 0;
      if (!waits) return would_block();
      turn.wait_for_change();
    }
    const std::size_t count = std::min(wanted, bytes.size());
    std::copy_n(bytes.begin(), count, static_cast<std::byte*>(into));
    {
      const HostScope ours;
      bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    }
    changed();
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const void* from, std::size_t wanted, bool waits) {
    Turn turn(*this);
    const auto* const next = static_cast<const std::byte*>(from);
    std::size_t done = 0;
    while (done < wanted) {
      if (!has_readers || !has_writers) return done > 0 ? static_cast<ssize_t>(done) : broken();
      // Few bytes go in one piece, or not at all.
      const std::size_t room = pipe_bytes - bytes.size();
      const std::size_t least = wanted <= atomic_bytes ? wanted : 1;
      if (room < least) {
        if (!waits) return done > 0 ? static_cast<ssize_t>(done) : would_block();
        turn.wait_for_change();
        continue;
      }
      const std::size_t count = std::min(room, wanted - done);
      {
        const HostScope ours;
        bytes.insert(bytes.end(), next + done, next + done + count);
      }
      done += count;
      changed();
    }
    return static_cast<ssize_t>(done);
  }

 private:
  static ssize_t broken() {
    struct sigaction action {};
    sigaction(SIGPIPE, nullptr, &action);
    if (action.sa_handler == SIG_DFL) {
      guarded_runtime().finding("crash",
                                "SIGPIPE: a write to a pipe or socket whose other end nobody reads",
                                place_of_call());
    }
    if (action.sa_handler != SIG_IGN) std::raise(SIGPIPE);
    return fail(EPIPE);
  }
};

class PipeFile final : public OpenFile {
 public:
  PipeFile(std::shared_ptr<ByteQueue> in, std::shared_ptr<ByteQueue> out, int open_flags,
           mode_t mode)
      : OpenFile(open_flags), in_(std::move(in)), out_(std::move(out)), mode_(mode) {}
  ~PipeFile() override { shut(true, true); }

  void shut(bool reading, bool writing) {
    if (reading && in_ != nullptr && in_->has_readers) {
      in_->has_readers = false;
      in_->changed();
    }
    if (writing && out_ != nullptr && out_->has_writers) {
      out_->has_writers = false;
      out_->changed();
    }
  }
  [[nodiscard]] bool is_socket() const { return S_ISSOCK(mode_); }

  ssize_t read(void* into, std::size_t bytes) override {
    const auto kept = in_;
    return kept == nullptr ? fail(EBADF) : kept->read(into, bytes, waits());
  }
  ssize_t write(const void* from, std::size_t bytes) override {
    const auto kept = out_;
    return kept == nullptr ? fail(EBADF) : kept->write(from, bytes, waits());
  }
  [[nodiscard]] bool* transfer_order(bool is_reading) override {
    const auto& queue = is_reading ? in_ : out_;
    return queue == nullptr ? nullptr : &queue->is_order_locked;
  }
  void status(struct stat& result) const override {
    result = {};
    result.st_mode = mode_ | 0600;
    result.st_nlink = 1;
    result.st_blksize = 4096;
  }
  [[nodiscard]] short ready() const override {
    int bits = 0;
    if (in_ != nullptr && (!in_->bytes.empty() || (is_socket() && !in_->has_writers))) {
      bits |= POLLIN;
    }
    if (in_ != nullptr && !in_->has_writers) bits |= POLLHUP;
    if (out_ != nullptr && pipe_bytes - out_->bytes.size() >= atomic_bytes) bits |= POLLOUT;
    if (out_ != nullptr && !out_->has_readers) bits |= is_socket() ? POLLHUP : POLLERR;
    return static_cast<short>(bits);
  }

 private:
  [[nodiscard]] bool waits() const { return (flags & O_NONBLOCK) == 0; }

  std::shared_ptr<ByteQueue> in_;
  std::shared_ptr<ByteQueue> out_;
  mode_t mode_;
};

class EventCounter final : public OpenFile {
 public:
  EventCounter(std::uint64_t value, int event_flags)
      : OpenFile(O_RDWR | ((event_flags & EFD_NONBLOCK) != 0 ? O_NONBLOCK : 0)),
        value_(value),
        counts_down_((event_flags & EFD_SEMAPHORE) != 0) {}

  ssize_t read(void* into, std::size_t bytes) override {
    if (bytes < sizeof value_) return fail(EINVAL);
    SharedState::Turn turn(state_);
    while (value_ == 0) {
      if ((flags & O_NONBLOCK) != 0) return would_block();
      turn.wait_for_change();
    }
    const std::uint64_t taken = counts_down_ ? 1 : value_;
    value_ -= taken;
    std::memcpy(into, &taken, sizeof taken);
    state_.changed();
    return sizeof taken;
  }
  ssize_t write(const void* from, std::size_t bytes) override {
    std::uint64_t added = 0;
    if (bytes < sizeof added) return fail(EINVAL);
    std::memcpy(&added, from, sizeof added);
    if (added > value_max) return fail(EINVAL);
    SharedState::Turn turn(state_);
    while (added > value_max - value_) {
      if ((flags & O_NONBLOCK) != 0) return would_block();
      turn.wait_for_change();
    }
    value_ += added;
    state_.changed();
    return sizeof added;
  }
  void status(struct stat& result) const override {
    result = {};
    result.st_mode = 0600;
    result.st_blksize = 4096;
  }
  [[nodiscard]] short ready() const override {
    return static_cast<short>((value_ > 0 ? POLLIN : 0) | (value_ < value_max ? POLLOUT : 0));
  }

 private:
  static constexpr std::uint64_t value_max = UINT64_MAX - 1;
  std::uint64_t value_;
  bool counts_down_;
  SharedState state_;
};

/// Fills in what holds of each; returns of how many something does.
int look_at(pollfd* files, nfds_t count) {
  int found = 0;
  for (nfds_t i = 0; i < count; ++i) {
    pollfd& one = files[i];
    one.revents = 0;
    if (one.fd < 0) continue;
    const auto file = open_file(one.fd);
    constexpr int always = POLLHUP | POLLERR | POLLNVAL;
    const int holds = file == nullptr ? POLLNVAL : file->ready();
    const int wanted = (one.events | always) & ~POLLRDNORM & ~POLLWRNORM;
    one.revents = static_cast<short>(holds & wanted);
    if (one.revents != 0) ++found;
  }
  return found;
}

}  // namespace

std::pair<std::shared_ptr<OpenFile>, std::shared_ptr<OpenFile>> make_pipe(int flags) {
  auto queue = std::make_shared<ByteQueue>();
  return {std::make_shared<PipeFile>(queue, nullptr, O_RDONLY | flags, S_IFIFO),
          std::make_shared<PipeFile>(nullptr, queue, O_WRONLY | flags, S_IFIFO)};
}

std::pair<std::shared_ptr<OpenFile>, std::shared_ptr<OpenFile>> make_socket_pair(int flags) {
  auto there = std::make_shared<ByteQueue>();
  auto back = std::make_shared<ByteQueue>();
  return {std::make_shared<PipeFile>(back, there, O_RDWR | flags, S_IFSOCK),
          std::make_shared<PipeFile>(there, back, O_RDWR | flags, S_IFSOCK)};
}

int shut_down(OpenFile& file, int how) {
  auto* const end = dynamic_cast<PipeFile*>(&file);
  if (end == nullptr || !end->is_socket()) return fail(ENOTSOCK);
  end->shut(how != SHUT_WR, how != SHUT_RD);
  return 0;
}

std::shared_ptr<OpenFile> make_event_counter(std::uint64_t value, int flags) {
  return std::make_shared<EventCounter>(value, flags);
}

void begin_run_of_pipes() {
  any_file().begin_run();
}

int wait_for_files(pollfd* files, nfds_t count, const std::int64_t* deadline) {
  guarded_runtime().visible_call(POLLIN, place_of_call());
  while (true) {
    const std::uint32_t seen = any_file().changes();
    const int found = look_at(files, count);
    if (found > 0) return found;
    if (deadline != nullptr && *deadline <= guarded_runtime().now()) {
      guarded_runtime().yield(place_of_call());
      return 0;
    }
    any_file().wait(seen, deadline == nullptr ? ORRERY_NEVER : *deadline);
  }
}

}  // namespace orrery::host
