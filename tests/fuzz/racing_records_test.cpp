// Nothing that the tight form traces is superfluous, and nothing is missing: every way in which the
// messages of small programs can find their receives is gone through.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>

#include "fuzz/matching_search.hpp"
#include "fuzz/random_program.hpp"

namespace orrery {
namespace {

using test::Machine;
using test::RandomProgram;
using test::Run;

const RecorderKind& tight() {
  return recorder_kind("racing-messages-tight");
}

/// A small program, and a random run of it.
struct Recording {
  std::vector<std::string> arguments = {};
  std::uint32_t ranks = 0;
  Run run = {};
  SavedRun log = {};
};

Recording record(RandomProgram& program, std::uint64_t seed) {
  const std::string messages_max = seed % 4 < 2 ? "1" : "2";
  Recording recording;
  recording.arguments = {"--small", "--messages", messages_max, std::to_string(seed), "1"};
  recording.ranks = static_cast<std::uint32_t>(2 + seed % 2);
  const auto recorder = tight().make_recorder();
  const auto random = make_strategy("random")->chooser({});
  const Machine home{seed, any_order, "constant"};
  recording.run =
      program.run(recording.arguments, recording.ranks, home, *random, {&recorder->observer()});
  recording.log = test::saved(tight(), recorder->blocks());
  return recording;
}

/// Which runs do the records allow?
struct Allowed {
  bool same = false;       ///< the recorded one
  bool others = false;     ///< or such that go on in no way that the records allow
  bool are_known = false;  ///< all were gone through, or there are both kinds
};

Allowed allowed(RandomProgram& program, const Recording& recording, const SavedRun& log) {
  constexpr int runs_max = 20'000;
  const Machine any{1, any_order, "constant"};
  test::MatchingSearch search;
  Allowed result;
  for (int i = 0; i < runs_max && !result.are_known; ++i) {
    const auto replayer = tight().make_replayer(log, search, ReplayMode::strict);
    const Run again = program.run(recording.arguments, recording.ranks, any, replayer->chooser(),
                                  {replayer->observer(), &search});
    if (again.outcome.status != Outcome::Status::abandoned) {
      const bool is_same = replayer->judge(again.outcome).status == Outcome::Status::clean &&
                           test::difference(recording.run.seen, again.seen).empty();
      (is_same ? result.same : result.others) = true;
    }
    result.are_known = (result.same && result.others) || !search.next();
  }
  return result;
}

SavedRun without(const SavedRun& log, std::size_t record) {
  SavedRun rest = log;
  rest.messages.traced.erase(rest.messages.traced.begin() + static_cast<std::ptrdiff_t>(record));
  return rest;
}

SavedRun without_message(const SavedRun& log, OperationId send) {
  SavedRun rest = log;
  std::erase_if(rest.messages.traced, [&](const TracedMessage& one) { return one.send == send; });
  return rest;
}

}  // namespace

// A record is needed if without it the recorded run is one of several.  Where no run is left,
// others name the same message, which is held for these alone: a probe that sees what an earlier
// probe has seen needs a record for that, though it could see nothing else.  Such a message is
// needed as one.
TEST_CASE("Each tight record of a racing message is needed, and together they allow one run only",
          "[campaign]") {
  RandomProgram program;
  const std::uint64_t programs = test::program_count(500), first = test::first_seed();
  std::uint64_t records = 0, of_one_message = 0, too_large = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    CAPTURE(seed);
    const Recording recording = record(program, seed);
    const Allowed with_all = allowed(program, recording, recording.log);
    CHECK((with_all.same && !with_all.others));
    too_large += with_all.are_known ? 0 : 1;
    const std::vector<TracedMessage>& traced = recording.log.messages.traced;
    for (std::size_t i = 0; i < traced.size(); ++i) {
      if (traced[i].send == OperationId{}) continue;  // the outcome of a cancellation
      CAPTURE(i);
      ++records;
      Allowed rest = allowed(program, recording, without(recording.log, i));
      if (rest.are_known && !rest.same) {
        CHECK(std::ranges::count(traced, traced[i].send, &TracedMessage::send) > 1);
        ++of_one_message;
        rest = allowed(program, recording, without_message(recording.log, traced[i].send));
      }
      too_large += rest.are_known ? 0 : 1;
      CHECK((!rest.are_known || (rest.same && rest.others)));
    }
  }
  CAPTURE(records, of_one_message, too_large);
  CHECK(too_large * 25 <= programs + records);
  if (programs < 200) return;
  CHECK(records * 5 >= programs);
  CHECK(of_one_message * 20 <= records);
}

}  // namespace orrery
