#include "pipe_files.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <deque>
#include <string>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "shared_file.hpp"

namespace orrery::host {
namespace {

constexpr std::size_t pipe_bytes = 65536;
constexpr std::size_t atomic_bytes = 4096;

/// Answers a call that must not wait, and could not do anything.
int would_block() {
  guarded_runtime().yield(place_of_call());
  return fail(EAGAIN);
}

/// Real threads had the room that they found: whether a replay of theirs waits for it, or not, is
/// in its log.
std::size_t room_for(std::size_t bytes) {
  if (keeps_order()) return SIZE_MAX;
  return pipe_bytes - std::min(bytes, pipe_bytes);
}

/// Nobody reads any more.
int broken(Manner manner) {
  if (manner.is_silent) return fail(EPIPE);
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

/// Bytes on their way from writers to readers.
class ByteQueue : public SharedState {
 public:
  /// Who waits for room in a pipe is told when it was full, in a socket whenever there is more.
  explicit ByteQueue(bool tells_each_departure) : tells_each_departure_(tells_each_departure) {}

  ssize_t read(void* into, std::size_t wanted, bool waits, bool is_look) {
    if (wanted == 0) return 0;
    Turn turn(*this);
    while (bytes_.empty()) {
      if (!has_writers_ || !has_readers_) return 0;
      if (!waits) return would_block();
      if (!turn.wait_for_change()) return -1;
    }
    const std::size_t count = std::min(wanted, bytes_.size());
    std::copy_n(bytes_.begin(), count, static_cast<std::byte*>(into));
    if (is_look) return static_cast<ssize_t>(count);
    const bool had_room = has_room();
    {
      const HostScope ours;
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (!had_room || tells_each_departure_) ++departures_;
    changed();
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const void* from, std::size_t wanted, bool waits, Manner manner) {
    Turn turn(*this);
    const auto* const next = static_cast<const std::byte*>(from);
    std::size_t done = 0;
    while (done < wanted) {
      if (is_broken()) return done > 0 ? static_cast<ssize_t>(done) : broken(manner);
      const std::size_t room = room_for(bytes_.size());
      if (room < least_room(wanted)) {
        if (!waits) return done > 0 ? static_cast<ssize_t>(done) : would_block();
        if (!turn.wait_for_change()) return -1;
        continue;
      }
      const std::size_t count = std::min(room, wanted - done);
      {
        const HostScope ours;
        bytes_.insert(bytes_.end(), next + done, next + done + count);
      }
      done += count;
      ++arrivals_;
      changed();
    }
    return static_cast<ssize_t>(done);
  }

  [[nodiscard]] std::int64_t would_read(std::size_t wanted) const {
    if (!bytes_.empty()) return static_cast<std::int64_t>(std::min(wanted, bytes_.size()));
    return has_writers_ && has_readers_ ? -EAGAIN : 0;
  }
  [[nodiscard]] std::int64_t would_write(std::size_t wanted) const {
    if (is_broken()) return -EPIPE;
    const std::size_t room = room_for(bytes_.size());
    return room < least_room(wanted) ? -EAGAIN : static_cast<std::int64_t>(std::min(room, wanted));
  }

  void end(bool reading) {
    const Turn turn(*this);
    bool& has_any = reading ? has_readers_ : has_writers_;
    if (has_any) {
      has_any = false;
      ++arrivals_;
      ++departures_;
      changed();
    }
  }
  [[nodiscard]] bool has_readers() const { return has_readers_; }
  [[nodiscard]] bool has_writers() const { return has_writers_; }
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }
  [[nodiscard]] std::uint64_t arrivals() const { return arrivals_; }
  [[nodiscard]] std::uint64_t departures() const { return departures_; }
  [[nodiscard]] bool has_room() const { return room_for(bytes_.size()) >= atomic_bytes; }

 private:
  /// Few bytes go in one piece, or not at all.
  static std::size_t least_room(std::size_t wanted) { return wanted <= atomic_bytes ? wanted : 1; }
  [[nodiscard]] bool is_broken() const { return !has_readers_ || !has_writers_; }

  std::deque<std::byte> bytes_;
  std::uint64_t arrivals_ = 0;
  std::uint64_t departures_ = 0;
  bool tells_each_departure_;
  bool has_readers_ = true;
  bool has_writers_ = true;
};

class PipeFile final : public SharedFile {
 public:
  PipeFile(std::shared_ptr<ByteQueue> in, std::shared_ptr<ByteQueue> out, int open_flags,
           mode_t mode)
      : SharedFile(open_flags), in_(std::move(in)), out_(std::move(out)), mode_(mode) {}
  ~PipeFile() override { shut(true, true); }

  void shut(bool reading, bool writing) {
    if (reading && in_ != nullptr) in_->end(/*reading=*/true);
    if (writing && out_ != nullptr) out_->end(/*reading=*/false);
  }
  [[nodiscard]] bool is_socket() const override { return S_ISSOCK(mode_); }

  [[nodiscard]] std::shared_ptr<bool> order(bool is_reading) override {
    const auto& queue = is_reading ? in_ : out_;
    return queue == nullptr ? nullptr : std::shared_ptr<bool>(queue, &queue->is_order_locked);
  }
  void status(struct stat& result) const override {
    result = {};
    result.st_mode = mode_ | 0600;
    result.st_nlink = 1;
    result.st_blksize = 4096;
  }
  [[nodiscard]] Found watch(Watcher* watcher) override {
    bool has_ended = true;  // for sockets: both ways
    Found found;
    if (in_ != nullptr) {
      found.bits |= in_->watch(watcher, [&] {
        has_ended = !in_->has_writers();
        found.arrivals = in_->arrivals();
        if (!is_socket()) return (in_->is_empty() ? 0 : POLLIN) | (has_ended ? POLLHUP : 0);
        return has_ended ? POLLIN | POLLRDHUP : in_->is_empty() ? 0 : POLLIN;
      });
    }
    if (out_ != nullptr) {
      found.bits |= out_->watch(watcher, [&] {
        const int room = out_->has_room() ? POLLOUT : 0;
        found.departures = out_->departures();
        if (out_->has_readers()) return room;
        return room | (!is_socket() ? POLLERR : has_ended ? POLLHUP : 0);
      });
    }
    return found;
  }
  [[nodiscard]] States states() override { return {in_, out_}; }

 protected:
  ssize_t take(void* into, const Transfer& transfer) override {
    const auto kept = in_;
    return kept == nullptr
               ? fail(EBADF)
               : kept->read(into, transfer.bytes, transfer.waits, transfer.manner.is_look);
  }
  ssize_t put(const void* from, const Transfer& transfer) override {
    const auto kept = out_;
    return kept == nullptr ? fail(EBADF)
                           : kept->write(from, transfer.bytes, transfer.waits, transfer.manner);
  }
  [[nodiscard]] std::int64_t would_take(std::size_t bytes) const override {
    return in_->would_read(bytes);
  }
  [[nodiscard]] std::int64_t would_put(const void*, std::size_t bytes) const override {
    return out_->would_write(bytes);
  }

 private:
  std::shared_ptr<ByteQueue> in_;
  std::shared_ptr<ByteQueue> out_;
  mode_t mode_;
};

class EventCounter final : public SharedFile {
 public:
  EventCounter(std::uint64_t value, int event_flags)
      : SharedFile(O_RDWR | ((event_flags & EFD_NONBLOCK) != 0 ? O_NONBLOCK : 0)),
        state_(std::make_shared<Count>()),
        counts_down_((event_flags & EFD_SEMAPHORE) != 0) {
    state_->value = value;
  }

  void status(struct stat& result) const override {
    result = {};
    result.st_mode = 0600;
    result.st_blksize = 4096;
  }
  [[nodiscard]] Found watch(Watcher* watcher) override {
    return state_->watch(watcher, [&] {
      const int bits = (state_->value > 0 ? POLLIN : 0) | (state_->value < value_max ? POLLOUT : 0);
      return Found{bits, state_->arrivals, state_->departures};
    });
  }
  [[nodiscard]] States states() override { return {state_}; }
  [[nodiscard]] std::shared_ptr<bool> order(bool /*is_reading*/) override {
    return {state_, &state_->is_order_locked};
  }

 protected:
  ssize_t take(void* into, const Transfer& transfer) override {
    if (transfer.bytes < sizeof state_->value) return fail(EINVAL);
    const auto kept = state_;
    SharedState::Turn turn(*kept);
    while (kept->value == 0) {
      if (!transfer.waits) return would_block();
      if (!turn.wait_for_change()) return -1;
    }
    const std::uint64_t taken = counts_down_ ? 1 : kept->value;
    std::memcpy(into, &taken, sizeof taken);
    ++kept->departures;
    kept->change(-taken);
    return sizeof taken;
  }
  ssize_t put(const void* from, const Transfer& transfer) override {
    std::uint64_t added = 0;
    if (transfer.bytes < sizeof added) return fail(EINVAL);
    std::memcpy(&added, from, sizeof added);
    if (added > value_max) return fail(EINVAL);
    const auto kept = state_;
    SharedState::Turn turn(*kept);
    while (added > value_max - kept->value) {
      if (!transfer.waits) return would_block();
      if (!turn.wait_for_change()) return -1;
    }
    ++kept->arrivals;
    kept->change(added);
    return sizeof added;
  }
  [[nodiscard]] std::int64_t would_take(std::size_t bytes) const override {
    if (bytes < sizeof state_->value) return -EINVAL;
    return state_->value == 0 ? -EAGAIN : static_cast<std::int64_t>(sizeof state_->value);
  }
  [[nodiscard]] std::int64_t would_put(const void* from, std::size_t bytes) const override {
    std::uint64_t added = 0;
    if (bytes < sizeof added) return -EINVAL;
    std::memcpy(&added, from, sizeof added);
    if (added > value_max) return -EINVAL;
    return added > value_max - state_->value ? -EAGAIN : static_cast<std::int64_t>(sizeof added);
  }

 private:
  struct Count : SharedState {
    void change(std::uint64_t difference) {
      value += difference;
      changed();
    }
    std::uint64_t value = 0;
    std::uint64_t arrivals = 0;
    std::uint64_t departures = 0;
  };
  static constexpr std::uint64_t value_max = UINT64_MAX - 1;
  std::shared_ptr<Count> state_;
  bool counts_down_;
};

}  // namespace

std::pair<std::shared_ptr<OpenFile>, std::shared_ptr<OpenFile>> make_pipe(int flags) {
  auto queue = std::make_shared<ByteQueue>(/*tells_each_departure=*/false);
  return {std::make_shared<PipeFile>(queue, nullptr, O_RDONLY | flags, S_IFIFO),
          std::make_shared<PipeFile>(nullptr, queue, O_WRONLY | flags, S_IFIFO)};
}

std::pair<std::shared_ptr<OpenFile>, std::shared_ptr<OpenFile>> make_socket_pair(int flags) {
  auto there = std::make_shared<ByteQueue>(/*tells_each_departure=*/true);
  auto back = std::make_shared<ByteQueue>(/*tells_each_departure=*/true);
  return {std::make_shared<PipeFile>(back, there, O_RDWR | flags, S_IFSOCK),
          std::make_shared<PipeFile>(there, back, O_RDWR | flags, S_IFSOCK)};
}

int shut_down(OpenFile& file, int how) {
  SharedFile* const shared = file.shared();
  if (shared == nullptr || !shared->is_socket()) return fail(ENOTSOCK);
  const EndTurn turn(file);
  static_cast<PipeFile*>(shared)->shut(how != SHUT_WR, how != SHUT_RD);
  return 0;
}

std::shared_ptr<OpenFile> make_event_counter(std::uint64_t value, int flags) {
  return std::make_shared<EventCounter>(value, flags);
}

}  // namespace orrery::host
