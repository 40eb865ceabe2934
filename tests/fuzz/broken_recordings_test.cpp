// Logs of random programs of real threads, of which a recorder that is broken on purpose has lost
// some: their replays do not pass for the recorded runs.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/log.hpp>

#include "fuzz/real_runs.hpp"

namespace orrery {
namespace {

using test::CommandResult;
using test::WorkingDirectory;

/// Says of each record whether it is to be lost: one in so many.
class Loss {
 public:
  explicit Loss(std::uint64_t one_in) : one_in_(one_in) {}

  template <typename Record>
  void lose_of(std::vector<Record>& records) {
    std::erase_if(records, [&](const Record&) {
      const bool is_lost = ++seen_ % one_in_ == 0;
      lost_ += is_lost ? 1 : 0;
      return is_lost;
    });
  }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  std::uint64_t one_in_;
  std::uint64_t seen_ = 0;
  std::uint64_t lost_ = 0;
};

using LoseStamps = std::function<void(LamportRecords::Task&, Loss&)>;
using LoseAccesses = std::function<void(AccessRecords&, Loss&)>;

struct Broken {
  std::string method;
  std::string lost;  ///< what is lost of its records
  LoseStamps stamps = {};
  LoseAccesses accesses = {};
};

void lose_turns(AccessRecords& records, Loss& loss) {
  for (auto& order : records.orders) loss.lose_of(order);
}
void lose_bounds(AccessRecords& records, Loss& loss) {
  for (AccessRecords::Task& task : records.tasks) loss.lose_of(task.bounds);
}

/// The log at `path`, without what a broken recorder has lost; how much that was.
std::uint64_t lose_some(const std::string& path, const Broken& broken, std::uint64_t one_in) {
  const Log log = read_log(path);
  Loss loss(one_in);
  LogWriter writer(path, log.program);
  for (const LogBlock& block : log.blocks) {
    std::vector<std::byte> content = block.content;
    if (block.kind == BlockKind::thread_stamps && broken.stamps) {
      LamportRecords records = decode_lamport_records(content, path, /*is_of_library=*/true);
      for (LamportRecords::Task& task : records.tasks) broken.stamps(task, loss);
      content = encode_lamport_records(records);
    } else if (block.kind == BlockKind::shared_accesses && broken.accesses) {
      AccessRecords records = decode_access_records(content, path);
      broken.accesses(records, loss);
      content = encode_access_records(records);
    }
    writer.append(block.kind, content, block.need);
  }
  writer.finish();
  return loss.lost();
}

bool is_noticed(const WorkingDirectory& here, const std::string& wanted) {
  for (const char* const machine : {"", "--seed 5 --window 100us", "--window inf"}) {
    const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
    INFO(machine << "\n" << again.err);
    // A run that parts from its log is a finding; it is never taken for damage, or worse.
    REQUIRE((again.status == 0 || again.status == 1));
    if (again.status == 1 || again.out != wanted) return true;
  }
  return false;
}

/// Of most programs the loss is noticed (a record may say what would have come anyhow: of sixty
/// programs each, 50 to 60 are); and before anything is lost none of them parts.
void check_noticed(const WorkingDirectory& here, const Broken& broken) {
  constexpr std::uint64_t programs = 20;
  std::uint64_t noticed = 0;
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 1; tried < programs && seed <= 4 * programs; ++seed) {
    CAPTURE(broken.method, broken.lost, seed);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} --inject-delays=100us --seed {} "
                                "-o run.orr ./app {} {} 150",
                                broken.method, seed, seed, 2 + seed % 4));
    INFO(real.err);
    REQUIRE(real.status == 0);
    REQUIRE_FALSE(is_noticed(here, real.out));
    if (lose_some((here.path() / "run.orr").string(), broken, 20) == 0) continue;
    ++tried;
    noticed += is_noticed(here, real.out) ? 1U : 0U;
  }
  CAPTURE(broken.method, broken.lost, noticed, tried);
  CHECK(tried == programs);
  CHECK(noticed * 2 > tried);
}

}  // namespace

TEST_CASE(
    "A recorder of real threads that loses one stamp in twenty does not pass for a good one") {
  const WorkingDirectory here;
  test::build_random(here, "-DWITH_ATOMICS", "random_threads");
  using Task = LamportRecords::Task;
  check_noticed(
      here, {"lamport-order", "stamps", [](Task& task, Loss& loss) { loss.lose_of(task.marks); }});
  check_noticed(here, {"lamport-order:objects=yes", "stamps of objects",
                       [](Task& task, Loss& loss) { loss.lose_of(task.found); }});
  check_noticed(here, {"instant-replay", "versions",
                       [](Task& task, Loss& loss) { loss.lose_of(task.accesses); }});
}

TEST_CASE(
    "A recorder of real memory that loses one record in twenty does not pass for a good one") {
  const WorkingDirectory here;
  test::build_random(here, "-DWITH_ATOMICS", "random_memory");
  for (const std::string method : {"leap", "global-writes", "stride"}) {
    check_noticed(here, {method, "turns", {}, lose_turns});
  }
  // Of real threads these two keep a bound of each read, and need no values.
  check_noticed(here, {"global-writes", "bounds", {}, lose_bounds});
  check_noticed(here, {"stride", "bounds", {}, lose_bounds});
}

}  // namespace orrery
