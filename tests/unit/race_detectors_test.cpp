// Programs with a race and their mended twins, under every detector of data races.
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/sim_runtime/orrery.hpp>

#include "watched_programs.hpp"

namespace orrery {
namespace {

using test::findings_under;

/// Which of two detectors of happens-before, and of two that look at locks, have something to say.
struct Verdicts {
  bool fasttrack = false;
  bool recplay = false;
  bool hybrid = false;
  bool eraser = false;
  friend bool operator==(const Verdicts&, const Verdicts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Verdicts& one) {
    return out << "fasttrack " << one.fasttrack << ", recplay " << one.recplay << ", hybrid "
               << one.hybrid << ", eraser " << one.eraser;
  }
};

bool has_finding(const std::string& detector, const Program& program, std::uint64_t runs = 40) {
  const std::vector<Finding> findings = findings_under(detector, program, runs);
  for (const Finding& finding : findings) {
    INFO(detector << ": " << finding.message);
    CHECK(finding.kind == FindingKind::data_race);
    CHECK(detector_of(finding)->name == detector);
    REQUIRE(finding.where.size() == 2);
    CHECK(finding.where[0].file.ends_with("_test.cpp"));
    CHECK(finding.where[1].file.ends_with("_test.cpp"));
    CHECK(finding.where[0].task != finding.where[1].task);
  }
  return !findings.empty();
}

Verdicts verdicts(const Program& program) {
  return {has_finding("fasttrack", program), has_finding("recplay", program),
          has_finding("hybrid", program), has_finding("eraser", program)};
}

constexpr Verdicts all_agree{true, true, true, true};
constexpr Verdicts none{};
/// What orders, and is no lock: Eraser does not know it.
constexpr Verdicts eraser_alone{false, false, false, true};

/// Only ties are open.
SimulationOptions in_time() {
  return {};
}

void add_under(Mutex& mutex, Shared<int>& data) {
  Lock lock(mutex);
  data.store(data.load() + 1);
}

}  // namespace

TEST_CASE("a counter of two threads, bare and under a mutex") {
  const auto counting = [](bool locks) {
    return [locks](World& world) {
      Shared<int> counter(world);
      Mutex mutex(world);
      const auto count = [&] {
        if (locks) mutex.lock();
        counter.store(counter.load() + 1);
        if (locks) mutex.unlock();
      };
      Thread first = world.thread("first", count);
      Thread second = world.thread("second", count);
    };
  };
  CHECK(verdicts(counting(false)) == all_agree);
  CHECK(verdicts(counting(true)) == none);
}

TEST_CASE("a mutex each") {
  CHECK(verdicts([](World& world) {
          Shared<int> data(world);
          Mutex one(world);
          Mutex other(world);
          Thread first = world.thread("first", [&] { add_under(one, data); });
          Thread second = world.thread("second", [&] { add_under(other, data); });
        }) == all_agree);
}

TEST_CASE("readers and writers of one lock, and a reader that writes") {
  const auto with_lock = [](bool writes_as_reader) {
    return [writes_as_reader](World& world) {
      Shared<int> data(world);
      RwLock lock(world);
      const auto read = [&] {
        lock.lock_shared();
        writes_as_reader ? data.store(1) : static_cast<void>(data.load());
        lock.unlock_shared();
      };
      const auto write = [&] {
        lock.lock();
        data.store(2);
        lock.unlock();
      };
      Thread first = world.thread("first", read);
      Thread second = world.thread("second", read);
      Thread writer = world.thread("writer", write);
    };
  };
  CHECK(verdicts(with_lock(true)) == all_agree);
  CHECK(verdicts(with_lock(false)) == none);
}

TEST_CASE("who waits on a condition reads what was written before the notification") {
  // The data is written outside of the lock: the flag under it says that it is there.
  const auto handing_over = [](bool waits) {
    return [waits](World& world) {
      Shared<int> data(world);
      Shared<bool> is_ready(world);
      Mutex mutex(world);
      ConditionVariable ready(world);
      Thread reader = world.thread("reader", [&] {
        {
          Lock lock(mutex);
          while (waits && !is_ready.load()) ready.wait(lock);
        }
        data.store(2);
      });
      this_task::sleep_for(std::chrono::seconds(waits ? 1 : 0));  // so that the reader does wait
      data.store(1);
      Lock lock(mutex);
      is_ready.store(true);
      ready.notify_one();
    };
  };
  CHECK(verdicts(handing_over(false)) == all_agree);
  for (const char* const name : {"fasttrack", "recplay", "hybrid"}) {
    for (const Finding& one : findings_under(name, handing_over(true), 1, in_time())) {
      FAIL_CHECK(name << ": " << one.message);
    }
  }
  CHECK_FALSE(findings_under("eraser", handing_over(true), 1, in_time()).empty());
}

TEST_CASE("phases that a barrier parts, and phases that nothing does") {
  const auto phases = [](bool meets) {
    return [meets](World& world) {
      Shared<int> left(world, 0, "left");
      Shared<int> right(world, 0, "right");
      Barrier barrier(world, 2);
      const auto work = [&](Shared<int>& own, Shared<int>& others) {
        own.store(1);
        if (meets) barrier.arrive_and_wait();
        static_cast<void>(others.load());
        if (meets) barrier.arrive_and_wait();
        own.store(2);
      };
      Thread first = world.thread("first", [&] { work(left, right); });
      Thread second = world.thread("second", [&] { work(right, left); });
    };
  };
  CHECK(verdicts(phases(false)) == all_agree);
  CHECK(verdicts(phases(true)) == eraser_alone);
}

TEST_CASE("a semaphore that is filled when the data is there, or before") {
  const auto with_semaphore = [](std::uint64_t initial) {
    return [initial](World& world) {
      Shared<int> data(world);
      Semaphore filled(world, initial);
      Thread maker = world.thread("maker", [&] {
        data.store(1);
        filled.release();
      });
      filled.acquire();
      data.store(2);
    };
  };
  CHECK(verdicts(with_semaphore(1)) == all_agree);
  CHECK(verdicts(with_semaphore(0)) == eraser_alone);
}

TEST_CASE("data that is handed to a thread and taken back by joining it") {
  const auto forking = [](bool joins_first) {
    return [joins_first](World& world) {
      Shared<int> data(world);
      data.store(1);
      Thread child = world.thread("child", [&] { data.store(2); });
      if (joins_first) child.join();
      data.store(3);
      if (!joins_first) child.join();
    };
  };
  CHECK(verdicts(forking(false)) == all_agree);
  CHECK(verdicts(forking(true)) == eraser_alone);
}

TEST_CASE("an atomic flag with release and acquire, and a relaxed one") {
  const auto with_flag = [](MemoryOrder writes, MemoryOrder reads) {
    return [=](World& world) {
      Shared<int> data(world);
      Atomic<int> flag(world, 0, "flag");
      Thread maker = world.thread("maker", [&] {
        data.store(1);
        flag.store(1, writes);
      });
      while (flag.load(reads) == 0) {
      }
      data.store(2);
    };
  };
  using enum MemoryOrder;
  CHECK(verdicts(with_flag(relaxed, relaxed)) == all_agree);
  CHECK(verdicts(with_flag(release, acquire)) == eraser_alone);
}

TEST_CASE("a message orders what is before its send and after its receive") {
  const auto with_message = [](bool writes_first) {
    return [=](World& world) {
      Shared<int> data(world);
      Thread sender = world.process("sender", [&](Communicator& comm) {
        if (writes_first) data.store(1);
        comm.send(1, 0, 7);
        if (!writes_first) data.store(1);
      });
      Thread receiver = world.process("receiver", [&](Communicator& comm) {
        static_cast<void>(comm.receive<int>(0, 0));
        data.store(2);
      });
    };
  };
  CHECK(verdicts(with_message(false)) == all_agree);
  CHECK(verdicts(with_message(true)) == eraser_alone);
}

TEST_CASE("a race that another order of the locks would show is seen by those who look at locks") {
  // The second thread comes late: the mutex, which protects something else, orders the two here.
  const auto late = [](bool locks_all) {
    return [locks_all](World& world) {
      Shared<int> data(world, 0, "data");
      Mutex mutex(world, "counters");
      Shared<int> counter(world, 0, "counter");
      Thread first = world.thread("first", [&] {
        if (!locks_all) data.store(1);
        Lock lock(mutex);
        if (locks_all) data.store(1);
        counter.store(counter.load() + 1);
      });
      Thread second = world.thread("second", [&] {
        this_task::sleep_for(std::chrono::seconds(1));
        {
          Lock lock(mutex);
          counter.store(counter.load() + 1);
          if (locks_all) data.store(2);
        }
        if (!locks_all) data.store(2);
      });
    };
  };
  const auto found = [](const char* name, const Program& program) {
    return !findings_under(name, program, 1, in_time()).empty();
  };
  CHECK_FALSE(found("fasttrack", late(false)));
  CHECK_FALSE(found("recplay", late(false)));
  CHECK(found("hybrid", late(false)));
  CHECK(found("eraser", late(false)));
  for (const char* const name : {"fasttrack", "recplay", "hybrid", "eraser"}) {
    CHECK_FALSE(found(name, late(true)));
  }
}

TEST_CASE(
    "eraser names two accesses of the threads, not the one that initialised what they share") {
  // The first thread is the only one that reads before it writes: the discipline is broken before
  // anyone else has touched the data, but for the root task, which broke nothing.
  const auto growing = [](bool locks, bool has_other) {
    return [=](World& world) {
      Shared<int> data(world, 0, "data");
      Mutex mutex(world, "mutex");
      data.store(1);
      const auto grow = [&] {
        if (locks) mutex.lock();
        if (data.load() < 8) data.store(8);
        if (locks) mutex.unlock();
      };
      Thread first = world.thread("first", grow);
      this_task::sleep_for(std::chrono::seconds(1));
      if (has_other) Thread second = world.thread("second", grow);
    };
  };
  const auto tasks_told = [](const Program& program) {
    std::vector<std::string> tasks;
    for (const Finding& one : findings_under("eraser", program, 1, in_time())) {
      tasks.push_back(one.where[0].task + " and " + one.where[1].task);
    }
    return tasks;
  };
  CHECK(tasks_told(growing(false, true)) == std::vector<std::string>{"second and first"});
  CHECK(tasks_told(growing(false, false)) == std::vector<std::string>{"first and root"});
  CHECK(tasks_told(growing(true, true)).empty());
}

TEST_CASE("eraser names the access that broke the discipline, not the last one of another") {
  const auto careless = [](bool is_careful) {
    return [=](World& world) {
      Shared<int> data(world, 0, "data");
      Mutex mutex(world, "mutex");
      const auto read = [&](bool locks) {
        if (locks) mutex.lock();
        static_cast<void>(data.load());
        if (locks) mutex.unlock();
      };
      const auto pause = [] { this_task::sleep_for(std::chrono::seconds(1)); };
      Thread first = world.thread("first", [&] { read(true); });
      pause();
      Thread second = world.thread("second", [&] { read(is_careful); });
      pause();
      Thread third = world.thread("third", [&] { read(true); });
      pause();
      Lock lock(mutex);
      data.store(1);
    };
  };
  const std::vector<Finding> found = findings_under("eraser", careless(false), 1, in_time());
  REQUIRE(found.size() == 1);
  CHECK(found[0].where[0].task == "root");
  CHECK(found[0].where[1].task == "second");
  CHECK(findings_under("eraser", careless(true), 1, in_time()).empty());
}

}  // namespace orrery
