// cache [REQUESTS_PER_CLIENT] [WORKERS] [CLIENTS]: clients ask a server with a bounded cache.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "server.hpp"

namespace {

// Some keys are asked for again and again.
int key_of(int client, int request) {
  return request % 2 == 0 ? request % 3 : (client * 31 + request * 17) % 64;
}

int argument(int argc, char** argv, int i, int otherwise) {
  const int value = argc > i ? std::atoi(argv[i]) : otherwise;
  if (value < 1) {
    std::fprintf(stderr,
                 "usage: cache [REQUESTS_PER_CLIENT] [WORKERS] [CLIENTS], each at least 1\n");
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const int requests = argument(argc, argv, 1, 8);
  const int workers = argument(argc, argv, 2, 2);
  const int clients = argument(argc, argv, 3, 3);

  cache::Server server(workers);
  std::vector<long> sums(static_cast<std::size_t>(clients), 0);
  std::vector<std::thread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&server, &sums, client, requests] {
      long& sum = sums[static_cast<std::size_t>(client)];
      for (int i = 0; i < requests; ++i) sum += server.ask(key_of(client, i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  server.stop();

  long sum = 0, expected = 0;
  for (int client = 0; client < clients; ++client) {
    sum += sums[static_cast<std::size_t>(client)];
    for (int i = 0; i < requests; ++i) expected += cache::stored_value(key_of(client, i));
  }
  const long lookups = server.cache().hits() + server.cache().misses();
  std::printf("cache: %ld requests, sum of answers %ld\n", lookups, sum);
  if (sum != expected || lookups != static_cast<long>(clients) * requests ||
      server.cache().overflowed()) {
    std::printf("wrong: %ld was expected; the cache %s\n", expected,
                server.cache().overflowed() ? "held too much" : "kept its size");
    return 1;
  }
  return 0;
}
