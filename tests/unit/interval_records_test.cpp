// What is left of a run's records behind a checkpoint.
#include "intervals/interval_records.hpp"

#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>

namespace {

using orrery::MessageRecords;
using orrery::OpenCalls;
using orrery::OpenReceive;
using orrery::TaskId;
using orrery::detail::rest_of;

constexpr TaskId rank{3};

OpenCalls calls() {
  OpenCalls result;
  result.task = rank;
  result.sources = {4, 5, OpenCalls::nobody, 6, 7};
  result.failed_polls = {2, 5, 1};
  result.last_failed_polls = 9;
  result.selections = {{2, {0}}, {3, {1}}};
  result.cancellations = {true, false};
  return result;
}

MessageRecords whole() {
  MessageRecords result;
  result.calls = {calls()};
  result.answers = {{{rank, 8}, orrery::ChoiceKind::clock, 80},
                    {{rank, 9}, orrery::ChoiceKind::clock, 90},
                    {{rank, 9}, orrery::ChoiceKind::clock, 91}};
  result.run_answers = {{1, 1}};
  return result;
}

}  // namespace

TEST_CASE("Of a run's records what came after the checkpoint is left") {
  MessageRecords before;
  OpenCalls earlier;
  earlier.task = rank;
  // The second and the third are open; the third is to be cancelled.
  earlier.sources = {4, OpenCalls::nobody, OpenCalls::nobody};
  earlier.failed_polls = {2};
  earlier.last_failed_polls = 3;
  earlier.selections = {{2, {0}}};
  before.calls = {earlier};
  before.answers = {{{rank, 8}, orrery::ChoiceKind::clock, 80},
                    {{rank, 9}, orrery::ChoiceKind::clock, 90}};
  const std::vector<OpenReceive> open{{{rank, 5}, 1}, {{rank, 6}, 2}};
  const MessageRecords rest = rest_of(whole(), before, open);
  OpenCalls expected;
  expected.task = rank;
  expected.sources = {5, OpenCalls::nobody, 6, 7};
  expected.failed_polls = {2, 1};
  expected.last_failed_polls = 9;
  expected.selections = {{3, {1}}};
  expected.cancellations = {true, false};
  REQUIRE(rest.calls.size() == 1);
  CHECK(rest.calls.front() == expected);
  CHECK(rest.answers == std::vector<orrery::Answer>{{{rank, 9}, orrery::ChoiceKind::clock, 91}});
  CHECK(rest.run_answers == whole().run_answers);
}

TEST_CASE("Without anything before the checkpoint all of it is left") {
  const MessageRecords rest = rest_of(whole(), {}, {});
  CHECK(rest.calls == whole().calls);
  CHECK(rest.answers == whole().answers);
}

TEST_CASE("Records of another run do not go on where the image was saved") {
  MessageRecords before = whole();
  before.calls.front().sources.push_back(1);
  CHECK_THROWS_AS(rest_of(whole(), before, {}), orrery::UsageError);
  before = whole();
  before.answers.push_back(before.answers.back());
  CHECK_THROWS_AS(rest_of(whole(), before, {}), orrery::UsageError);
}
