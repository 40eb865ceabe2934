// The files of programs that `orrery cc` built: what they read is recorded, what they write is
// gone.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void build(const WorkingDirectory& here, const std::string& source,
           const std::string& language = "c") {
  build_app(here, source, "-g -O1", language);
}

constexpr const char* copies_words = R"(#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char word[100];
  FILE *in = fopen("in.txt", "r"), *out = fopen("out.txt", "w");
  if (in == NULL) {
    printf("no input\n");
    return 0;
  }
  while (fscanf(in, "%99s", word) == 1) fprintf(out, "<%s>", word);
  fclose(out);
  out = fopen("out.txt", "r");
  if (fgets(word, sizeof word, out) != NULL) printf("%s %s\n", word, getenv("COLOUR"));
  if (getenv("FAILS") != NULL) abort();
  return 0;
}
)";

TEST_CASE(
    "What a program writes is there for its run, and the files of the system stay as they are") {
  const WorkingDirectory here;
  build(here, R"(#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static void list(const char *path) {
  DIR *directory = opendir(path);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (entry->d_name[0] != '.') printf("%s ", entry->d_name);
  printf("\n");
  closedir(directory);
}
int main(void) {
  char text[100] = "";
  struct stat status;
  int file = open("kept.txt", O_RDWR | O_APPEND);
  assert(file == 3 && write(file, "more\n", 5) == 5);
  assert(lseek(file, 0, SEEK_SET) == 0 && read(file, text, 99) == 10);
  printf("%s", text);
  assert(close(file) == 0 && close(file) == -1 && errno == EBADF);
  assert(unlink("gone.txt") == 0 && access("gone.txt", F_OK) == -1 && errno == ENOENT);
  assert(mkdir("made", 0700) == 0 && mkdir("made", 0700) == -1 && errno == EEXIST);
  assert((file = open("made/new.txt", O_CREAT | O_EXCL | O_WRONLY, 0640)) == 3);
  assert(dup2(file, 7) == 7 && write(7, "12345", 5) == 5 && ftruncate(file, 3) == 0);
  assert(rename("made/new.txt", "made/other.txt") == 0);
  assert(stat("made/other.txt", &status) == 0 && status.st_size == 3 && S_ISREG(status.st_mode));
  assert(rmdir("made") == -1 && errno == ENOTEMPTY);
  list(".");
  assert(chdir("made") == 0);
  list(".");
  assert(remove("other.txt") == 0 && chdir("..") == 0 && rmdir("made") == 0);
  assert(open("absent/x", O_CREAT | O_WRONLY, 0600) == -1 && errno == ENOENT);
  FILE *stream = fopen("kept.txt", "r+");
  assert(fileno(stream) == 4 && fseek(stream, 0, SEEK_END) == 0 && ftell(stream) == 10);
  assert(fputs("end\n", stream) >= 0);
  rewind(stream);
  while (fgets(text, sizeof text, stream) != NULL) printf("%s", text);
  FILE *temporary = tmpfile();
  assert(fprintf(temporary, "%d", 42) == 2 && fflush(temporary) == 0);
  freopen("log.txt", "w", stdout);
  printf("into the log\n");
  fflush(stdout);
  file = open("log.txt", O_RDONLY);
  memset(text, 0, sizeof text);
  assert(read(file, text, 99) == 13);
  fprintf(stderr, "%s", text);
  return 0;
}
)");
  here.write("kept.txt", "kept\n");
  here.write("gone.txt", "");
  const auto before = here.files();
  for (const std::string flags : {"", "--seed 2 "}) {
    const CommandResult result = here.orrery("run --quiet " + flags + "./app");
    INFO(result.out << result.err);
    CHECK(result.status == 0);
    CHECK(result.out == "kept\nmore\napp app.c kept.txt made \nother.txt \nkept\nmore\nend\n");
    CHECK(result.err == "into the log\n");
    CHECK(here.files() == before);
    CHECK(here.read("kept.txt") == "kept\n");
  }
  CHECK(here.orrery("explore --runs 20 --check-determinism ./app").status == 0);
}

TEST_CASE("C++ streams and directories go the same way") {
  const WorkingDirectory here;
  build(here, R"(#include <cassert>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
namespace fs = std::filesystem;
int main() {
  std::ifstream in("in.txt");
  std::string line, word;
  std::getline(in, line);
  std::ofstream("deep.txt") << line << '!';
  fs::create_directories("a/b/c");
  fs::copy_file("deep.txt", "a/b/c/copy.txt");
  fs::rename("deep.txt", "a/moved.txt");
  assert(!fs::exists("deep.txt") && fs::file_size("a/b/c/copy.txt") == line.size() + 1);
  for (const auto &entry : fs::recursive_directory_iterator("a")) std::cout << entry.path().string() << ' ';
  while (std::cin >> word) std::cout << '<' << word << '>';
  std::cout << fs::remove_all("a") << fs::exists("a") << '\n';
}
)",
        "cpp");
  here.write("in.txt", "first line\nsecond\n");
  const CommandResult result = here.orrery("run --quiet ./app", "one two\nthree");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "a/b a/b/c a/b/c/copy.txt a/moved.txt <one><two><three>50\n");
  CHECK(here.files() == std::vector<std::string>{"app", "app.cpp", "in.txt"});
}

TEST_CASE("A replay needs neither the files nor the variables that the program read") {
  const WorkingDirectory here;
  build(here, copies_words);
  here.write("in.txt", "a bc");
  const CommandResult recorded =
      here.shell("COLOUR=red '" ORRERY_BINARY "' run --record r.orr ./app");
  CHECK(recorded.out == "<a><bc> red\n");
  here.write("in.txt", "other words");
  CHECK(here.orrery("replay r.orr").out == "<a><bc> red\n");
  REQUIRE(here.shell("rm in.txt").status == 0);
  CHECK(here.orrery("replay r.orr").out == "<a><bc> red\n");
  CHECK(here.orrery("run ./app").out == "no input\n");
  REQUIRE(here.shell("mkdir sub").status == 0);
  CHECK(here.shell("cd sub && '" ORRERY_BINARY "' replay ../r.orr").out == "<a><bc> red\n");
  CHECK_FALSE(has(here.files().back(), "out.txt"));
}

TEST_CASE("A log with hashes notices a file that has changed, and one without content needs it") {
  const WorkingDirectory here;
  build(here, copies_words);
  here.write("in.txt", "a bc");
  REQUIRE(here.orrery("run --input=hash --record h.orr ./app").status == 0);
  REQUIRE(here.orrery("run --input=none --record n.orr ./app").status == 0);
  CHECK(here.orrery("replay h.orr").status == 0);
  here.write("in.txt", "a bd");
  const CommandResult changed = here.orrery("replay --json h.orr");
  CHECK(changed.status == 1);
  const json finding = json::parse(changed.out)["findings"].at(0);
  CHECK(finding["kind"] == "divergence");
  CHECK(has(finding["message"], "in.txt"));
  CHECK(here.orrery("replay n.orr").status == 0);
  REQUIRE(here.shell("rm in.txt").status == 0);
  const CommandResult missing = here.orrery("replay n.orr");
  CHECK(missing.status == 2);
  CHECK(has(missing.err, "in.txt"));
  CHECK(here.orrery("run --input=some ./app").status == 2);
}

TEST_CASE("What is redacted is not in the log, and must be there for a replay") {
  const WorkingDirectory here;
  build(here, copies_words);
  here.write("in.txt", "secretword");
  const std::string command = "'" ORRERY_BINARY "' run --redact '*.txt,COL*' --record s.orr ./app";
  CHECK(here.shell("COLOUR=secretcolour " + command).out == "<secretword> secretcolour\n");
  CHECK(here.shell("grep -c secret s.orr").out == "0\n");
  const CommandResult unset = here.orrery("replay s.orr");
  CHECK(unset.status == 2);
  CHECK(has(unset.err, "COLOUR"));
  CHECK(here.shell("COLOUR=blue '" ORRERY_BINARY "' replay s.orr").out == "<secretword> blue\n");
}

TEST_CASE("The log of a search's finding has the inputs too, and a small run keeps them") {
  const WorkingDirectory here;
  build(here, copies_words);
  here.write("in.txt", "x y");
  CHECK(here.shell("FAILS=1 COLOUR=green '" ORRERY_BINARY "' explore --runs 5 ./app").status == 1);
  REQUIRE(here.shell("rm in.txt").status == 0);
  const CommandResult replayed = here.orrery("replay app.orr");
  CHECK(replayed.status == 1);
  CHECK(replayed.out == "<x><y> green\n");
  CHECK(here.orrery("shrink app.orr").status == 1);
  CHECK(here.orrery("replay app-small.orr").out == "<x><y> green\n");
}

TEST_CASE("Standard input is recorded as far as it was read") {
  const WorkingDirectory here;
  build(here, R"(#include <stdio.h>
int main(void) {
  int sum = 0, one;
  while (scanf("%d", &one) == 1) sum += one;
  printf("%d\n", sum);
  return 0;
}
)");
  CHECK(here.orrery("run --record i.orr ./app", "1 2 3").out == "6\n");
  CHECK(here.orrery("replay i.orr", "50").out == "6\n");
  const json many = json::parse(here.orrery("explore --json --runs 5 ./app", "4 5").out);
  CHECK(many["output"] == "9\n");
}

TEST_CASE("The standard input goes to the first rank, or to whom --stdin-to says, in replays too") {
  const WorkingDirectory here;
  build(here, R"(#include <stdio.h>
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, one = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < rank; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (scanf("%d", &one) != 1) one = -1;
  printf("%d: %d\n", rank, one);
  for (int i = rank; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
)");
  struct Case {
    const char* flag;
    const char* output;
  };
  for (const Case& one :
       {Case{"", "0: 7\n1: -1\n2: -1\n"}, Case{"--stdin-to 1", "0: -1\n1: 7\n2: -1\n"},
        Case{"--stdin-to all", "0: 7\n1: 7\n2: 7\n"},
        Case{"--stdin-to none", "0: -1\n1: -1\n2: -1\n"}}) {
    CAPTURE(one.flag);
    CHECK(here.orrery(std::string("run -n 3 --record i.orr ") + one.flag + " ./app", "7").out ==
          one.output);
    CHECK(here.orrery("replay i.orr", "9").out == one.output);
  }
  CHECK(here.orrery("run -n 3 --record i.orr --stdin-to 2 ./app", "").status == 0);
  CHECK(here.orrery("replay i.orr", "9").out == "0: -1\n1: -1\n2: -1\n");
  const CommandResult scenario = here.orrery("run --stdin-to 0 lost_wakeup");
  CHECK(scenario.status == 2);
  CHECK(has(scenario.err, "a built-in scenario reads no standard input"));
}

TEST_CASE("--keep-files keeps what the program wrote") {
  const WorkingDirectory here;
  build(here, copies_words);
  here.write("in.txt", "q");
  REQUIRE(here.orrery("run --keep-files kept --record k.orr ./app").status == 0);
  CHECK(here.read("kept/out.txt") == "<q>");
  CHECK(here.orrery("replay --keep-files again k.orr").status == 0);
  CHECK(here.read("again/out.txt") == "<q>");
  CHECK(here.orrery("run --keep-files app.c/x ./app").status == 2);
}

TEST_CASE("Chance is drawn from the run, and a replay draws the same") {
  const WorkingDirectory here;
  build(here, R"(#include <cstdio>
#include <fcntl.h>
#include <random>
#include <sys/random.h>
#include <unistd.h>
int main() {
  unsigned words[3] = {};
  int device = open("/dev/urandom", O_RDONLY);
  if (getrandom(&words[0], 4, 0) != 4 || getentropy(&words[1], 4) != 0) return 1;
  if (read(device, &words[2], 4) != 4) return 2;
  std::random_device random;
  std::printf("%08x %08x %08x %08x\n", words[0], words[1], words[2], random());
}
)",
        "cpp");
  const std::string first = here.orrery("run --record c.orr ./app").out;
  CHECK(first.size() == 36);
  CHECK(here.orrery("run ./app").out == first);
  CHECK(here.orrery("run --seed 1 ./app").out != first);
  CHECK(here.orrery("replay --seed 1 c.orr").out == first);
}

}  // namespace
