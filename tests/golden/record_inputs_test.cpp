// `orrery record`: what programs of a real job take in from outside is in the log, and a replay
// shows it to them again, on any platform.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "recorded_job.hpp"

namespace {

using orrery::BlockKind;
using orrery::test::build_with_mpicc;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::has_open_mpi;
using orrery::test::record;
using orrery::test::RecordedLog;
using orrery::test::WorkingDirectory;

/// In which order the launcher writes what several ranks print is nobody's choice.
std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

void build_with_mpicxx(const WorkingDirectory& here, const std::string& source) {
  here.write("app.cpp", source);
  const CommandResult built = here.shell("env -u OMPI_CXX mpicxx -O1 app.cpp -o app");
  INFO(built.out << built.err);
  REQUIRE(built.status == 0);
}

/// `ENVIRONMENT orrery record FLAGS -o app.orr mpirun LAUNCHING ./app < input`.
CommandResult record_with(const WorkingDirectory& here, const std::string& environment,
                          const std::string& launching, const std::string& flags = {}) {
  return here.shell("env " + environment + " timeout -k 5 60 " ORRERY_BINARY " record " + flags +
                    " -o app.orr mpirun --allow-run-as-root --oversubscribe " + launching +
                    " ./app < input");
}

std::size_t blocks_of(const RecordedLog& log, BlockKind kind) {
  return static_cast<std::size_t>(
      std::count_if(log.log.blocks.begin(), log.log.blocks.end(),
                    [kind](const auto& block) { return block.kind == kind; }));
}

constexpr const char* start =
    "#include <fcntl.h>\n#include <mpi.h>\n#include <signal.h>\n#include <stdio.h>\n#include "
    "<stdlib.h>\n"
    "#include <string.h>\n#include <sys/stat.h>\n#include <time.h>\n#include <unistd.h>\n";

// Looks at clocks of all kinds, and goes by what they say.
constexpr const char* reads_clocks = R"(
#include <mpi.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <ctime>

using Seconds = std::chrono::duration<double>;
static const double first =
    Seconds(std::chrono::system_clock::now().time_since_epoch()).count();

int main(int argc, char** argv) {
  const auto begin = std::chrono::steady_clock::now();
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  timeval day;
  timespec cpu, boot, tai, raw, until, of_c11;
  rusage used;
  gettimeofday(&day, nullptr);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  clock_gettime(CLOCK_BOOTTIME, &boot);
  clock_gettime(CLOCK_TAI, &tai);
  clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
  timespec_get(&of_c11, TIME_UTC);
  getrusage(RUSAGE_SELF, &used);
  std::printf("%d %.17g %ld.%06ld %ld.%09ld\n", rank, first, day.tv_sec, day.tv_usec, cpu.tv_sec,
              cpu.tv_nsec);
  std::printf("%d %ld.%09ld %ld.%09ld %ld.%09ld\n", rank, boot.tv_sec, boot.tv_nsec, tai.tv_sec,
              tai.tv_nsec, raw.tv_sec, raw.tv_nsec);
  std::printf("%d %ld.%09ld %ld.%06ld %ld %ld\n", rank, of_c11.tv_sec, of_c11.tv_nsec,
              used.ru_utime.tv_sec, used.ru_utime.tv_usec, long(std::time(nullptr)),
              long(std::clock()));
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 1000000;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, ++until.tv_sec;
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  usleep(1000);
  int tokens = 0, odd = 0;
  const double end = MPI_Wtime() + 0.002;
  double now = 0;
  long polls = 0;
  while ((now = MPI_Wtime()) < end) {
    ++polls;
    if (long(now * 1e9) % 2 != 0) ++odd;
  }
  // Whoever found an odd date first sends more messages.
  const int more = long(now * 1e9) % 5;
  int from = 0;
  MPI_Allreduce(&more, &tokens, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < more; ++i) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < tokens; ++i) {
    MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::printf("0 token of %d at %.17g\n", from, MPI_Wtime());
  }
  std::printf("%d %ld %d %.17g %.17g\n", rank, polls, odd, now,
              Seconds(std::chrono::steady_clock::now() - begin).count());
  MPI_Finalize();
  const auto late = std::chrono::high_resolution_clock::now().time_since_epoch();
  std::printf("%d %ld\n", rank, long(late.count()));
}
)";

// And everything else that a program may take in.
constexpr const char* reads_the_rest = R"(
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/random.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <thread>

static std::string line_of(const std::string& name) {
  std::ifstream in(name);
  std::string line;
  return std::getline(in, line) ? line : "nothing";
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, length;
  char name[MPI_MAX_PROCESSOR_NAME], host[256], text[100] = "nothing\n";
  unsigned words[2];
  unsigned short more[3];
  utsname system;
  struct stat status;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string mine = "out." + std::to_string(rank);
  const char* const own = std::getenv("OMPI_COMM_WORLD_RANK");
  const char* const colour = std::getenv("COLOUR");
  const char* const shape = std::getenv("SHAPE");
  MPI_Get_processor_name(name, &length);
  gethostname(host, sizeof host);
  uname(&system);
  std::printf("%d %s %s %s %s %s %s\n", rank, name, host, system.nodename, own ? own : "unset",
              colour ? colour : "unset", shape ? shape : "unset");
  const int device = open("/dev/urandom", O_RDONLY);
  if (getrandom(&words[0], 4, 0) != 4 || read(device, &words[1], 4) != 4) return 1;
  std::random_device random;
  std::FILE* const chance = std::fopen("/dev/urandom", "r");
  if (std::fread(more, 2, 3, chance) != 3) return 1;
  std::fclose(chance);
  std::ifstream stream("/dev/urandom");
  std::printf("%d %u %u %u %u %u %u %d\n", rank, words[0], words[1], random(), more[0], more[1],
              more[2], stream.get());
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  std::printf("%d process %d, %ld, %d, %u and %d processors\n", rank, getpid(),
              sysconf(_SC_NPROCESSORS_ONLN), get_nprocs(), std::thread::hardware_concurrency(),
              CPU_COUNT(&cores));
  std::signal(SIGUSR1, SIG_IGN);
  tms used;
  std::printf("%d %ld %ld %d\n", rank, long(times(&used)), long(used.tms_utime),
              kill(getpid(), SIGUSR1));
  std::string line;
  std::getline(std::cin, line);
  if (std::fgets(text, sizeof text, stdin) == nullptr) text[0] = '-', text[1] = '\n';
  std::printf("%d %s %s", rank, line.c_str(), text);
  const int is_missing = stat("absent.txt", &status);
  const int had_own = access(mine.c_str(), F_OK) == 0;
  std::ofstream(mine) << "written by " << rank << "\n";
  std::printf("%d %d %d %s\n", rank, is_missing, had_own, line_of(mine).c_str());
  if (rank == 0) {
    std::ofstream("log.txt", std::ios::app) << "a line\n";
    stat("log.txt", &status);
    std::printf("0 %s %s %ld\n", line_of("data.txt").c_str(), line_of("log.txt").c_str(),
                long(status.st_size));
    std::ofstream("data.txt") << "overwritten\n";
    mkdir("made", 0777);
    rename("data.txt", "made/data.txt");
    dirent** names;
    const int count = scandir("list", &names, nullptr, alphasort);
    for (int i = 0; i < count; ++i) std::printf("0 %s\n", names[i]->d_name);
    DIR* const many = opendir("many");
    std::string in_order = "0";
    while (const dirent* const entry = readdir(many)) {
      if (entry->d_name[0] != '.') in_order += std::string(" ") + entry->d_name;
    }
    std::printf("%s\n", in_order.c_str());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("%d %s %s\n", rank, line_of("made/data.txt").c_str(), line_of("data.txt").c_str());
  MPI_Finalize();
}
)";

}  // namespace

TEST_CASE("A replay of a real run sees the dates that the run saw") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicxx(here, reads_clocks);
  here.write("input", "");
  const CommandResult run = record_with(here, "-u NOTHING", "-n 3");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  for (const char* const machine : {"", "--platform myrinet-pcixd", "--platform ethernet-1g"}) {
    const CommandResult again = here.orrery(std::string("replay app.orr ") + machine);
    INFO(machine << again.out << again.err);
    CHECK(again.status == 0);
    CHECK(sorted_lines(again.out) == sorted_lines(run.out));
  }
  const CommandResult other =
      here.orrery("replay app.orr --record again.orr --method racing-messages-tight");
  INFO(other.err);
  REQUIRE(other.status == 0);
  const CommandResult again = here.orrery("replay again.orr --platform ethernet-1g");
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(sorted_lines(again.out) == sorted_lines(run.out));
}

TEST_CASE("A replay of a real run finds the files, the input and the chance that the run found") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicxx(here, reads_the_rest);
  here.write("data.txt", "then\n");
  here.write("input", "said\nagain\nand more\n");
  std::filesystem::create_directory(here.path() / "list");
  here.write("list/one", "");
  here.write("list/two", "");
  std::filesystem::create_directory(here.path() / "many");
  for (int i = 0; i < 9; ++i) here.write("many/" + std::to_string(i), "");
  const CommandResult run = record_with(here, "-u SHAPE COLOUR=red", "-n 2");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "0 said again\n"));
  CHECK(has(run.out, "1  -\n"));
  CHECK(has(run.out, "0 then a line 7\n"));
  CHECK(has(run.out, "1 overwritten nothing\n"));
  CHECK_FALSE(has(run.out, "process 5000000"));
  CHECK_FALSE(has(run.out, "process 5016384"));
  std::filesystem::remove_all(here.path() / "list");
  std::filesystem::remove_all(here.path() / "many");
  here.write("absent.txt", "now it is here\n");
  for (const char* const machine : {"", "--platform ethernet-1g"}) {
    const CommandResult again =
        here.shell(std::string("echo else | COLOUR=blue SHAPE=round " ORRERY_BINARY " replay "
                               "app.orr ") +
                   machine);
    INFO(machine << again.out << again.err);
    CHECK(again.status == 0);
    CHECK(sorted_lines(again.out) == sorted_lines(run.out));
  }
}

TEST_CASE("How much of a real run's inputs is kept can be said") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "int main(int argc, char** argv) {\n  char text[100] = \"\";\n"
                       "  MPI_Init(&argc, &argv);\n  FILE* file = fopen(\"key.txt\", \"r\");\n"
                       "  if (file == 0 || fgets(text, sizeof text, file) == 0) return 1;\n"
                       "  printf(\"%s %s\\n\", text, getenv(\"TOKEN\"));\n"
                       "  MPI_Finalize();\n  return 0;\n}\n");
  here.write("key.txt", "the secret");
  here.write("input", "");
  const auto kept = [&here](const std::string& flags) {
    const CommandResult run = record_with(here, "TOKEN=hidden", "-n 1", flags);
    INFO(run.out << run.err);
    REQUIRE(run.status == 0);
    CHECK(run.out == "the secret hidden\n");
  };
  const auto replayed = [&here](const std::string& environment) {
    return here.shell("env " + environment + " " ORRERY_BINARY " replay app.orr");
  };

  kept("");
  here.write("key.txt", "another one");
  CHECK(replayed("TOKEN=other").out == "the secret hidden\n");

  here.write("key.txt", "the secret");
  kept("--input hash");
  CHECK(replayed("TOKEN=other").status == 0);
  here.write("key.txt", "another one");
  const CommandResult changed = replayed("TOKEN=other");
  CHECK(changed.status == 1);
  CHECK(has(changed.err, "key.txt', which is no longer what it was"));

  here.write("key.txt", "the secret");
  kept("--input none");
  CHECK_FALSE(has(here.read("app.orr"), "the secret"));
  here.write("key.txt", "another one");
  CHECK(replayed("TOKEN=other").out == "another one hidden\n");

  here.write("key.txt", "the secret");
  kept("--redact 'key.*,TOK*'");
  CHECK(replayed("TOKEN=told").out == "the secret told\n");
  const CommandResult missing = replayed("-u TOKEN");
  CHECK(missing.status == 2);
  CHECK(has(missing.err, "the value of the variable 'TOKEN', which is not set"));
  std::filesystem::remove(here.path() / "key.txt");
  const CommandResult gone = replayed("TOKEN=told");
  CHECK(gone.status == 2);
  CHECK(has(gone.err, "key.txt', which is not here"));
  CHECK(here.files() == std::vector<std::string>{"app", "app.c", "app.orr", "input"});
}

TEST_CASE("Only what the program itself reads is kept") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  // MPI reads clocks, files and variables all the time while rank 1 waits.
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "int main(int argc, char** argv) {\n  int rank, in = 0;\n"
                       "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                       "  if (rank == 0) {\n    usleep(50000);\n"
                       "    MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n  } else {\n"
                       "    MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
                       "  }\n  MPI_Barrier(MPI_COMM_WORLD);\n  printf(\"done\\n\");\n"
                       "  MPI_Finalize();\n  return 0;\n}\n");
  here.write("input", "nobody reads this\n");
  const CommandResult run = record_with(here, "A=B", "-n 2");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  const RecordedLog log(here, "app.orr");
  CHECK(log.log.program.environment.empty());
  CHECK(blocks_of(log, BlockKind::inputs) == 0);
  CHECK(blocks_of(log, BlockKind::clock_reads) == 0);
}

TEST_CASE("Waiting for a date by looking at the clock again and again costs little room") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "int main(int argc, char** argv) {\n  long reads = 0;\n  double now = 0;\n"
                       "  MPI_Init(&argc, &argv);\n  const double begin = MPI_Wtime();\n"
                       "  while (reads < 2000000 || now < begin + 0.01) {\n"
                       "    const double next = MPI_Wtime();\n"
                       "    if (next <= now) printf(\"not later\\n\");\n    now = next;\n"
                       "    ++reads;\n  }\n"
                       "  printf(\"%ld %.17g\\n\", reads, now);\n"
                       "  MPI_Finalize();\n  return 0;\n}\n");
  here.write("input", "");
  const CommandResult run = record_with(here, "A=B", "-n 1");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  CHECK_FALSE(has(run.out, "not later"));
  const RecordedLog log(here, "app.orr");
  CHECK(blocks_of(log, BlockKind::clock_reads) == 1);
  CHECK(here.read("app.orr").size() < 1'000'000);  // half a byte for each at most
  const CommandResult again = here.orrery("replay app.orr");
  INFO(again.err);
  CHECK(again.out == run.out);
}

TEST_CASE("A rank that is killed has left what it has read until then") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "int main(int argc, char** argv) {\n  int rank;\n"
                       "  struct timespec date;\n  MPI_Init(&argc, &argv);\n"
                       "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                       "  for (int i = 0; i < 100; ++i) {\n"
                       "    clock_gettime(CLOCK_REALTIME, &date);\n"
                       "    printf(\"%d %ld.%09ld\\n\", i, (long)date.tv_sec, date.tv_nsec);\n  }\n"
                       "  fflush(stdout);\n  if (access(\"replayed\", F_OK) != 0) {\n"
                       "    usleep(200000);\n    kill(getpid(), 9);\n  }\n"
                       "  MPI_Finalize();\n  return 0;\n}\n");
  here.write("input", "");
  const CommandResult run = record_with(here, "A=B", "-n 1");
  INFO(run.out << run.err);
  REQUIRE(run.status == 1);
  const CommandResult again = here.orrery("replay app.orr");
  INFO(again.out << again.err);
  CHECK(has(again.out, "99 "));
  CHECK(has(run.out, again.out.substr(0, again.out.find("\n99 "))));
}

TEST_CASE("What threads besides the first read is not kept, and that is said") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app",
                   std::string(start) +
                       "#include <pthread.h>\n"
                       "static void* look(void* at) {\n  time((time_t*)at);\n  return 0;\n}\n"
                       "int main(int argc, char** argv) {\n  pthread_t thread;\n  time_t date;\n"
                       "  MPI_Init(&argc, &argv);\n  pthread_create(&thread, 0, look, &date);\n"
                       "  pthread_join(thread, 0);\n  MPI_Finalize();\n  return date < 9;\n}\n");
  here.write("input", "");
  const CommandResult run = record_with(here, "A=B", "-n 1");
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK(has(run.err, "threads besides the first read clocks"));
}

TEST_CASE("Another rank than the first may have the standard input of a real run") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(
      here, "app",
      std::string(start) +
          "int main(int argc, char** argv) {\n  int rank;\n  char text[20] = \"-\\n\";\n"
          "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
          "  if (read(0, text, 5) < 0) return 1;\n  printf(\"%d %s\", rank, text);\n"
          "  MPI_Finalize();\n  return 0;\n}\n");
  here.write("input", "said\nmore\n");
  // Not `--stdin all`, by which Open MPI 4.1 waits for ever.
  for (const char* const launching : {"--stdin 1 -n 2", "--stdin none -n 2"}) {
    const CommandResult run = record_with(here, "A=B", launching);
    INFO(launching << run.out << run.err);
    REQUIRE(run.status == 0);
    const CommandResult again = here.orrery("replay app.orr", "other\n");
    INFO(again.out << again.err);
    CHECK(sorted_lines(again.out) == sorted_lines(run.out));
  }
}

TEST_CASE("Ways to keep inputs that there are not are mistakes, before anything is started") {
  const WorkingDirectory here;
  const CommandResult run = here.orrery("record --input hsah -o app.orr touch started");
  CHECK(run.status == 2);
  CHECK(has(run.err, "'hsah' is no way to keep inputs"));
  CHECK(here.files().empty());
}
