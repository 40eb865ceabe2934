#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <thread>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace {

constexpr int clients = 3;
constexpr int rounds = 5;
int list = -1;
int wakeups = -1;
int ticks = -1;
std::atomic<int> served{0};

void check(bool is_good) {
  if (!is_good) std::puts("failed");
}

/// One connection; the list has its address.
struct Connection {
  int server_end = -1;
  int client_end = -1;
  long sum = 0;
};
std::array<Connection, clients> connections;

void watch(int file, unsigned events, void* word, int operation = EPOLL_CTL_ADD) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = word;
  check(epoll_ctl(list, operation, file, &event) == 0);
}

/// False: the other end is closed.
bool answer(Connection& connection) {
  while (true) {
    char letter = 0;
    const ssize_t bytes = recv(connection.server_end, &letter, 1, MSG_DONTWAIT);
    if (bytes < 0) return true;
    if (bytes == 0) return false;
    connection.sum = connection.sum * 3 + letter + served.load(std::memory_order_relaxed);
    letter = static_cast<char>(letter + 1);
    check(send(connection.server_end, &letter, 1, 0) == 1);
    served.store(served.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

/// Several of these serve the same list.
long serve() {
  long sum = 0;
  while (true) {
    std::array<epoll_event, 2> found{};
    const int count = epoll_wait(list, found.data(), found.size(), sum % 3 == 0 ? 1 : -1);
    check(count >= 0);
    sum = sum * 5 + count;
    for (int i = 0; i < count; ++i) {
      const auto& [events, data] = found[static_cast<std::size_t>(i)];
      if (data.ptr == &wakeups) return sum;
      std::uint64_t expirations = 0;
      if (data.ptr == &ticks) {
        const ssize_t bytes = read(ticks, &expirations, sizeof expirations);
        sum = sum * 7 + (bytes < 0 ? errno : static_cast<long>(expirations));
        continue;
      }
      auto& connection = *static_cast<Connection*>(data.ptr);
      sum = sum * 3 + static_cast<long>(events);
      const bool is_open = answer(connection);
      if (is_open) watch(connection.server_end, EPOLLIN | EPOLLONESHOT, &connection, EPOLL_CTL_MOD);
      if (!is_open) close(connection.server_end);
    }
  }
}

/// Waits for its answers by a list of its own, told of each once.
long ask(Connection& connection, int me) {
  const int own = epoll_create1(0);
  epoll_event wanted{};
  wanted.events = EPOLLIN | EPOLLET;
  wanted.data.fd = connection.client_end;
  check(epoll_ctl(own, EPOLL_CTL_ADD, connection.client_end, &wanted) == 0);
  long sum = me;
  for (int i = 0; i < rounds; ++i) {
    const std::array<char, 2> letters{static_cast<char>('a' + me), static_cast<char>('a' + i)};
    check(write(connection.client_end, letters.data(), letters.size()) == 2);
    for (int got = 0; got < 2;) {
      epoll_event found{};
      const int count = epoll_wait(own, &found, 1, -1);
      check(count == 1 && found.data.fd == connection.client_end);
      char letter = 0;
      while (recv(connection.client_end, &letter, 1, MSG_DONTWAIT) == 1) {
        sum = sum * 3 + letter;
        ++got;
      }
      sum = sum * 2 + got;
    }
  }
  close(own);
  close(connection.client_end);
  return sum;
}

}  // namespace

int main() {
  list = epoll_create1(EPOLL_CLOEXEC);
  wakeups = eventfd(0, 0);
  ticks = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  const itimerspec every{{0, 300'000}, {0, 100'000}};
  check(timerfd_settime(ticks, 0, &every, nullptr) == 0);
  watch(wakeups, EPOLLIN, &wakeups);
  watch(ticks, EPOLLIN | EPOLLET, &ticks);
  for (Connection& connection : connections) {
    std::array<int, 2> ends{};
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    connection.server_end = ends[0];
    connection.client_end = ends[1];
    watch(connection.server_end, EPOLLIN | EPOLLONESHOT, &connection);
  }
  std::array<long, 2 + clients> sums{};
  std::vector<std::thread> servers;
  std::vector<std::thread> askers;
  for (std::size_t i = 0; i < 2; ++i) servers.emplace_back([&sums, i] { sums[i] = serve(); });
  for (std::size_t i = 0; i < clients; ++i) {
    askers.emplace_back([&sums, i] { sums[2 + i] = ask(connections[i], static_cast<int>(i)); });
  }
  for (std::thread& asker : askers) asker.join();
  check(eventfd_write(wakeups, 1) == 0);
  for (std::thread& server : servers) server.join();
  for (const Connection& connection : connections) std::printf("%lx ", connection.sum);
  for (const long sum : sums) std::printf("%lx ", sum);
  std::puts("");
}
