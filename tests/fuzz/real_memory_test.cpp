// Random programs of real threads that race for common memory, recorded with all that they do to
// it: each read gets the same again in simulation, under other seeds and windows.
#include <string>

#include <catch2/catch.hpp>

#include "fuzz/real_runs.hpp"

namespace {

using orrery::test::build_random;
using orrery::test::check_real_method;
using orrery::test::real_programs;
using orrery::test::WorkingDirectory;

}  // namespace

TEST_CASE("What real threads did to common memory is done again, races included", "[campaign]") {
  const WorkingDirectory here;
  build_random(here, "", "random_memory");
  for (const std::string method : {"leap", "stride", "global-writes"}) {
    check_real_method(here, real_programs / 2, method);
  }
}
