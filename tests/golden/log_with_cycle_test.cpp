// Logs of memory that no order of its accesses fits: damaged, or of a run that was not sequentially
// consistent.
#include <string>

#include <catch2/catch.hpp>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/log.hpp>

#include "command_runner.hpp"

namespace {

using orrery::AccessRecords;
using orrery::BlockKind;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// What store buffers show: each thread writes, and then reads what the other one writes.  The
/// second one begins when the first one has long done both.
void build_store_buffers(const WorkingDirectory& here) {
  here.write("app.c", R"(#include <pthread.h>
#include <unistd.h>
static long x, y;  // words are what is recorded
static long seen[2];
static void* first(void* a) {
  x = 1;
  seen[0] = y;
  return a;
}
static void* second(void* a) {
  y = 1;
  seen[1] = x;
  return a;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  usleep(100000);
  pthread_create(&threads[1], 0, second, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
)");
  REQUIRE(here.shell("'" ORRERY_BINARY "' cc -g -pthread app.c -o app").status == 0);
}

/// In a copy of the log the last thread has seen nothing of what others wrote.
void blind_last_thread(const WorkingDirectory& here, const std::string& from,
                       const std::string& to) {
  const orrery::Log log = orrery::read_log((here.path() / from).string());
  orrery::LogWriter copy((here.path() / to).string(), log.program);
  for (const orrery::LogBlock& block : log.blocks) {
    if (block.kind != BlockKind::shared_accesses) {
      copy.append(block.kind, block.content, block.need);
      continue;
    }
    AccessRecords records = orrery::decode_access_records(block.content, "test");
    AccessRecords::Task& last = records.tasks.back();
    REQUIRE_FALSE(last.bounds.empty());
    last.bounds.clear();
    last.values.clear();
    copy.append(block.kind, orrery::encode_access_records(records), block.need);
  }
  copy.finish();
}

void check_cycle_is_told(const WorkingDirectory& here) {
  REQUIRE(here.orrery("replay run.orr").status == 0);
  blind_last_thread(here, "run.orr", "cycle.orr");
  const CommandResult replayed = here.orrery("replay cycle.orr");
  INFO(replayed.out << replayed.err);
  CHECK(replayed.status == 1);
  CHECK(has(replayed.err, "divergence: "));
  CHECK(has(replayed.err, "the log is damaged, or the run was not sequentially consistent"));
  // The edges: who read before whose write.
  CHECK(has(replayed.err, "as it was before operation"));
  CHECK(has(replayed.err, "; operation "));
}

}  // namespace

TEST_CASE("A log of a simulated run by stride that no order fits is told with the edges of it") {
  const WorkingDirectory here;
  build_store_buffers(here);
  REQUIRE(here.orrery("run --preempt all --record run.orr --method stride:lag=9 ./app").status ==
          0);
  check_cycle_is_told(here);
}

TEST_CASE("A log of a real run by stride that no order fits is told with the edges of it") {
  const WorkingDirectory here;
  build_store_buffers(here);
  REQUIRE(here.orrery("record --method stride -o run.orr ./app").status == 0);
  check_cycle_is_told(here);
}
