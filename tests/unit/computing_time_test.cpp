#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/run_settings.hpp>
#include <orrery/sim_runtime/computing_time.hpp>

using namespace orrery;
using Method = ComputingTime::Method;

TEST_CASE("How computing time is counted is read and written the same") {
  CHECK(parse_computing_time("none").method == Method::none);
  CHECK(parse_computing_time("cost").block_price == VirtualDuration(std::chrono::nanoseconds(1)));
  CHECK(parse_computing_time("cost=2.5ns").block_price.picoseconds() == 2'500);
  CHECK(parse_computing_time("measured").scale_millionths == 1'000'000);
  CHECK(parse_computing_time("measured=0.25").scale_millionths == 250'000);
  for (const char* const text : {"none", "cost=1ns", "cost=2500ps", "measured=1",
                                 "measured=0.000001", "measured=12.5", "measured=1000000"}) {
    const ComputingTime computing = parse_computing_time(text);
    CHECK(parse_computing_time(computing.text()) == computing);
    RunSettings settings;
    settings.computing = computing;
    CHECK(decode_settings(encode_settings(settings)).computing == computing);
  }
  CHECK(parse_computing_time("measured=12.50").text() == "measured=12.5");
}

TEST_CASE("No way to count computing time is refused with the ways that there are") {
  for (const char* const text :
       {"", "no", "cost=", "cost=5", "cost=-1ns", "none=1", "measured=0", "measured=", "measured=x",
        "measured=1e3", "measured=0.0000001", "measured=1000001", "flops=3"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_computing_time(text, "--compute"), UsageError);
  }
}
