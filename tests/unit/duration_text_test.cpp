#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/usage_error.hpp>

using orrery::duration_text;
using orrery::parse_duration;
using orrery::UsageError;
using orrery::VirtualDuration;

namespace {

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_duration(text, "--window"));
  } catch (const UsageError& error) {
    CHECK(error.where() == "--window");
    CHECK_FALSE(error.hint().empty());
    return error.what();
  }
  FAIL("'" << text << "' was accepted");
  return {};
}

}  // namespace

TEST_CASE("Durations are read exactly in every unit") {
  CHECK(parse_duration("1ps").picoseconds() == 1);
  CHECK(parse_duration("250ns").picoseconds() == 250'000);
  CHECK(parse_duration("1.5us").picoseconds() == 1'500'000);
  CHECK(parse_duration("20ms").picoseconds() == 20'000'000'000);
  CHECK(parse_duration("3s").picoseconds() == 3'000'000'000'000);
  CHECK(parse_duration("2min").picoseconds() == 120'000'000'000'000);
  CHECK(parse_duration("1.5h").picoseconds() == 5'400'000'000'000'000);
  CHECK(parse_duration("0.000000000001s").picoseconds() == 1);
  CHECK(parse_duration("00012.3400ns").picoseconds() == 12'340);
}

TEST_CASE("A fraction that binary floating point cannot hold is still exact") {
  CHECK(parse_duration("0.1s").picoseconds() == 100'000'000'000);
  CHECK(parse_duration("2305843.009213693953s").picoseconds() == 2'305'843'009'213'693'953);
}

TEST_CASE("Zero needs no unit, and infinity has two spellings") {
  CHECK(parse_duration("0") == VirtualDuration::zero());
  CHECK(parse_duration("0.0") == VirtualDuration::zero());
  CHECK(parse_duration("0us") == VirtualDuration::zero());
  CHECK(parse_duration("infinity") == VirtualDuration::max());
  CHECK(parse_duration("inf") == VirtualDuration::max());
}

TEST_CASE("A duration without a unit is refused with the ways to write it") {
  CHECK(refusal("20") == "--window: the duration '20' has no unit (write 20ns, 20us, 20ms or 20s)");
}

TEST_CASE("A mistyped unit is refused with the nearest one") {
  CHECK(refusal("20usec").find("did you mean '20us'?") != std::string::npos);
  CHECK(refusal("1.5seconds").find("did you mean '1.5s'?") != std::string::npos);
  CHECK(refusal("20MS").find("did you mean '20ms'?") != std::string::npos);
  CHECK(refusal("1.5mn").find("did you mean '1.5") != std::string::npos);
  CHECK(refusal("20parsecs").find("the units are ps, ns") != std::string::npos);
}

TEST_CASE("What is no duration is refused") {
  for (const char* text : {"", " ", "us", ".5us", "5.us", "1e3us", "5 us", "5us ", "+5us", "0x5us",
                           "1,5us", "nan", "INF", "1..5us"}) {
    CAPTURE(text);
    refusal(text);
  }
  CHECK(refusal("-5us").find("negative") != std::string::npos);
}

TEST_CASE("What virtual time cannot hold is refused, not rounded") {
  CHECK(refusal("1.5ps").find("whole number of picoseconds") != std::string::npos);
  CHECK(refusal("0.00000000000000000000000001h").find("whole number") != std::string::npos);
  CHECK(refusal("2563h").find("longer than") != std::string::npos);
  CHECK(refusal("99999999999999999999999999999999999999999999999999s").find("longer than") !=
        std::string::npos);
  CHECK(parse_duration("9223372036854775807ps") == VirtualDuration::max());
  CHECK(refusal("9223372036854775808ps").find("longer than") != std::string::npos);
}

TEST_CASE("Durations are printed exactly, in the unit that suits them") {
  const auto text = [](std::int64_t count) {
    return duration_text(VirtualDuration::from_picoseconds(count));
  };
  CHECK(text(0) == "0");
  CHECK(text(1) == "1ps");
  CHECK(text(1'500) == "1.5ns");
  CHECK(text(130'000'000) == "130us");
  CHECK(text(100'000'000'000) == "100ms");
  CHECK(text(1'234'567) == "1.234567us");
  CHECK(text(90'000'000'000'000) == "90s");
  CHECK(text(3'600'000'000'000'000) == "1h");
  CHECK(text(5'400'000'000'000'000) == "90min");
  CHECK(text(60'000'000'000'000) == "1min");
  CHECK(text(5'400'000'000'000'001) == "5400.000000000001s");
  CHECK(text(INT64_MAX) == "infinity");
  CHECK(text(-1'500) == "-1.5ns");
  CHECK(text(INT64_MIN) == "-9223372.036854775808s");
}

TEST_CASE("Every printed duration is read back to the same value") {
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto count = static_cast<std::int64_t>(state >> (1 + i % 62));
    const auto duration = VirtualDuration::from_picoseconds(count);
    CAPTURE(count, duration_text(duration));
    REQUIRE(parse_duration(duration_text(duration)) == duration);
  }
}
