// `run --always-record` and `replay --last`: runs that are kept without being asked for each.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

using Names = std::vector<std::string>;

// Who comes first depends on the seed.
const std::string program =
    "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int order;\n"
    "static void* add(void* digit) {\n  pthread_mutex_lock(&lock);\n"
    "  order = order * 10 + *(int*)digit;\n  pthread_mutex_unlock(&lock);\n  return 0;\n}\n"
    "int main(int argc, char** argv) {\n  int digits[] = {1, 2, 3};\n  pthread_t threads[3];\n"
    "  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, add, &digits[i]);\n"
    "  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);\n"
    "  printf(\"%d %s\\n\", order, argc > 1 ? argv[1] : \"\");\n"
    "  if (argc > 1 && argv[1][0] == 'a') abort();\n  return 0;\n}\n";

/// With a place of its own for what is remembered of this user.
CommandResult command(const WorkingDirectory& here, const std::string& words,
                      const std::string& variables = {}) {
  return here.shell("XDG_STATE_HOME=\"$PWD/state\" " + variables + " " ORRERY_BINARY " " + words);
}

Names names_in(const WorkingDirectory& here, const std::string& directory) {
  Names names;
  for (const auto& file : std::filesystem::directory_iterator(here.path() / directory)) {
    names.push_back(file.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("The last runs are kept, and the newest is replayed without its name") {
  const WorkingDirectory here;
  orrery::test::build_app(here, program, "");
  CommandResult run;
  for (int seed = 1; seed <= 12; ++seed) {
    run = command(here, "run --window inf --always-record kept --keep 3 --seed " +
                            std::to_string(seed) + " ./app");
    REQUIRE(run.status == 0);
    CHECK_FALSE(has(run.err, "kept"));  // nobody wants to be told each time
  }
  CHECK(names_in(here, "kept") == Names{"run-000010.orr", "run-000011.orr", "run-000012.orr"});

  for (const char* const words : {"replay --last", "replay --last kept"}) {
    const CommandResult replay = command(here, words);
    CHECK(replay.status == 0);
    CHECK(replay.out == run.out);
  }
  // Wherever somebody stands.
  CHECK(command(here, "run --always-record other ./app elsewhere").status == 0);
  CHECK(has(command(here, "replay --last").out, "elsewhere"));
  CHECK(command(here, "replay --last kept").out == run.out);
}

TEST_CASE("A run that is kept and has a finding says where its log is") {
  const WorkingDirectory here;
  orrery::test::build_app(here, program, "");
  REQUIRE(here.shell("mkdir kept; echo mine > kept/run-x.orr; echo mine > kept/notes").status == 0);
  const CommandResult run = command(here, "run ./app abort", "ORRERY_ALWAYS_RECORD=kept");
  CHECK(run.status == 1);
  CHECK(has(run.err, "saved: kept/run-000001.orr"));
  CHECK(names_in(here, "kept") == Names{"notes", "run-000001.orr", "run-x.orr"});
  const CommandResult replay = command(here, "replay --last --json");
  CHECK(replay.status == 1);
  CHECK(has(replay.out, "\"crash\""));

  // Whoever names a file means that one.
  CHECK(command(here, "run --record mine.orr ./app", "ORRERY_ALWAYS_RECORD=kept").status == 0);
  CHECK(names_in(here, "kept").size() == 3);
  CHECK(command(here, "run --keep 1 ./app", "ORRERY_ALWAYS_RECORD=kept").status == 0);
  CHECK(names_in(here, "kept") == Names{"notes", "run-000002.orr", "run-x.orr"});
}

TEST_CASE("Several commands may keep runs in one directory at a time") {
  const WorkingDirectory here;
  orrery::test::build_app(here, program, "");
  const CommandResult all =
      here.shell("for i in 1 2 3 4 5 6; do XDG_STATE_HOME=\"$PWD/state\" " ORRERY_BINARY
                 " run --quiet --always-record kept --keep 4 ./app & done; wait");
  INFO(all.err);
  CHECK(names_in(here, "kept") ==
        Names{"run-000003.orr", "run-000004.orr", "run-000005.orr", "run-000006.orr"});
  CHECK(command(here, "replay --last").status == 0);
}

TEST_CASE("What cannot be kept, or is not there, is one clear error") {
  const WorkingDirectory here;
  orrery::test::build_app(here, program, "");
  struct Case {
    const char* words;
    const char* error;
  };
  for (const Case& one :
       {Case{"replay --last", "--last: no run has been kept"},
        Case{"replay --last .", "--last: no runs are kept in '.'"},
        Case{"replay --last kept more", "there is one name too many"},
        Case{"run --keep 3 ./app", "--keep: nothing is kept"},
        Case{"run --always-record kept --keep 0 ./app", "--keep: 0 is out of range"},
        Case{"run --always-record '' ./app", "--always-record: the value is empty"},
        Case{"run --always-record app ./app", "the directory 'app' cannot be made"},
        Case{"run --always-record /proc/no ./app", "the directory '/proc/no' cannot be made"},
        Case{"run --always-record kept --record a.orr ./app", "together with --record"},
        Case{"run --always-record kept --method contents ./app", "use --record FILE"},
        Case{"run --always-record kept --method no ./app", "there is no recorder 'no'"},
        Case{"replay --always-record kept a.orr", "--always-record"}}) {
    CAPTURE(one.words);
    const CommandResult run = command(here, one.words);
    CHECK(run.status == 2);
    CHECK(has(run.err, one.error));
    CHECK(run.out.empty());
  }
  CHECK_FALSE(std::filesystem::exists(here.path() / "a.orr"));

  // A log that cannot be written costs none of those that are there.
  REQUIRE(command(here, "run --always-record kept --keep 1 ./app").status == 0);
  std::filesystem::create_directory(here.path() / "kept" / "run-000002.orr.part");
  const CommandResult lost = command(here, "run --always-record kept --keep 1 ./app");
  CHECK(lost.status == 2);
  CHECK(has(lost.err, "run-000002.orr"));
  CHECK(names_in(here, "kept") == Names{"run-000001.orr", "run-000002.orr.part"});

  std::filesystem::remove_all(here.path() / "kept");
  const CommandResult gone = command(here, "replay --last");
  CHECK(gone.status == 2);
  CHECK(has(gone.err, "the last run that was kept is gone"));
}
