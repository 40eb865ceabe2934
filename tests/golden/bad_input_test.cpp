// Bad input of every kind: status 2, one clear message that names the thing and says what to do,
// and nothing left behind.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

struct Case {
  const char* words;  ///< after `orrery`
  const char* names;  ///< the message must speak of this
  const char* hint;   ///< the hint must say this; empty: any
};

constexpr Case cases[] = {
    // commands
    {"", "no command is given", "orrery --help"},
    {"exlpore lost_update", "'exlpore'", "did you mean 'explore'?"},
    {"frobnicate", "'frobnicate'", "orrery --help"},
    {"--versoin", "'--versoin'", "did you mean '--version'?"},
    {"record -o x.orr ./app", "cannot be started", "is it there"},
    {"record -o x.orr --method wildcards mpirum ./app", "cannot be started", "is it installed"},
    // flags
    {"run --sead 3 lost_update", "'--sead'", "did you mean '--seed'?"},
    {"explore --runz=3 lost_update", "'--runz'", "did you mean '--runs'?"},
    {"explore --qqqqqqqq lost_update", "'--qqqqqqqq'", "orrery explore --help"},
    {"replay --timelin bug.orr", "'--timelin'", "did you mean '--timeline'?"},
    {"run --seed", "--seed", "orrery run --help"},
    {"run --seed 1 --seed 2 lost_update", "--seed", "orrery run --help"},
    {"run lost_update --seed 3", "'--seed'", "before PROGRAM"},
    {"run --step --until 5ms lost_update", "--until", "--step"},
    {"run --method choices lost_update", "--method", "--record"},
    // numbers
    {"run -n 0 ./app", "-n", "1"},
    {"run -n 1000000000 ./app", "-n", "100000"},
    {"run -n -1 ./app", "-n", ""},
    {"run -n four ./app", "'four'", ""},
    {"run --seed 18446744073709551616 lost_update", "--seed", ""},
    {"run --seed 1.5 lost_update", "'1.5'", ""},
    {"run --step-limit 0 lost_update", "--step-limit", ""},
    {"run --stack-size 1 lost_update", "--stack-size", ""},
    {"run --memory-limit 64M lost_update", "--memory-limit", "64MiB"},
    {"run --memory-limit MiB lost_update", "--memory-limit", "64MiB"},
    {"run --eager-threshold 5parsec lost_update", "--eager-threshold", ""},
    {"explore --runs 0 lost_update", "--runs", ""},
    {"explore --jobs 0 lost_update", "--jobs", ""},
    {"explore --jobs 100000 lost_update", "--jobs", ""},
    // durations
    {"run --window 20 lost_update", "'20'", "20us"},
    {"run --window -5us lost_update", "--window", ""},
    {"run --until 5parsecs lost_update", "--until", ""},
    {"explore --for 10 lost_update", "'10'", "10s"},
    {"explore --for 0 lost_update", "--for", "10s"},
    {"explore --for 1s --runs 5 lost_update", "--for", "--runs"},
    {"run --virtual-limit '' lost_update", "--virtual-limit", ""},
    // names
    {"run lost_updaet", "'lost_updaet'", "did you mean 'lost_update'?"},
    {"run lost_update:mendet", "'lost_update:mendet'", "did you mean 'lost_update:mended'?"},
    {"run zzzzzzzzzzzzzz", "'zzzzzzzzzzzzzz'", "orrery list scenarios"},
    {"run -n 4 lost_update", "lost_update", "leave it out"},
    {"explore --strategy randon lost_update", "'randon'", "did you mean 'random'?"},
    {"explore --strategy pct:dept=3 lost_update", "dept", "depth"},
    {"explore --strategy pct:depth=x lost_update", "depth", ""},
    {"run --platform constent lost_update", "'constent'", "constant"},
    {"run --platform constant:latncy=5us lost_update", "latncy", "latency"},
    {"run --platform constant:latency=5 lost_update", "'5'", "5us"},
    {"run --platform cluster.xml lost_update", "cluster.xml", "orrery list networks"},
    {"run --record x.orr --method strides lost_update", "'strides'", "stride"},
    {"run --record x.orr --method orders --faults loss wildcard_race", "when faults strike",
     "choices"},
    {"run --detect fastrack lost_update", "'fastrack'", "did you mean 'fasttrack'?"},
    {"explore --detect tsan lost_update", "'tsan'", "fasttrack"},
    {"replay --detect fast x.orr", "'fast'", "did you mean 'fasttrack'?"},
    {"list strategys", "'strategys'", "did you mean 'strategies'?"},
    {"list", "what to list", "orrery list --help"},
    // programs
    {"run", "PROGRAM", "orrery list scenarios"},
    {"run ./missing", "./missing", "path of a program"},
    {"run .", "directory", "orrery cc"},
    {"run ./plain.txt", "./plain.txt", "orrery cc"},
    {"run ./script", "./script", "orrery cc"},
    {"run /bin/true", "/bin/true", "orrery cc"},
    // placement
    {"run --map 0,1 --hostfile hosts.txt lost_update", "--map", "give one of them"},
    {"run --map block lost_update", "--map", "block:N"},
    {"run --map block:0 lost_update", "--map", "1"},
    {"run --map hots-1 --platform constant:4 lost_update", "'hots-1'", "did you mean 'host-1'?"},
    {"run --map 0,,1 lost_update", "there is no host ''", "host-0"},
    {"run --map 4 --platform constant:4 lost_update", "there is no host '4'", "0 to 3"},
    {"run --hostfile missing.txt lost_update", "missing.txt", "readable text file"},
    {"run --hostfile hosts.txt --platform constant:4 lost_update", "hosts.txt:2", "slots=N"},
    // files
    {"replay", "the log", "orrery replay --help"},
    {"replay a.orr b.orr", "'b.orr'", "alone"},
    {"replay missing.orr", "missing.orr", "is the path right"},
    {"replay plain.txt/x.orr", "plain.txt/x.orr", "is the path right"},
    {"replay empty.orr", "empty.orr", ""},
    {"replay plain.txt", "plain.txt", ""},
    {"replay .", "this is a directory", "path of a log"},
    {"show .", "this is a directory", "path of a log"},
    {"shrink .", "this is a directory", "path of a log"},
    {"replay /dev/null", "not a regular file", "path of a log"},
    {"replay --program ./app good.orr", "--program", "leave it out"},
    {"shrink missing.orr", "missing.orr", ""},
    {"shrink -o missing/x.orr good.orr", "missing", "make it"},
    {"show missing.orr", "missing.orr", ""},
    {"show --beside good.orr good.orr", "--beside", "--graph"},
    {"show --export crome good.orr", "--export", "chrome"},
    {"show -o out.json good.orr", "-o", "--export"},
    {"show --export chrome --timeline good.orr", "--export", "-o"},
    {"show --export otf2 good.orr", "--export", "-o"},
    {"show --export csv -o nowhere/x.csv good.orr", "nowhere", "make it"},
    {"explore -o missing/bug.orr lost_update", "missing", "make it"},
    {"explore -o . lost_update", "'.'", "name of a file"},
    {"explore --junit missing/x.xml lost_update", "missing", "make it"},
    {"explore --strategy replay:file=missing.orr lost_update", "missing.orr", ""},
    {"run --record missing/x.orr lost_update", "missing", "make it"},
    {"cc -static -o app app.c", "-static", "leave -static out"},
};

void prepare(const WorkingDirectory& here) {
  here.write("plain.txt", "Not a program, and not a log.\n");
  here.write("empty.orr", "");
  here.write("script", "#!/bin/sh\necho hello\n");
  here.write("hosts.txt", "host-0 slots=2\nhost-1 max=3\n");
  here.write("app.c", "int main(void) { return 0; }\n");
  REQUIRE(here.shell("chmod +x script").status == 0);
  REQUIRE(here.orrery("run --record good.orr lost_update:mended").status == 0);
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_CASE("Bad input gives status 2, a clear message, and leaves nothing behind") {
  STATIC_REQUIRE(std::size(cases) >= 40);
  const WorkingDirectory here;
  prepare(here);
  const auto files = here.files();
  for (const Case& one : cases) {
    INFO("orrery " << one.words);
    const CommandResult result = here.orrery(one.words);
    INFO("standard error:\n" << result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.rfind("orrery: ", 0) == 0);
    CHECK(count_lines(result.err) <= 2);
    CHECK(result.err.find(one.names) != std::string::npos);
    const std::size_t hint = result.err.find("\nhint: ");
    if (*one.hint != '\0') {
      REQUIRE(hint != std::string::npos);
      CHECK(result.err.find(one.hint, hint) != std::string::npos);
    }
    CHECK(here.files() == files);
  }
}

TEST_CASE("With --json a mistake is one object on standard output") {
  const WorkingDirectory here;
  const CommandResult result = here.orrery("run --json --window 20 lost_update");
  CHECK(result.status == 2);
  CHECK(result.err.empty());
  CHECK(result.out ==
        R"({
  "orrery": 1,
  "outcome": "error",
  "error": {
    "what": "the duration '20' has no unit",
    "where": "--window",
    "hint": "write 20ns, 20us, 20ms or 20s"
  }
}
)");
  CHECK(here.orrery("run --sead 3 --json lost_update").err.empty());
}

TEST_CASE("A log that is cut anywhere, or has a byte changed, is refused with its offset") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("run --record good.orr lost_update:mended").status == 0);
  const std::string good = here.read("good.orr");
  const std::size_t step = std::max<std::size_t>(good.size() / 12, 1);
  for (std::size_t size = 1; size < good.size(); size += step) {
    INFO("cut to " << size << " of " << good.size() << " bytes");
    here.write("cut.orr", good.substr(0, size));
    const CommandResult result = here.orrery("replay cut.orr");
    CHECK(result.status == 2);
    CHECK(result.err.find("cut.orr") != std::string::npos);
  }
  for (std::size_t at = 0; at < good.size(); at += step) {
    INFO("byte " << at << " of " << good.size());
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    here.write("bad.orr", bad);
    const CommandResult result = here.orrery("replay bad.orr");
    CHECK(result.status == 2);
    CHECK(result.err.find("bad.orr") != std::string::npos);
  }
}

TEST_CASE("A full disk leaves the old log as it was") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("run --record good.orr lost_update:mended").status == 0);
  const std::string good = here.read("good.orr");
  // A limit on the size of files stands for the disk.
  const CommandResult result =
      here.shell("(trap '' XFSZ; ulimit -f 0; '" ORRERY_BINARY
                 "' run --record good.orr lost_update:mended; echo status $?) 2>&1 | cat");
  INFO(result.out);
  CHECK(result.out.find("no finding") != std::string::npos);
  CHECK(result.out.find("orrery: good.orr") != std::string::npos);
  CHECK(result.out.find("status 2") != std::string::npos);
  CHECK(here.read("good.orr") == good);
  CHECK(here.files() == std::vector<std::string>{"good.orr"});
}

}  // namespace
