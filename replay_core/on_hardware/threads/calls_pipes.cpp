// Pipes, pairs of sockets and event counters: what a descriptor leads to, and when that ends.
#include <array>

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "transfer_order.hpp"

using namespace orrery::on_hardware;

namespace {

int copied(int from, int to) {
  if (to >= 0) set_ends(to, ends_of(from));
  return to;
}

void made_pipe(const int* files) {
  auto* const queue = new Queue;
  set_ends(files[0], new Ends{.in = queue});
  set_ends(files[1], new Ends{.out = queue});
}

/// Around a call that ends what a descriptor leads to, as far as it may: others see that.
template <typename End>
int ended(int file, const End& end) {
  const Ends* const ends = ends_of(file);
  if (ends == nullptr || !keeps_order()) return end();
  recorded()->before_operation();
  Queue* const other = ends->out == ends->in ? nullptr : ends->out;
  std::array<Queue*, 2> queues{};
  std::size_t count = 0;
  for (Queue* const queue : {ends->in, other}) {
    if (queue != nullptr) queues[count++] = queue;
  }
  const Guarded guarded({queues.data(), count});
  const QueueTurn reading(ends->in);
  const QueueTurn writing(other);
  return end();
}

/// Where there was something else before, that ends.
template <typename Copy>
int copied_to(int from, int to, const Copy& copy) {
  return from == to ? copy() : ended(to, [&] { return copied(from, copy()); });
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

ORRERY_RECORDED int eventfd(unsigned value, int flags) noexcept {
  const int file = next<&::eventfd>("eventfd")(value, flags);
  if (file < 0) return file;
  auto* const counter = new Queue;
  set_ends(file, new Ends{.in = counter, .out = counter});
  return file;
}

ORRERY_RECORDED int eventfd_read(int file, eventfd_t* value) {
  return read(file, value, sizeof *value) == sizeof *value ? 0 : -1;
}

ORRERY_RECORDED int eventfd_write(int file, eventfd_t value) {
  return write(file, &value, sizeof value) == sizeof value ? 0 : -1;
}

ORRERY_RECORDED int dup(int file) noexcept {
  return copied(file, next<&::dup>("dup")(file));
}

ORRERY_RECORDED int dup2(int file, int wanted) noexcept {
  return copied_to(file, wanted, [&] { return next<&::dup2>("dup2")(file, wanted); });
}

ORRERY_RECORDED int dup3(int file, int wanted, int flags) noexcept {
  return copied_to(file, wanted, [&] { return next<&::dup3>("dup3")(file, wanted, flags); });
}

ORRERY_RECORDED int close(int file) {
  return ended(file, [&] {
    set_ends(file, nullptr);
    return next<&::close>("close")(file);
  });
}

ORRERY_RECORDED int shutdown(int file, int how) noexcept {
  return ended(file, [&] { return next<&::shutdown>("shutdown")(file, how); });
}
