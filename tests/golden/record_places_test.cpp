// A run that was recorded in directories which are not there any more, as on another machine.
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

namespace {

// Writes where it was started, in another directory, in one that it makes, and in one that never
// was; and counts what it finds in them.
const std::string writing =
    "#include <stdio.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"
    "static void put(const char* path, const char* mode) {\n"
    "  FILE* file = fopen(path, mode);\n"
    "  char line[64] = \"nothing\";\n"
    "  if (file) { fprintf(file, \"of %s\\n\", mode); fclose(file); }\n"
    "  file = fopen(path, \"r\");\n"
    "  if (file) { if (!fgets(line, sizeof line, file)) return; fclose(file); }\n"
    "  line[strcspn(line, \"\\n\")] = 0;\n"
    "  printf(\"%s: %s\\n\", strrchr(path, '/') ? strrchr(path, '/') : path, line);\n}\n"
    "int main(int count, char** words) {\n"
    "  char path[500];\n"
    "  put(\"written\", \"w\");\n"
    "  put(\"appended\", \"a\");\n"
    "  snprintf(path, sizeof path, \"%s/far\", words[1]);\n"
    "  put(path, \"a\");\n"
    "  printf(\"made: %d\\n\", mkdir(\"made\", 0700));\n"
    "  put(\"made/within\", \"w\");\n"
    "  put(\"never/within\", \"w\");\n"
    "  printf(\"may write: %d %d\\n\", access(words[1], W_OK), access(\"never\", W_OK));\n"
    "  return count == 2 ? 0 : 1;\n}\n";

void check_replay_elsewhere(const WorkingDirectory& here, const std::string& command) {
  namespace fs = std::filesystem;
  build_app(here, writing, "-g -O1 -pthread");
  fs::create_directories(here.path() / "there" / "far");
  const CommandResult real = here.shell(
      fmt::format("cd there && mkdir here && cd here && '{}' {} ../../run.orr ../../app {}",
                  ORRERY_BINARY, command, (here.path() / "there" / "far").string()));
  INFO(real.err);
  REQUIRE(real.status == 0);
  CHECK(real.out ==
        "written: of w\nappended: of a\n/far: of a\nmade: 0\n/within: of w\n/within: nothing\n"
        "may write: 0 -1\n");
  fs::remove_all(here.path() / "there");
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(again.out == real.out);
  CHECK_FALSE(fs::exists(here.path() / "there"));
}

}  // namespace

TEST_CASE("A replay finds the directories in which a real run wrote, wherever it is") {
  check_replay_elsewhere(WorkingDirectory(), "record --quiet -o");
}

TEST_CASE("A replay finds the directories in which a simulated run wrote, wherever it is") {
  check_replay_elsewhere(WorkingDirectory(), "run --quiet --record");
}
