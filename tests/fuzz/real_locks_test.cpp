// Random programs of real threads whose locks and atomics are beside the memory that is recorded,
// or have parts of it switched off: each does the same again, or says what that depends on.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "fuzz/real_runs.hpp"

namespace {

using orrery::test::build_random;
using orrery::test::check_real_method;
using orrery::test::CommandResult;
using orrery::test::real_programs;
using orrery::test::WorkingDirectory;

}  // namespace

TEST_CASE("What real threads did is done again: locks and atomics beside memory", "[campaign]") {
  const WorkingDirectory here;
  build_random(here, "-DWITH_ATOMICS", "random_threads");
  for (const std::string method : {"leap", "stride", "global-writes"}) {
    check_real_method(here, real_programs / 2, method);
  }
}

TEST_CASE("What real threads did is done again without what a profile has switched off",
          "[campaign]") {
  const WorkingDirectory here;
  build_random(here, "", "random_threads");
  for (int seed = 1; seed <= 6; ++seed) {
    const CommandResult profile = here.orrery(fmt::format(
        "run --quiet --seed {0} --window 50us --profile-locks list ./app {0} 4 150", seed));
    INFO(profile.err);
    REQUIRE(profile.status == 0);
  }
  check_real_method(here, real_programs / 3, "stride:protected=list");
}

// What a few runs of a racy program show is too little: then a replay must not tell anything else.
TEST_CASE("A replay that is not the recorded run says that it depends on what was switched off",
          "[campaign]") {
  const WorkingDirectory here;
  build_random(here, "", "random_memory");
  const CommandResult profile =
      here.orrery("run --quiet --window 50us --profile-locks list ./app 1 2 60");
  REQUIRE(profile.status == 0);
  const std::uint64_t end = orrery::test::first_seed() + orrery::test::program_count(15);
  for (std::uint64_t seed = orrery::test::first_seed(); seed < end; ++seed) {
    CAPTURE(seed);
    const CommandResult real = here.orrery(fmt::format(
        "record --quiet --method stride:protected=list -o run.orr ./app {} 3 100", seed));
    INFO(real.err);
    REQUIRE(real.status == 0);
    const CommandResult again = here.orrery("replay --seed 5 --window 100us run.orr");
    INFO(again.err);
    const bool is_said = again.err.find("switched off while it was recorded") != std::string::npos;
    CHECK((is_said || (again.status == 0 && again.out == real.out)));
  }
}
