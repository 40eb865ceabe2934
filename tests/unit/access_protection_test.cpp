// Which places access memory in an order that synchronisation gives.
#include <cstdint>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/access_protection.hpp>

namespace {

using namespace orrery;

/// Two tasks that the first one has started.
class Watched {
 public:
  explicit Watched(AccessProtection::OnRace on_race = {}) : watch_(std::move(on_race)) {
    watch_.begin_run({});
    watch_.on_task(TaskId{0}, {});
    const TaskId first{0};
    for (const std::uint32_t task : {1U, 2U}) {
      watch_.on_task(TaskId{task}, std::span(&first, 1));
    }
  }
  void access(std::uint32_t task, AccessKind kind, Address address, ProgramCounter place) {
    const MemoryAccess access(address, 4, kind, place);
    watch_.on_accesses(TaskId{task}, std::span(&access, 1));
  }
  void read(std::uint32_t task, Address address, ProgramCounter place) {
    access(task, AccessKind::read, address, place);
  }
  void write(std::uint32_t task, Address address, ProgramCounter place) {
    access(task, AccessKind::write, address, place);
  }
  void lock(std::uint32_t task) { event(task, OperationKind::mutex_lock); }
  void unlock(std::uint32_t task) { event(task, OperationKind::mutex_unlock); }
  AccessProtection& watch() { return watch_; }
  std::map<ProgramCounter, Protection> found() const {
    std::map<ProgramCounter, Protection> found;
    for (const auto& site : watch_.sites()) found[site.counter] = site.protection;
    return found;
  }

 private:
  void event(std::uint32_t task, OperationKind kind) {
    Event event;
    event.id = {TaskId{task}, ++operations_};
    event.kind = kind;
    event.object = {TaskId{0}, 7};
    watch_.on_event(event);
  }
  AccessProtection watch_;
  std::uint32_t operations_ = 0;
};

constexpr Address x = 0x1000;
constexpr Address y = 0x2000;

}  // namespace

TEST_CASE("what a lock protects, one thread has to itself, or is handed over, is protected") {
  Watched run;
  run.write(0, y, 9);
  for (const std::uint32_t task : {1U, 2U}) {
    run.lock(task);
    run.read(task, x, 1);
    run.write(task, x, 2);
    run.unlock(task);
    run.write(task, 0x3000 + 64 * task, 3);
  }
  using P = Protection;
  CHECK(run.found() ==
        std::map<ProgramCounter, P>{{1, P::all}, {2, P::all}, {3, P::all}, {9, P::all}});
}

TEST_CASE("a reader without the lock leaves the order of writes to it") {
  std::vector<AccessProtection::Access> races;
  Watched run([&](const auto& later, const auto& earlier) {
    races.push_back(later);
    races.push_back(earlier);
  });
  for (const std::uint32_t task : {1U, 2U}) {
    run.lock(task);
    run.write(task, x, 2);
    run.unlock(task);
    if (task == 1) run.read(2, x, 4);
  }
  CHECK(run.found() ==
        std::map<ProgramCounter, Protection>{{2, Protection::writes}, {4, Protection::none}});
  REQUIRE(races.size() == 2);
  CHECK(races[0].counter == 4);
  CHECK(races[1].counter == 2);
  CHECK(races[1].writes);
}

TEST_CASE("writes that nothing orders are protected by nothing, whatever other places do") {
  Watched run;
  run.write(1, x, 5);
  run.write(2, x + 4, 6);  // the same eight bytes
  run.write(2, y, 7);
  CHECK(run.found() == std::map<ProgramCounter, Protection>{
                           {5, Protection::none}, {6, Protection::none}, {7, Protection::all}});
}

TEST_CASE("memory that is handed out again is another variable") {
  Watched run;
  run.write(1, x, 5);
  run.watch().on_freed(x, 8);
  run.write(2, x, 6);
  CHECK(run.found() ==
        std::map<ProgramCounter, Protection>{{5, Protection::all}, {6, Protection::all}});
}
