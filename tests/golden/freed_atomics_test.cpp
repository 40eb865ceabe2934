// Atomic accesses to memory that another thread frees, and what orders the two.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* exact_detectors[] = {"fasttrack", "recplay", "hybrid", "sync-preserving"};

void build(const WorkingDirectory& here, const std::string& source) {
  build_app(here, source, "-std=c++20 -O1 -g -pthread", "cpp");
}

/// `delete` and an atomic load: who is first sleeps less.  With an argument the one is joined
/// before the other is started.
std::string freed(const std::string& freer_sleeps, const std::string& reader_sleeps) {
  return R"(#include <atomic>
#include <chrono>
#include <thread>
struct Session { std::atomic<bool> alive{true}; char name[4]; };
using std::chrono::milliseconds;
int main(int argc, char**) {
  auto* s = new Session;
  bool seen = false;
  const auto read = [&] {
    std::this_thread::sleep_for(milliseconds()" +
         reader_sleeps + R"());
    seen = s->alive.load();
  };
  const auto end = [&] {
    std::this_thread::sleep_for(milliseconds()" +
         freer_sleeps + R"());
    delete s;
  };
  std::thread reader(read);
  if (argc > 1) reader.join();
  std::thread freer(end);
  freer.join();
  if (argc == 1) reader.join();
  return seen ? 0 : 0;
}
)";
}

/// Frees what threads have shared, in all the ways in which that is right.
const std::string rightful = R"(#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>
struct Account {
  std::mutex mutex;
  std::atomic<int> uses{0};
};
void by_shared_pointers() {
  auto one = std::make_shared<Account>();
  std::weak_ptr<Account> weak = one;
  std::thread a([one] { one->uses.fetch_add(1, std::memory_order_relaxed); });
  std::thread b([one = std::move(one)]() mutable { one.reset(); });
  std::thread c([weak] { if (const auto it = weak.lock()) it->uses.load(); });
  a.join();
  b.join();
  c.join();
}
void under_a_lock() {
  std::mutex mutex;
  auto* one = new Account;
  const auto use = [&] {
    const std::lock_guard held(mutex);
    if (one != nullptr) one->uses.fetch_add(1, std::memory_order_relaxed);
  };
  std::thread a(use), b([&] {
    const std::lock_guard held(mutex);
    delete one;
    one = nullptr;
  });
  a.join();
  b.join();
}
void by_latch_and_semaphore() {
  auto* const latch = new std::latch(2);
  auto* const semaphore = new std::counting_semaphore<4>(0);
  std::thread a([=] { semaphore->release(); latch->count_down(); });
  std::thread b([=] { semaphore->acquire(); latch->count_down(); });
  latch->wait();
  delete latch;
  delete semaphore;
  a.join();
  b.join();
}
void by_promises() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread a([promise = std::move(promise)]() mutable { promise.set_value(1); });
  future.get();
  future = {};
  auto other = std::async(std::launch::async, [] { return 2; });
  other.get();
  a.join();
}
void by_condition() {
  struct Both { std::mutex mutex; std::condition_variable done; std::atomic<bool> is_done{false}; };
  auto* const both = new Both;
  std::thread a([=] {
    const std::lock_guard held(both->mutex);
    both->is_done.store(true, std::memory_order_relaxed);
    both->done.notify_one();
  });
  {
    std::unique_lock lock(both->mutex);
    both->done.wait(lock, [=] { return both->is_done.load(std::memory_order_relaxed); });
  }
  delete both;
  a.join();
}
void by_reuse() {
  const auto churn = [] {
    for (int i = 0; i < 20; ++i) {
      auto* const one = new std::atomic<long>(i);
      one->fetch_add(1, std::memory_order_relaxed);
      delete one;
    }
  };
  std::thread a(churn), b(churn);
  a.join();
  b.join();
}
int main() {
  by_shared_pointers();
  under_a_lock();
  by_latch_and_semaphore();
  by_promises();
  by_condition();
  by_reuse();
}
)";

}  // namespace

TEST_CASE("An atomic access to memory that somebody frees is a race, whichever is first") {
  const WorkingDirectory here;
  for (const bool is_freed_first : {true, false}) {
    CAPTURE(is_freed_first);
    build(here, is_freed_first ? freed("0", "1") : freed("1", "0"));
    for (const char* const detector : exact_detectors) {
      CAPTURE(detector);
      const std::string detect = "run --detect " + std::string(detector);
      const CommandResult found = here.orrery(detect + " ./app");
      INFO(found.err);
      CHECK(found.status == 1);
      CHECK(has(found.err,
                "nothing orders an atomic access to memory (1 byte) and the free of its "
                "block"));
      CHECK(has(found.err, is_freed_first ? "reads here\n    at app.cpp:11 "
                                          : "writes here\n    at app.cpp:15 "));
      CHECK(has(found.err, is_freed_first ? "wrote here before\n    at app.cpp:15 "
                                          : "read here before\n    at app.cpp:11 "));
      CHECK(has(found.err, "the memory: from byte 0 on of the block that main allocated"));
      CHECK(here.orrery(detect + " ./app joined").status == 0);
    }
  }
}

TEST_CASE("The log of an atomic access to freed memory shows it again") {
  const WorkingDirectory here;
  build(here, freed("0", "1"));
  CHECK(here.orrery("run --detect recplay --record run.orr ./app").status == 1);
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.err);
  CHECK(again.status == 1);
  CHECK(has(again.err, "data_race (parallel segments): nothing orders an atomic access"));
}

TEST_CASE("A count that is only relaxed does not order the last use before the free") {
  const WorkingDirectory here;
  build(here, R"(#include <atomic>
#include <thread>
struct Counted { std::atomic<int> users{2}; std::atomic<int> uses{0}; };
int main(int argc, char**) {
  auto* const shared = new Counted;
  const bool is_mended = argc > 1;
  const auto use = [=] {
    shared->uses.fetch_add(1, std::memory_order_relaxed);
    if (!is_mended) {
      if (shared->users.fetch_sub(1, std::memory_order_relaxed) == 1) delete shared;
    } else if (shared->users.fetch_sub(1, std::memory_order_release) == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);
      delete shared;
    }
  };
  std::thread a(use), b(use);
  a.join();
  b.join();
}
)");
  for (const char* const detector : exact_detectors) {
    CAPTURE(detector);
    const std::string detect = "run --detect " + std::string(detector);
    CHECK(here.orrery(detect + " ./app").status == 1);
    CHECK(here.orrery(detect + " ./app mended").status == 0);
  }
}

TEST_CASE("Programs that free what they have shared rightly are silent") {
  const WorkingDirectory here;
  build(here, rightful);
  for (const char* const detector : exact_detectors) {
    CAPTURE(detector);
    const CommandResult clean =
        here.orrery("explore --runs 20 --detect " + std::string(detector) + " ./app");
    INFO(clean.out << clean.err);
    CHECK(clean.status == 0);
  }
}
