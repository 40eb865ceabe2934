#include <cstdio>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr std::size_t block_bytes = 10000;  // more than a pipe takes at once
constexpr int rounds = 4;
int blocks[2];
int sockets[2];
int never_waits[2];

void check(bool is_good) {
  if (!is_good) std::puts("failed");
}

long send(int me) {
  const std::vector<char> block(block_bytes, static_cast<char>('a' + me));
  long sum = me;
  for (int i = 0; i < rounds; ++i) {
    check(write(blocks[1], block.data(), block.size()) == static_cast<ssize_t>(block.size()));
    char letter = static_cast<char>('a' + me * rounds + i);
    check(write(sockets[0], &letter, 1) == 1);
    if (me == 0) check(read(sockets[0], &letter, 1) == 1);
    sum = sum * 3 + letter;
    check(write(never_waits[1], &letter, 1) == 1);
    const ssize_t found = read(never_waits[0], &letter, 1);
    sum = sum * 7 + (found > 0 ? letter : 1);
  }
  return sum;
}

void echo() {
  char letter = 0;
  for (int i = 0; i < 3 * rounds; ++i) {
    check(read(sockets[1], &letter, 1) == 1);
    letter = static_cast<char>(letter ^ 1);
    if (i % 3 == 0) check(write(sockets[1], &letter, 1) == 1);
  }
}

unsigned long read_blocks() {
  std::vector<char> part(3000);
  unsigned long sum = 0;
  for (std::size_t left = 3 * rounds * block_bytes; left > 0;) {
    const ssize_t bytes = read(blocks[0], part.data(), part.size());
    if (bytes <= 0) break;
    left -= static_cast<std::size_t>(bytes);
    sum = sum * 31 + static_cast<unsigned long>(bytes);
    for (ssize_t i = 0; i < bytes; ++i) {
      sum = sum * 131 + static_cast<unsigned long>(part[static_cast<std::size_t>(i)]);
    }
  }
  return sum;
}

}  // namespace

int main() {
  check(pipe(blocks) == 0);
  check(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  check(pipe2(never_waits, O_NONBLOCK) == 0);
  long sums[3] = {};
  std::vector<std::thread> threads;
  for (int me = 0; me < 3; ++me) threads.emplace_back([me, &sums] { sums[me] = send(me); });
  threads.emplace_back(echo);
  const unsigned long sum = read_blocks();
  for (std::thread& thread : threads) thread.join();
  close(blocks[1]);
  char letter = 0;
  check(read(blocks[0], &letter, 1) == 0);
  std::printf("%lx %ld %ld %ld\n", sum, sums[0], sums[1], sums[2]);
}
