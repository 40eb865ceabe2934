// Workers that something outside kills (the system, when memory is short): no run may be missing.
#include <atomic>
#include <csignal>
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/explorers/explorer.hpp>
#include <orrery/sim_runtime/shared.hpp>
#include <orrery/sim_runtime/world.hpp>

namespace {

using orrery::ExploreOptions;
using orrery::Report;
using orrery::World;

/// What workers, the killer and the test all see.
struct Scene {
  std::atomic<pid_t> last_worker{0};
  std::atomic<std::uint64_t> runs_begun{0};
  std::atomic<int> kills{0};
};

class SharedScene {
 public:
  SharedScene()
      : scene_(new (mmap(nullptr, sizeof(Scene), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                         -1, 0)) Scene) {}
  ~SharedScene() { munmap(scene_, sizeof(Scene)); }
  SharedScene(const SharedScene&) = delete;
  SharedScene& operator=(const SharedScene&) = delete;
  [[nodiscard]] Scene& operator*() const { return *scene_; }

 private:
  Scene* scene_;
};

/// A process that kills the worker which began a run last, again and again, each time some runs
/// later than the time before.
class Killer {
 public:
  explicit Killer(Scene& scene) : process_(fork()) {
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::uint64_t next = 50;
    for (;;) {
      while (scene.runs_begun < next) usleep(50);
      kill(scene.last_worker, SIGKILL);
      ++scene.kills;
      next = scene.runs_begun + 100 + next * 7919 % 400;
    }
  }
  ~Killer() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Killer(const Killer&) = delete;
  Killer& operator=(const Killer&) = delete;

 private:
  pid_t process_;
};

/// Two threads with three stores each, and a finding in the runs where the sum comes out as 42.
void race(World& world) {
  orrery::Shared<int> sum(world, 0, "sum");
  const auto work = [&](int value) {
    for (int i = 0; i < 3; ++i) sum.store(sum.load() * 2 + value);
  };
  auto first = world.thread("first", [&] { work(0); });
  auto second = world.thread("second", [&] { work(1); });
  first.join();
  second.join();
  world.check(sum.load() != 42, "the stores came in turn");
}

orrery::Program watched(Scene& scene) {
  return [&scene](World& world) {
    scene.last_worker = getpid();
    ++scene.runs_begun;
    usleep(10);  // so that the search takes longer than a few kills
    race(world);
  };
}

ExploreOptions quick(std::uint64_t runs) {
  ExploreOptions options;
  options.name = "killed workers test";
  options.runs = runs;
  options.save_logs = options.shrink = false;
  options.keep_going = true;
  return options;
}

void check_undisturbed(const ExploreOptions& options) {
  CAPTURE(options.strategy, options.jobs);
  const SharedScene scene;
  const Report calm = orrery::explore(options, watched(*scene));
  (*scene).runs_begun = 0;
  const Report killed = [&] {
    const Killer killer(*scene);
    return orrery::explore(options, watched(*scene));
  }();
  CHECK((*scene).kills > 3);
  CHECK(killed.runs == calm.runs);
  CHECK(text(killed) == text(calm));
}

TEST_CASE("a search whose workers are killed now and then reports what a calm one does") {
  ExploreOptions options = quick(4000);
  check_undisturbed(options);
  options.jobs = 3;
  check_undisturbed(options);
  options.strategy = "pct";
  check_undisturbed(options);
}

TEST_CASE("a walk whose worker is killed goes on where it was") {
  ExploreOptions options = quick(4000);
  options.strategy = "exhaustive";
  check_undisturbed(options);
}

/// In every tenth run or so it kills its worker, so many times in all.
orrery::Program kills_itself(Scene& scene, int times) {
  return [&scene, times](World& world) {
    if (world.random().below(10) == 3 && scene.kills++ < times) raise(SIGKILL);
  };
}

TEST_CASE("a run in which the worker was killed is done again, and counts as it then ends") {
  const SharedScene scene;
  const Report report = orrery::explore(quick(100), kills_itself(*scene, 2));
  CHECK((*scene).kills > 2);
  CHECK(report.findings.empty());
  CHECK(report.runs == 100);
}

TEST_CASE("a run in which the worker is killed each time is a finding that says so") {
  const SharedScene scene;
  const Report report = orrery::explore(quick(100), kills_itself(*scene, 1'000'000));
  REQUIRE(report.findings.size() == 1);
  const orrery::Finding& finding = report.findings[0].finding;
  INFO(finding.message);
  CHECK(finding.kind == orrery::FindingKind::crash);
  CHECK(finding.message.find("killed by SIGKILL") != std::string::npos);
  CHECK(finding.message.find("each of 3 times") != std::string::npos);
  CHECK(report.runs == 100);
  CHECK((*scene).kills >= 3 * static_cast<int>(report.findings[0].count));
}

}  // namespace
