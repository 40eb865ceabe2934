/* What epoll and timers do on Linux: it passes there, and so it has to in simulation. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int list;
static struct epoll_event found[8];

static int add(int file, uint32_t events, uint64_t word) {
  struct epoll_event event = {.events = events, .data.u64 = word};
  return epoll_ctl(list, EPOLL_CTL_ADD, file, &event);
}
static int change(int file, uint32_t events, uint64_t word) {
  struct epoll_event event = {.events = events, .data.u64 = word};
  return epoll_ctl(list, EPOLL_CTL_MOD, file, &event);
}
static int fails(int result, int error) {
  return result == -1 && errno == error;
}

static void errors(void) {
  int file = open("/dev/null", O_RDONLY), event = eventfd(0, 0), timer;
  int plain = open("/etc/passwd", O_RDONLY);
  struct epoll_event one = {.events = EPOLLIN};
  struct itimerspec bad = {.it_value = {0, 1000000000}}, good = {.it_value = {5, 0}}, was;
  uint64_t count;
  assert(fails(epoll_create(0), EINVAL) && fails(epoll_create1(1), EINVAL));
  list = epoll_create1(EPOLL_CLOEXEC);
  assert(list >= 0 && fcntl(list, F_GETFD) == FD_CLOEXEC);
  assert(fails(add(plain, EPOLLIN, 0), EPERM));
  assert(fails(add(99, EPOLLIN, 0), EBADF) &&
         fails(epoll_ctl(99, EPOLL_CTL_ADD, event, &one), EBADF));
  assert(fails(add(list, EPOLLIN, 0), EINVAL) &&
         fails(epoll_ctl(event, EPOLL_CTL_ADD, list, &one), EINVAL));
  assert(fails(epoll_ctl(list, 7, event, &one), EINVAL));
  assert(fails(epoll_ctl(list, EPOLL_CTL_ADD, event, NULL), EFAULT));
  assert(fails(change(event, EPOLLIN, 0), ENOENT) &&
         fails(epoll_ctl(list, EPOLL_CTL_DEL, event, NULL), ENOENT));
  assert(add(event, EPOLLIN, 1) == 0 && fails(add(event, EPOLLIN, 2), EEXIST));
  assert(fails(epoll_wait(list, found, 0, 0), EINVAL) &&
         fails(epoll_wait(event, found, 1, 0), EINVAL));
  assert(fails(epoll_wait(99, found, 1, 0), EBADF));
  int other = epoll_create(1);
  assert(add(other, EPOLLIN, 3) == 0);
  one.events = EPOLLIN;
  assert(fails(epoll_ctl(other, EPOLL_CTL_ADD, list, &one), ELOOP));
  assert(fails(add(dup(event), EPOLLIN | EPOLLONESHOT | EPOLLEXCLUSIVE, 0), EINVAL));
  assert(fails(read(list, &count, sizeof count), EINVAL));
  assert(fails(timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0), EINVAL));
  assert(fails(timerfd_create(CLOCK_MONOTONIC, 1), EINVAL));
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  assert(timer >= 0);
  assert(fails(timerfd_settime(timer, 0, &bad, NULL), EINVAL));
  assert(fails(timerfd_settime(timer, 64, &good, NULL), EINVAL));
  assert(fails(timerfd_settime(event, 0, &good, NULL), EINVAL));
  assert(fails(timerfd_settime(99, 0, &good, NULL), EBADF) &&
         fails(timerfd_gettime(99, &was), EBADF));
  assert(fails(read(timer, &count, 4), EINVAL) && fails(read(timer, &count, 8), EAGAIN));
  assert(fails(write(timer, &count, 8), EINVAL));
  assert(timerfd_settime(timer, 0, &good, &was) == 0 && was.it_value.tv_sec == 0);
  assert(timerfd_gettime(timer, &was) == 0 && was.it_value.tv_sec >= 4 && was.it_value.tv_sec <= 5);
  close(file), close(plain), close(event), close(other), close(list), close(timer);
}

static void levels(void) {
  int ends[2], event = eventfd(0, EFD_NONBLOCK);
  char text[8];
  uint64_t count;
  list = epoll_create1(0);
  assert(pipe2(ends, O_NONBLOCK) == 0);
  assert(add(ends[0], EPOLLIN, 10) == 0 && add(ends[1], EPOLLOUT, 11) == 0 &&
         add(event, EPOLLIN | EPOLLOUT, 12) == 0);
  assert(epoll_wait(list, found, 8, -1) == 2);
  for (int i = 0; i < 2; ++i) assert(found[i].events == EPOLLOUT && found[i].data.u64 >= 11);
  assert(write(ends[1], "abc", 3) == 3 && change(ends[1], 0, 11) == 0 &&
         change(event, EPOLLIN, 13) == 0);
  for (int i = 0; i < 2; ++i)
    assert(epoll_wait(list, found, 8, 0) == 1 && found[0].data.u64 == 10 &&
           found[0].events == EPOLLIN);
  assert(read(ends[0], text, 8) == 3 && epoll_wait(list, found, 8, 0) == 0);
  assert(eventfd_write(event, 1) == 0 && write(ends[1], "a", 1) == 1);
  int first, second;  // one at a time, and both in turn
  assert(epoll_wait(list, found, 1, 0) == 1), first = found[0].data.fd;
  assert(epoll_wait(list, found, 1, 0) == 1), second = found[0].data.fd;
  assert(first + second == 23);
  close(ends[1]);
  assert(read(ends[0], text, 8) == 1 && read(event, &count, 8) == 8);
  assert(epoll_wait(list, found, 8, 0) == 1 && found[0].events == EPOLLHUP);
  close(ends[0]);  // it is none of the list's any more
  assert(epoll_wait(list, found, 8, 0) == 0);
  int both[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
  assert(add(both[0], EPOLLIN | EPOLLRDHUP, 20) == 0);
  shutdown(both[1], SHUT_WR);
  assert(epoll_wait(list, found, 8, 0) == 1 && found[0].events == (EPOLLIN | EPOLLRDHUP));
  close(both[1]);
  assert(epoll_wait(list, found, 8, 0) == 1 &&
         found[0].events == (EPOLLIN | EPOLLRDHUP | EPOLLHUP));
  int copy = dup(both[0]);
  close(both[0]);  // the copy keeps it
  assert(epoll_wait(list, found, 8, 0) == 1 && found[0].data.u64 == 20);
  assert(fails(epoll_ctl(list, EPOLL_CTL_DEL, copy, NULL), ENOENT));
  close(copy);
  assert(epoll_wait(list, found, 8, 0) == 0);
  int list_copy = fcntl(list, F_DUPFD_CLOEXEC, 100);
  assert(list_copy >= 100 && change(event, EPOLLOUT, 30) == 0);
  assert(epoll_wait(list_copy, found, 8, 0) == 1 && found[0].data.u64 == 30);
  close(list), close(event), close(list_copy);
}

static void edges(void) {
  int ends[2], event = eventfd(0, EFD_NONBLOCK);
  char text[8];
  list = epoll_create1(0);
  assert(pipe2(ends, O_NONBLOCK) == 0);
  assert(add(ends[0], EPOLLIN | EPOLLET, 1) == 0 && epoll_wait(list, found, 8, 0) == 0);
  assert(write(ends[1], "ab", 2) == 2 && epoll_wait(list, found, 8, 0) == 1 &&
         epoll_wait(list, found, 8, 0) == 0);
  assert(write(ends[1], "c", 1) == 1 && epoll_wait(list, found, 8, 0) == 1);
  assert(read(ends[0], text, 1) == 1 && epoll_wait(list, found, 8, 0) == 0);
  assert(change(ends[0], EPOLLIN | EPOLLET, 2) == 0 && epoll_wait(list, found, 8, 0) == 1 &&
         found[0].data.u64 == 2);
  assert(write(ends[1], "d", 1) == 1 && read(ends[0], text, 8) == 3 &&
         epoll_wait(list, found, 8, 0) == 0);
  close(ends[1]);
  assert(epoll_wait(list, found, 8, 0) == 1 && (found[0].events & EPOLLHUP) != 0 &&
         epoll_wait(list, found, 8, 0) == 0);
  assert(add(event, EPOLLIN | EPOLLONESHOT, 3) == 0);
  eventfd_write(event, 1);
  assert(epoll_wait(list, found, 8, 0) == 1 && epoll_wait(list, found, 8, 0) == 0);
  eventfd_write(event, 1);
  assert(epoll_wait(list, found, 8, 0) == 0 && change(event, EPOLLIN | EPOLLONESHOT, 4) == 0);
  assert(epoll_wait(list, found, 8, 0) == 1 && found[0].data.u64 == 4);
  // A list in a list, and in poll.
  int outer = epoll_create1(0), inner = list;
  list = outer;
  assert(add(inner, EPOLLIN, 5) == 0 && epoll_wait(outer, found, 8, 0) == 0);
  list = inner;
  struct pollfd polled = {outer, POLLIN, 0};
  assert(poll(&polled, 1, 0) == 0 && change(event, EPOLLIN, 6) == 0);
  assert(poll(&polled, 1, -1) == 1 && polled.revents == POLLIN);
  assert(epoll_wait(outer, found, 8, -1) == 1 && found[0].data.u64 == 5);
  close(outer), close(list), close(event), close(ends[0]);
}

static double now(void) {
  struct timespec date;
  clock_gettime(CLOCK_MONOTONIC, &date);
  return date.tv_sec + date.tv_nsec * 1e-9;
}

static void timers(void) {
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct itimerspec every = {.it_interval = {0, 20000000}, .it_value = {0, 10000000}}, off = {0},
                    rest;
  uint64_t count;
  list = epoll_create1(0);
  assert(add(timer, EPOLLIN, 9) == 0);
  double begin = now();
  assert(epoll_wait(list, found, 8, 5) == 0 && now() - begin >= 0.0049);
  assert(timerfd_settime(timer, 0, &every, NULL) == 0);
  begin = now();
  assert(epoll_wait(list, found, 8, -1) == 1 && found[0].data.u64 == 9 && now() - begin >= 0.0099);
  assert(read(timer, &count, 8) == 8 && count == 1 && fails(read(timer, &count, 8), EAGAIN));
  struct timespec nap = {0, 50000000};
  nanosleep(&nap, NULL);
  struct pollfd polled = {timer, POLLIN, 0};
  assert(poll(&polled, 1, -1) == 1 && read(timer, &count, 8) == 8 && count >= 2);
  while (read(timer, &count, 8) < 0) {
  }  // who looks again and again
  assert(timerfd_settime(timer, 0, &off, &rest) == 0 && rest.it_interval.tv_nsec == 20000000 &&
         rest.it_value.tv_nsec > 0);
  assert(epoll_wait(list, found, 8, 30) == 0);
  int blocking = timerfd_create(CLOCK_REALTIME, 0);
  struct itimerspec date = {0};
  clock_gettime(CLOCK_REALTIME, &date.it_value);
  date.it_value.tv_sec += date.it_value.tv_nsec >= 970000000;
  date.it_value.tv_nsec = (date.it_value.tv_nsec + 30000000) % 1000000000;
  begin = now();
  assert(timerfd_settime(blocking, TFD_TIMER_ABSTIME, &date, NULL) == 0);
  assert(read(blocking, &count, 8) == 8 && count == 1 && now() - begin >= 0.029);
  close(blocking), close(timer), close(list);
}

static int event;
static void* wake(void* unused) {
  struct timespec nap = {0, 5000000};
  nanosleep(&nap, NULL);
  assert(add(event, EPOLLIN, 77) == 0);  // while the other one waits
  eventfd_write(event, 1);
  return unused;
}
static void threads(void) {
  pthread_t other;
  event = eventfd(0, 0);
  list = epoll_create1(0);
  pthread_create(&other, NULL, wake, NULL);
  assert(epoll_wait(list, found, 8, -1) == 1 && found[0].data.u64 == 77);
  pthread_join(other, NULL);
  close(event), close(list);
}

int main(void) {
  errors();
  levels();
  edges();
  timers();
  threads();
  puts("good");
  return 0;
}
