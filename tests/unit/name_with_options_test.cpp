#include <chrono>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/usage_error.hpp>

using namespace std::chrono_literals;
using Catch::Contains;
using orrery::NameWithOptions;
using orrery::parse_bytes_per_second;
using orrery::parse_whole_number;
using orrery::UsageError;
using orrery::VirtualDuration;

TEST_CASE("A name with its number and options is taken apart") {
  const auto given = NameWithOptions::parse("pct:3:depth=4,slack=5us", "--strategy");
  CHECK(given.name() == "pct");
  CHECK(given.where() == "--strategy");
  CHECK(given.count() == 3);
  CHECK(given.text("depth") == "4");
  CHECK(given.whole_number("depth", 1) == 4);
  CHECK(given.duration("slack", VirtualDuration(1s)) == VirtualDuration(5us));
}

TEST_CASE("What is not given has the value that the caller names") {
  const auto given = NameWithOptions::parse("pct");
  CHECK_FALSE(given.count());
  CHECK_FALSE(given.text("depth"));
  CHECK(given.whole_number("depth", 7) == 7);
  CHECK(given.duration("slack", VirtualDuration(1s)) == VirtualDuration(1s));
  CHECK(given.bytes_per_second("rate", 9) == 9);
  CHECK_NOTHROW(given.allow_keys({}));
  CHECK_NOTHROW(given.allow_no_count());
}

TEST_CASE("Options and numbers that a name does not take are refused") {
  const auto given = NameWithOptions::parse("pct:3:dept=4", "--strategy");
  CHECK_THROWS_WITH(given.allow_keys({"depth", "seed"}), Contains("did you mean 'depth'?"));
  CHECK_THROWS_WITH(given.allow_keys({}), Contains("it takes no options"));
  CHECK_THROWS_WITH(given.allow_no_count(), Contains("takes no bare number"));
}

TEST_CASE("Whole numbers are read within bounds and name their option when they are not") {
  const auto given = NameWithOptions::parse("pct:depth=0", "--strategy");
  CHECK_THROWS_WITH(given.whole_number("depth", 1, 1, 64), Contains("--strategy pct:depth"));
  CHECK_THROWS_WITH(given.whole_number("depth", 1, 1, 64), Contains("from 1 to 64"));
  CHECK(parse_whole_number("18446744073709551615", "-n") == UINT64_MAX);
  for (const char* text : {"18446744073709551616", "", "-1", "+1", "1.0", "1e3", " 1", "0x10"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_whole_number(text, "-n"), UsageError);
  }
}

TEST_CASE("Bandwidths take decimal prefixes, with or without B/s") {
  CHECK(parse_bytes_per_second("125000000", "") == 125'000'000);
  CHECK(parse_bytes_per_second("125M", "") == 125'000'000);
  CHECK(parse_bytes_per_second("1.25GB/s", "") == 1'250'000'000);
  CHECK(parse_bytes_per_second("56kB/s", "") == 56'000);
  CHECK(parse_bytes_per_second("7B/s", "") == 7);
  CHECK(parse_bytes_per_second("infinity", "") == 0);
  for (const char* text : {"0", "", "fast", "1K", "1Mb", "1 M", "0.0001k", "99999999999G"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_bytes_per_second(text, "--rate"), UsageError);
  }
}
