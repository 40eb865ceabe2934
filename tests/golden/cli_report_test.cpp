// One JSON report and one timeline, to the byte.
#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

TEST_CASE("The JSON report of a replay has these bytes") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("explore --strategy exhaustive -o bug.orr lost_update").status == 1);
  const CommandResult result = here.orrery("replay --json bug.orr");
  CHECK(result.status == 1);
  CHECK(result.out == R"({
  "orrery": 1,
  "command": "replay",
  "program": "lost_update",
  "seed": 0,
  "runs": 1,
  "steps": 12,
  "virtual_time_ns": 0,
  "outcome": "finding",
  "output": "",
  "findings": [
    {
      "kind": "assertion",
      "message": "a deposit is lost",
      "where": [
        {
          "file": "scenarios/lost_update/scenario.cpp",
          "line": 19,
          "function": "buggy",
          "task": "root",
          "role": "failed here"
        }
      ],
      "log": "bug.orr"
    }
  ],
  "stats": {
    "run_index": 4,
    "has_died": false,
    "messages": 0
  }
}
)");
}

TEST_CASE("The timeline of a shrunk run has these bytes") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("explore -o bug.orr lost_update").status == 1);
  const CommandResult result = here.orrery("show --timeline bug.orr");
  CHECK(result.status == 0);
  CHECK(result.out == R"(program:   scenario lost_update
network:   the default one
strategy:  random
run:       1 of seed 0, window infinity
recorded:  12 steps, 0 answers (method choices)

assertion: a deposit is lost
  root failed here
    at scenarios/lost_update/scenario.cpp:19

columns: root, Alice, Bob
        0.000 us  * | |  root   starts Alice                                  scenario.cpp:15
        0.000 us  * | |  root   starts Bob                                    scenario.cpp:16
        0.000 us  | * |  Alice  reads 100 from variable balance               scenario.cpp:12
        0.000 us  | | |  >> Alice is interrupted: Bob goes first              scenario.cpp:13
        0.000 us  | | *  Bob    reads 100 from variable balance               scenario.cpp:12
        0.000 us  | | *  Bob    writes 110 to variable balance                scenario.cpp:13
        0.000 us  | | *  Bob    ends
        0.000 us  | * |  Alice  writes 110 to variable balance                scenario.cpp:13
        0.000 us  | * |  Alice  ends
        0.000 us  * | |  root   joins Alice                                   scenario.cpp:17
        0.000 us  * | |  root   joins Bob                                     scenario.cpp:18
        0.000 us  * | |  root   reads 110 from variable balance               scenario.cpp:19
assertion: a deposit is lost
  scenario.cpp:19  root: failed here
)");
}

}  // namespace
