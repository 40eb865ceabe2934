// Pipes, socket pairs and event counters between threads of a program, and waiting for them.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "caller.hpp"
#include "files/pipe_files.hpp"
#include "files/polling.hpp"
#include "files/select_sets.hpp"
#include "files/shared_parts.hpp"
#include "files/user_files.hpp"
#include "ranks/next_function.hpp"

using orrery::host::fail;
using orrery::host::FilesCall;
using orrery::host::HostScope;
using orrery::host::is_host;
using orrery::host::Manner;
using orrery::host::note_place_of_call;
using orrery::host::open_file;
using orrery::host::OpenFile;
using orrery::host::original;
using orrery::host::receive_parts;
using orrery::host::SelectSets;
using orrery::host::send_parts;
using orrery::host::wait_for_files;

namespace {

constexpr std::int64_t picoseconds_per_nanosecond = 1'000;
constexpr std::int64_t picoseconds_per_microsecond = 1'000'000;
constexpr std::int64_t picoseconds_per_millisecond = 1'000'000'000;
constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;
constexpr std::int64_t seconds_max = 4'000'000;

using Ends = std::pair<std::shared_ptr<OpenFile>, std::shared_ptr<OpenFile>>;

int give_both(const FilesCall& call, Ends ends, int* numbers, bool closes_on_exec) {
  numbers[0] = call.own().add(std::move(ends.first), closes_on_exec);
  if (numbers[0] < 0) return -1;
  numbers[1] = call.own().add(std::move(ends.second), closes_on_exec);
  if (numbers[1] >= 0) return 0;
  call.own().put(numbers[0], {});
  return -1;
}

/// Of `timespec` and `timeval`: its second part in picoseconds.
std::optional<std::int64_t> span_of(std::int64_t seconds, std::int64_t picoseconds) {
  return std::min(seconds, seconds_max) * picoseconds_per_second + picoseconds;
}

int select_files(int count, const SelectSets& sets, std::optional<std::int64_t> timeout_ps) {
  std::vector<pollfd> files;
  {
    const HostScope ours;
    files = sets.files(count);
  }
  const bool are_open =
      std::ranges::all_of(files, [](const pollfd& file) { return open_file(file.fd) != nullptr; });
  const int found = are_open ? wait_for_files(files.data(), files.size(), timeout_ps) : -1;
  const int result = found < 0 ? found : sets.give(files);
  const HostScope ours;
  files = {};
  return result;
}

Manner manner_of(int flags) {
  return {.never_waits = (flags & MSG_DONTWAIT) != 0,
          .is_whole = (flags & MSG_WAITALL) != 0,
          .is_look = (flags & MSG_PEEK) != 0,
          .is_silent = (flags & MSG_NOSIGNAL) != 0};
}

/// Of a call with `flags`, of which it takes these; null with `errno`: there is none.
std::shared_ptr<OpenFile> socket_of(int number, int flags, int taken) {
  auto file = open_file(number);
  if (file == nullptr) return file;
  const bool is_socket = file->shared() != nullptr && file->shared()->is_socket();
  if (is_socket && (flags & ~taken) == 0) return file;
  errno = is_socket ? EOPNOTSUPP : ENOTSOCK;
  return nullptr;
}

constexpr int sends = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE | MSG_EOR;
constexpr int receives = MSG_DONTWAIT | MSG_WAITALL | MSG_PEEK | MSG_CMSG_CLOEXEC;

}  // namespace

extern "C" {

extern const char orrery_interposed_pipes;
const char orrery_interposed_pipes = 0;

int pipe2(int* numbers, int flags) noexcept {
  if (is_host()) return original<&pipe2>("pipe2")(numbers, flags);
  const FilesCall call;
  return give_both(call, orrery::host::make_pipe(flags & O_NONBLOCK), numbers,
                   (flags & O_CLOEXEC) != 0);
}

int pipe(int* numbers) noexcept {
  if (is_host()) return original<&pipe>("pipe")(numbers);
  return pipe2(numbers, 0);
}

int eventfd(unsigned value, int flags) noexcept {
  if (is_host()) return original<&eventfd>("eventfd")(value, flags);
  const FilesCall call;
  return call.own().add(orrery::host::make_event_counter(value, flags), (flags & EFD_CLOEXEC) != 0);
}

int eventfd_read(int number, eventfd_t* value) {
  if (is_host()) return original<&eventfd_read>("eventfd_read")(number, value);
  note_place_of_call(ORRERY_CALLER);
  const auto file = open_file(number);
  return file != nullptr && file->read(value, sizeof *value) == sizeof *value ? 0 : -1;
}

int eventfd_write(int number, eventfd_t value) {
  if (is_host()) return original<&eventfd_write>("eventfd_write")(number, value);
  note_place_of_call(ORRERY_CALLER);
  const auto file = open_file(number);
  return file != nullptr && file->write(&value, sizeof value) == sizeof value ? 0 : -1;
}

int socketpair(int domain, int type, int protocol, int* numbers) noexcept {
  if (is_host()) return original<&socketpair>("socketpair")(domain, type, protocol, numbers);
  if (domain != AF_UNIX) return fail(EAFNOSUPPORT);
  if ((type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) != SOCK_STREAM) return fail(ESOCKTNOSUPPORT);
  const FilesCall call;
  return give_both(call,
                   orrery::host::make_socket_pair((type & SOCK_NONBLOCK) != 0 ? O_NONBLOCK : 0),
                   numbers, (type & SOCK_CLOEXEC) != 0);
}

ssize_t send(int number, const void* from, std::size_t bytes, int flags) {
  if (is_host()) return original<&send>("send")(number, from, bytes, flags);
  note_place_of_call(ORRERY_CALLER);
  const auto file = socket_of(number, flags, sends);
  return file == nullptr ? -1 : file->shared()->send(from, bytes, manner_of(flags));
}

ssize_t recv(int number, void* into, std::size_t bytes, int flags) {
  if (is_host()) return original<&recv>("recv")(number, into, bytes, flags);
  note_place_of_call(ORRERY_CALLER);
  const auto file = socket_of(number, flags, receives);
  return file == nullptr ? -1 : file->shared()->receive(into, bytes, manner_of(flags));
}

ssize_t sendmsg(int number, const msghdr* message, int flags) {
  if (is_host()) return original<&sendmsg>("sendmsg")(number, message, flags);
  note_place_of_call(ORRERY_CALLER);
  const auto file = socket_of(number, flags, sends);
  if (file == nullptr) return -1;
  return send_parts(*file->shared(), message->msg_iov, static_cast<int>(message->msg_iovlen),
                    manner_of(flags));
}

ssize_t recvmsg(int number, msghdr* message, int flags) {
  if (is_host()) return original<&recvmsg>("recvmsg")(number, message, flags);
  note_place_of_call(ORRERY_CALLER);
  const auto file = socket_of(number, flags, receives);
  if (file == nullptr) return -1;
  message->msg_controllen = 0;
  message->msg_flags = 0;
  return receive_parts(*file->shared(), message->msg_iov, static_cast<int>(message->msg_iovlen),
                       manner_of(flags));
}

int shutdown(int number, int how) noexcept {
  if (is_host()) return original<&shutdown>("shutdown")(number, how);
  note_place_of_call(ORRERY_CALLER);
  const auto file = open_file(number);
  return file == nullptr ? -1 : orrery::host::shut_down(*file, how);
}

int poll(pollfd* files, nfds_t count, int timeout_ms) {
  if (is_host()) return original<&poll>("poll")(files, count, timeout_ms);
  note_place_of_call(ORRERY_CALLER);
  if (timeout_ms < 0) return wait_for_files(files, count, {});
  return wait_for_files(files, count, timeout_ms * picoseconds_per_millisecond);
}

int __poll_chk(pollfd* files, nfds_t count, int timeout_ms, std::size_t) {
  return poll(files, count, timeout_ms);
}

int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (is_host()) return original<&ppoll>("ppoll")(files, count, timeout, mask);
  note_place_of_call(ORRERY_CALLER);
  if (timeout == nullptr) return wait_for_files(files, count, {});
  return wait_for_files(files, count,
                        span_of(timeout->tv_sec, timeout->tv_nsec * picoseconds_per_nanosecond));
}

int select(int count, fd_set* in, fd_set* out, fd_set* errors, timeval* timeout) {
  if (is_host()) return original<&select>("select")(count, in, out, errors, timeout);
  note_place_of_call(ORRERY_CALLER);
  if (timeout == nullptr) return select_files(count, {in, out, errors}, {});
  return select_files(count, {in, out, errors},
                      span_of(timeout->tv_sec, timeout->tv_usec * picoseconds_per_microsecond));
}

int pselect(int count, fd_set* in, fd_set* out, fd_set* errors, const timespec* timeout,
            const sigset_t* mask) {
  if (is_host()) return original<&pselect>("pselect")(count, in, out, errors, timeout, mask);
  note_place_of_call(ORRERY_CALLER);
  if (timeout == nullptr) return select_files(count, {in, out, errors}, {});
  return select_files(count, {in, out, errors},
                      span_of(timeout->tv_sec, timeout->tv_nsec * picoseconds_per_nanosecond));
}
}
