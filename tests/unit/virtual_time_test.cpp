#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

#include <catch2/catch.hpp>

#include <orrery/network_model/virtual_time.hpp>

using namespace std::chrono_literals;
using orrery::VirtualDuration;
using orrery::VirtualTime;

namespace {
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
using FloatSeconds = std::chrono::duration<double>;
}  // namespace

TEST_CASE("A std::chrono duration becomes whole picoseconds") {
  CHECK(VirtualDuration(50us).picoseconds() == 50'000'000);
  CHECK(VirtualDuration(1ns).picoseconds() == 1'000);
  CHECK(VirtualDuration(-3s).picoseconds() == -3'000'000'000'000);
  CHECK(VirtualDuration(std::chrono::duration<std::int64_t, std::pico>(7)).picoseconds() == 7);
}

TEST_CASE("Fractions of a picosecond are cut off towards zero") {
  using Femtoseconds = std::chrono::duration<std::int64_t, std::femto>;
  CHECK(VirtualDuration(Femtoseconds(1'999)).picoseconds() == 1);
  CHECK(VirtualDuration(Femtoseconds(-1'999)).picoseconds() == -1);
}

TEST_CASE("A year given in hours saturates instead of overflowing") {
  CHECK(VirtualDuration(24h * 365) == VirtualDuration::max());
  CHECK(VirtualDuration(-24h * 365) == VirtualDuration::min());
  CHECK(VirtualDuration(std::chrono::hours::max()) == VirtualDuration::max());
  CHECK(VirtualDuration(std::chrono::hours::min()) == VirtualDuration::min());
  CHECK(VirtualDuration(24h * 106).picoseconds() == 106 * 86'400 * 1'000'000'000'000);
}

TEST_CASE("An unsigned representation keeps its full range") {
  using UnsignedNanoseconds = std::chrono::duration<std::uint64_t, std::nano>;
  CHECK(VirtualDuration(UnsignedNanoseconds(5)).picoseconds() == 5'000);
  CHECK(VirtualDuration(UnsignedNanoseconds(UINT64_MAX)) == VirtualDuration::max());
}

TEST_CASE("Floating durations are cut off, saturate, and take NaN as zero") {
  CHECK(VirtualDuration(FloatSeconds(0.5)).picoseconds() == 500'000'000'000);
  CHECK(VirtualDuration(FloatSeconds(1e30)) == VirtualDuration::max());
  CHECK(VirtualDuration(FloatSeconds(-1e30)) == VirtualDuration::min());
  CHECK(VirtualDuration(FloatSeconds(INFINITY)) == VirtualDuration::max());
  CHECK(VirtualDuration(FloatSeconds(-INFINITY)) == VirtualDuration::min());
  CHECK(VirtualDuration(FloatSeconds(std::nan(""))) == VirtualDuration::zero());
}

TEST_CASE("Arithmetic on durations saturates at both ends") {
  const auto one = VirtualDuration::from_picoseconds(1);
  CHECK(VirtualDuration::max() + one == VirtualDuration::max());
  CHECK(VirtualDuration::min() - one == VirtualDuration::min());
  CHECK(VirtualDuration::min() + VirtualDuration::min() == VirtualDuration::min());
  CHECK(VirtualDuration::zero() - VirtualDuration::min() == VirtualDuration::max());
  CHECK(VirtualDuration::max() * 2 == VirtualDuration::max());
  CHECK(VirtualDuration::max() * -2 == VirtualDuration::min());
  CHECK(VirtualDuration::min() * -1 == VirtualDuration::max());
  CHECK(VirtualDuration(3us) * 4 == VirtualDuration(12us));
  CHECK(VirtualDuration(3us) - VirtualDuration(1us) == VirtualDuration(2us));
}

TEST_CASE("Durations convert back to std::chrono towards zero and saturate there too") {
  CHECK(VirtualDuration(1'999ns).to<std::chrono::microseconds>() == 1us);
  CHECK(VirtualDuration(-1'999ns).to<std::chrono::microseconds>() == -1us);
  CHECK(VirtualDuration(1500ms).to<FloatSeconds>().count() == Approx(1.5));
  using TinySeconds = std::chrono::duration<std::int8_t>;
  CHECK(VirtualDuration(1000s).to<TinySeconds>().count() == 127);
  CHECK(VirtualDuration(-1000s).to<TinySeconds>().count() == -128);
  using Femtoseconds = std::chrono::duration<std::int64_t, std::femto>;
  CHECK(VirtualDuration::max().to<Femtoseconds>().count() == most);
  CHECK(VirtualDuration::min().to<Femtoseconds>().count() == least);
}

TEST_CASE("never() is later than every date, and waiting longer does not bring it back") {
  CHECK(VirtualTime::start() < VirtualTime::never());
  CHECK(VirtualTime::from_picoseconds(most - 1) < VirtualTime::never());
  CHECK(VirtualTime::never() + VirtualDuration(1h) == VirtualTime::never());
  CHECK(VirtualTime::start() + VirtualDuration::max() == VirtualTime::never());
}

TEST_CASE("Dates and durations add up") {
  const VirtualTime date = VirtualTime::start() + VirtualDuration(80us);
  CHECK(date.nanoseconds() == 80'000);
  CHECK(date - VirtualTime::start() == VirtualDuration(80us));
  CHECK((date - VirtualDuration(30us)).since_start() == VirtualDuration(50us));
}

TEST_CASE("All of it works while compiling") {
  static_assert(VirtualDuration(24h * 365) == VirtualDuration::max());
  static_assert((VirtualTime::start() + VirtualDuration(1ms)).picoseconds() == 1'000'000'000);
  static_assert(VirtualDuration(2s).to<std::chrono::milliseconds>() == 2000ms);
  SUCCEED();
}
