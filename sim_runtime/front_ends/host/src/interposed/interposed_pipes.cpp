// Pipes, socket pairs and event counters between threads of a program, and waiting for them.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "files/pipe_files.hpp"
#include "files/user_files.hpp"
#include "ranks/next_function.hpp"

using orrery::host::FilesCall;
using orrery::host::guarded_runtime;
using orrery::host::note_place_of_call;
using orrery::host::open_file;
using orrery::host::OpenFile;
using orrery::host::original;
using orrery::host::running;
using orrery::host::wait_for_files;

#define ORRERY_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace {

constexpr std::int64_t picoseconds_per_nanosecond = 1'000;
constexpr std::int64_t picoseconds_per_microsecond = 1'000'000;
constexpr std::int64_t picoseconds_per_millisecond = 1'000'000'000;
constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;
constexpr std::int64_t seconds_max = 4'000'000;

bool is_host() {
  return running().user == nullptr;
}

int failed(int error) {
  errno = error;
  return -1;
}

using Ends = std::pair<std::shared_ptr<OpenFile>, std::shared_ptr<OpenFile>>;

int give_both(const FilesCall& call, Ends ends, int* numbers, bool closes_on_exec) {
  numbers[0] = call.own().add(std::move(ends.first), closes_on_exec);
  if (numbers[0] < 0) return -1;
  numbers[1] = call.own().add(std::move(ends.second), closes_on_exec);
  if (numbers[1] >= 0) return 0;
  call.own().put(numbers[0], {});
  return -1;
}

std::int64_t after(std::int64_t seconds, std::int64_t picoseconds) {
  return guarded_runtime().now() + std::min(seconds, seconds_max) * picoseconds_per_second +
         picoseconds;
}

/// As `select`, by `poll`.
int select_files(int count, fd_set* in, fd_set* out, fd_set* errors, const std::int64_t* deadline) {
  std::vector<pollfd> files;
  for (int number = 0; number < count; ++number) {
    int events = 0;
    if (in != nullptr && FD_ISSET(number, in)) events |= POLLIN;
    if (out != nullptr && FD_ISSET(number, out)) events |= POLLOUT;
    if (errors != nullptr && FD_ISSET(number, errors)) events |= POLLPRI;
    if (events == 0) continue;
    if (open_file(number) == nullptr) return -1;
    files.push_back({number, static_cast<short>(events), 0});
  }
  wait_for_files(files.data(), files.size(), deadline);
  for (fd_set* const set : {in, out, errors}) {
    if (set != nullptr) FD_ZERO(set);
  }
  int bits = 0;
  for (const pollfd& file : files) {
    if ((file.events & POLLIN) != 0 && (file.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      FD_SET(file.fd, in);
      ++bits;
    }
    if ((file.events & POLLOUT) != 0 && (file.revents & (POLLOUT | POLLERR)) != 0) {
      FD_SET(file.fd, out);
      ++bits;
    }
  }
  return bits;
}

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
  return read(number, value, sizeof *value) == sizeof *value ? 0 : -1;
}

int eventfd_write(int number, eventfd_t value) {
  return write(number, &value, sizeof value) == sizeof value ? 0 : -1;
}

int socketpair(int domain, int type, int protocol, int* numbers) noexcept {
  if (is_host()) return original<&socketpair>("socketpair")(domain, type, protocol, numbers);
  if (domain != AF_UNIX) return failed(EAFNOSUPPORT);
  if ((type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) != SOCK_STREAM) return failed(ESOCKTNOSUPPORT);
  const FilesCall call;
  return give_both(call,
                   orrery::host::make_socket_pair((type & SOCK_NONBLOCK) != 0 ? O_NONBLOCK : 0),
                   numbers, (type & SOCK_CLOEXEC) != 0);
}

ssize_t send(int number, const void* from, std::size_t bytes, int flags) {
  if (is_host()) return original<&send>("send")(number, from, bytes, flags);
  note_place_of_call(ORRERY_CALLER);
  return write(number, from, bytes);
}

ssize_t recv(int number, void* into, std::size_t bytes, int flags) {
  if (is_host()) return original<&recv>("recv")(number, into, bytes, flags);
  note_place_of_call(ORRERY_CALLER);
  return read(number, into, bytes);
}

ssize_t sendmsg(int number, const msghdr* message, int flags) {
  if (is_host()) return original<&sendmsg>("sendmsg")(number, message, flags);
  note_place_of_call(ORRERY_CALLER);
  return writev(number, message->msg_iov, static_cast<int>(message->msg_iovlen));
}

ssize_t recvmsg(int number, msghdr* message, int flags) {
  if (is_host()) return original<&recvmsg>("recvmsg")(number, message, flags);
  note_place_of_call(ORRERY_CALLER);
  message->msg_controllen = 0;
  message->msg_flags = 0;
  return readv(number, message->msg_iov, static_cast<int>(message->msg_iovlen));
}

int shutdown(int number, int how) noexcept {
  if (is_host()) return original<&shutdown>("shutdown")(number, how);
  const auto file = open_file(number);
  return file == nullptr ? -1 : orrery::host::shut_down(*file, how);
}

int poll(pollfd* files, nfds_t count, int timeout_ms) {
  if (is_host()) return original<&poll>("poll")(files, count, timeout_ms);
  note_place_of_call(ORRERY_CALLER);
  if (timeout_ms < 0) return wait_for_files(files, count, nullptr);
  const std::int64_t deadline = after(0, timeout_ms * picoseconds_per_millisecond);
  return wait_for_files(files, count, &deadline);
}

int __poll_chk(pollfd* files, nfds_t count, int timeout_ms, std::size_t) {
  return poll(files, count, timeout_ms);
}

int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (is_host()) return original<&ppoll>("ppoll")(files, count, timeout, mask);
  note_place_of_call(ORRERY_CALLER);
  if (timeout == nullptr) return wait_for_files(files, count, nullptr);
  const std::int64_t deadline =
      after(timeout->tv_sec, timeout->tv_nsec * picoseconds_per_nanosecond);
  return wait_for_files(files, count, &deadline);
}

int select(int count, fd_set* in, fd_set* out, fd_set* errors, timeval* timeout) {
  if (is_host()) return original<&select>("select")(count, in, out, errors, timeout);
  note_place_of_call(ORRERY_CALLER);
  if (timeout == nullptr) return select_files(count, in, out, errors, nullptr);
  const std::int64_t deadline =
      after(timeout->tv_sec, timeout->tv_usec * picoseconds_per_microsecond);
  return select_files(count, in, out, errors, &deadline);
}

int pselect(int count, fd_set* in, fd_set* out, fd_set* errors, const timespec* timeout,
            const sigset_t* mask) {
  if (is_host()) return original<&pselect>("pselect")(count, in, out, errors, timeout, mask);
  note_place_of_call(ORRERY_CALLER);
  if (timeout == nullptr) return select_files(count, in, out, errors, nullptr);
  const std::int64_t deadline =
      after(timeout->tv_sec, timeout->tv_nsec * picoseconds_per_nanosecond);
  return select_files(count, in, out, errors, &deadline);
}
}
