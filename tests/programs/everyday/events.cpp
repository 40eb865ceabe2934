#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr int rounds = 6;
int wakeups = -1;  // an event counter
int tokens = -1;   // one that is a semaphore
int jobs[2];
int answers[2];
int lines[2];
std::atomic<int> handled{0};
std::mutex stream_lock;

void check(bool is_good) {
  if (!is_good) std::puts("failed");
}

/// Waits for events as servers do; ends when nobody can send jobs any more.
long serve() {
  long sum = 0;
  bool is_open = true;
  while (is_open) {
    std::array<pollfd, 3> files{{{wakeups, POLLIN, 0}, {jobs[0], POLLIN, 0}, {-1, POLLIN, 0}}};
    const int found = poll(files.data(), files.size(), sum % 2 == 0 ? 1 : -1);
    check(found >= 0);
    sum = sum * 5 + found * 64 + files[0].revents * 8 + files[1].revents;
    eventfd_t count = 0;
    if ((files[0].revents & POLLIN) != 0 && eventfd_read(wakeups, &count) == 0) {
      sum = sum * 3 + static_cast<long>(count);
    }
    if ((files[1].revents & (POLLIN | POLLHUP)) == 0) continue;
    char first = 0;
    short second = 0;
    const std::array<iovec, 2> parts{{{&first, 1}, {&second, 2}}};
    const ssize_t bytes = readv(jobs[0], parts.data(), 2);
    if (bytes == 3) {
      sum = sum * 7 + first + second;
      check(write(answers[1], &first, 1) == 1);
      handled.store(handled.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    is_open = bytes != 0;
  }
  return sum;
}

long ask(int me) {
  long sum = me;
  for (int i = 0; i < rounds; ++i) {
    char first = static_cast<char>('a' + me);
    short second = static_cast<short>(100 * i);
    const std::array<iovec, 2> parts{{{&first, 1}, {&second, 2}}};
    check(writev(jobs[1], parts.data(), 2) == 3);
    check(eventfd_write(wakeups, static_cast<eventfd_t>(me) + 1) == 0);
    eventfd_t token = 0;
    if (eventfd_read(tokens, &token) == 0) sum = sum * 3 + static_cast<long>(token);
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(answers[0], &ready);
    timeval patience{0, i % 2 == 0 ? 100 : 100'000};
    const int found = select(answers[0] + 1, &ready, nullptr, nullptr, &patience);
    char answer = 0;
    const ssize_t bytes = read(answers[0], &answer, 1);
    sum = sum * 11 + found * 4 + (bytes == 1 ? answer : errno == EAGAIN ? 2 : 3);
    sum += handled.load(std::memory_order_relaxed);
    if (i == 2) check(eventfd_write(tokens, 2) == 0);
  }
  return sum;
}

/// As much as there is room for, which nobody reads meanwhile.
long fill() {
  int ends[2];
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  const std::vector<char> block(3000, 'x');
  long sent = 0;
  ssize_t bytes = 0;
  while ((bytes = send(ends[0], block.data(), block.size(), MSG_NOSIGNAL)) > 0) sent += bytes;
  check(bytes < 0 && errno == EAGAIN);
  pollfd out{ends[0], POLLOUT, 0};
  sent = sent * 2 + poll(&out, 1, 0);
  close(ends[1]);
  sent = sent * 2 + poll(&out, 1, 0) + out.revents;
  close(ends[0]);
  return sent;
}

/// Through streams, as text.
long read_lines() {
  std::FILE* const stream = fdopen(lines[0], "r");
  long sum = fileno(stream) == lines[0];
  int number = 0;
  int other = 0;
  while (std::fscanf(stream, "%d %d", &number, &other) == 2) sum = sum * 3 + number * other;
  std::fclose(stream);
  return sum;
}

void write_lines(int me, std::FILE* stream) {
  for (int i = 0; i < rounds; ++i) {
    const std::lock_guard held(stream_lock);
    std::fprintf(stream, "%d %d\n", me + 1, i);
    std::fflush(stream);
  }
}

}  // namespace

int main() {
  wakeups = eventfd(0, 0);
  tokens = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK);
  check(pipe2(jobs, O_NONBLOCK) == 0 && pipe2(answers, O_NONBLOCK) == 0 && pipe(lines) == 0);
  std::FILE* const stream = fdopen(lines[1], "w");
  std::array<long, 6> sums{};
  std::vector<std::thread> threads;
  for (int me = 0; me < 2; ++me) {
    threads.emplace_back([&sums, me, stream] {
      sums[static_cast<std::size_t>(me)] = ask(me);
      write_lines(me, stream);
    });
  }
  std::thread server([&] { sums[2] = serve(); });
  std::thread reader([&] { sums[3] = read_lines(); });
  std::thread filler([&] { sums[4] = fill(); });
  for (std::thread& thread : threads) thread.join();
  close(jobs[1]);
  std::fclose(stream);
  server.join();
  reader.join();
  filler.join();
  for (const long sum : sums) std::printf("%lx ", sum);
  std::puts("");
}
