// `orrery record`: what a program learns of its files and of its machine is what it learns in the
// replay, be it of files that it has made itself.
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "plain_program.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

const std::string start = R"(
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>
static void show(const char* what, int error, const struct stat& s) {
  if (error != 0) { std::printf("%s: error %d\n", what, errno); return; }
  std::printf("%s: device %lu node %lu mode %o links %lu size %ld blocks %ld dates %ld.%09ld "
              "%ld.%09ld %ld.%09ld\n", what, (unsigned long)s.st_dev, (unsigned long)s.st_ino,
              s.st_mode, (unsigned long)s.st_nlink, (long)s.st_size, (long)s.st_blocks,
              s.st_atim.tv_sec, s.st_atim.tv_nsec, s.st_mtim.tv_sec, s.st_mtim.tv_nsec,
              s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
}
)";

const std::string asks_for_files = start + R"(
static void use_files() {
  struct stat s;
  struct statx x;
  std::ofstream("made.txt") << "some text\n";
  show("made", stat("made.txt", &s), s);
  show("at", fstatat(AT_FDCWD, "made.txt", &s, 0), s);
  const int file = open("made.txt", O_RDWR);
  show("open", fstat(file, &s), s);
  mkdir("place", 0750);
  rename("made.txt", "place/moved.txt");
  show("moved", lstat("place/moved.txt", &s), s);
  show("place", stat("place", &s), s);
  std::printf("link: %d\n", link("place/moved.txt", "place/again.txt"));
  show("linked", stat("place/again.txt", &s), s);
  const timespec dates[2] = {{5, 6}, {7, 8}};
  utimensat(AT_FDCWD, "place/moved.txt", dates, 0);
  show("dated", fstat(file, &s), s);
  futimens(file, nullptr);
  show("touched", fstat(file, &s), s);
  show("none", stat("nothing.txt", &s), s);
  int error = statx(AT_FDCWD, "place/moved.txt", 0, STATX_ALL, &x);
  std::printf("statx %d %x %lu %ld.%09u\n", error, x.stx_mask, (unsigned long)x.stx_ino,
              (long)x.stx_btime.tv_sec, x.stx_btime.tv_nsec);
  error = (int)syscall(SYS_statx, AT_FDCWD, "place", 0, STATX_ALL, &x);
  std::printf("statx %d %lu\n", error, (unsigned long)x.stx_ino);
  std::FILE* const more = std::fopen("place/moved.txt", "a");
  std::printf("%ld in %d\n", std::ftell(more), fileno(more));
  std::fclose(more);
  for (const char* name : {"w", "b", "z", "c", "y", "a"})
    std::ofstream(std::string("place/") + name) << name;
  DIR* const directory = opendir("place");
  while (const dirent* entry = readdir(directory))
    std::printf("%s %lu %d %ld\n", entry->d_name, (unsigned long)entry->d_ino, entry->d_type,
                telldir(directory));
  closedir(directory);
  dirent** list = nullptr;
  const int count = scandir("place", &list, nullptr, nullptr);
  for (int i = 0; i < count; ++i) std::printf("%s ", list[i]->d_name);
  std::printf("\n");
  for (const auto& one : std::filesystem::recursive_directory_iterator("."))
    std::printf("%s %ld\n", one.path().c_str(),
                (long)one.last_write_time().time_since_epoch().count());
  std::error_code no_error;
  std::filesystem::copy_file("place/a", "place/copy", no_error);
  std::printf("%d, %lu bytes\n", no_error.value(), (unsigned long)std::filesystem::file_size("place/copy"));
  char first[] = "newXXXXXX", second[] = "newXXXXXX.txt", third[] = "dirXXXXXX", fourth[] = "nXXXXXX";
  std::printf("%d %s", mkstemp(first), first);
  std::printf(" %d %s %s %s %s\n", mkstemps(second, 4), second, mkdtemp(third), mktemp(fourth),
              std::tmpnam(nullptr));
  show("new", stat(first, &s), s);
  std::printf("%ld\n", (long)std::filesystem::space(".").free);
}
int main() {
  std::thread(use_files).join();
  struct stat s;
  show("made by another", stat("place/again.txt", &s), s);
}
)";

const std::string asks_for_the_machine = start + R"(
int main(int, char** argv) {
  std::thread([] {}).join();
  for (volatile int i = 0; i < 10000000; i = i + 1) {}
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  std::printf("%ld.%06ld %ld.%06ld %ld %ld %ld\n", used.ru_utime.tv_sec, used.ru_utime.tv_usec,
              used.ru_stime.tv_sec, used.ru_stime.tv_usec, used.ru_maxrss, used.ru_minflt,
              used.ru_nvcsw);
  struct sysinfo machine;
  sysinfo(&machine);
  std::printf("%ld %lu %lu %d\n", machine.uptime, machine.loads[0], machine.freeram, machine.procs);
  double loads[3];
  getloadavg(loads, 3);
  unsigned core, node;
  getcpu(&core, &node);
  std::printf("%f %u %u\n", loads[0], core, node);
  utsname system;
  uname(&system);
  std::printf("%s %s\n", system.release, system.version);
  uname(&system);
  cpu_set_t cores;
  std::printf("%ld", syscall(SYS_sched_getaffinity, 0, sizeof cores, &cores));
  sched_getaffinity(0, sizeof cores, &cores);
  for (int i = 0; i < 16; ++i) std::printf(" %d", CPU_ISSET(i, &cores) ? 1 : 0);
  std::printf("\n%ld %ld %ld\n", sysconf(_SC_PHYS_PAGES), sysconf(_SC_AVPHYS_PAGES),
              sysconf(_SC_OPEN_MAX));
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  std::printf("%lu\n", (unsigned long)limit.rlim_cur);
  clockid_t clock;
  pthread_getcpuclockid(pthread_self(), &clock);
  timespec date;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &date);
  std::printf("%d %ld.%09ld\n", clock, date.tv_sec, date.tv_nsec);
  std::printf("%d %d %d\n", getppid(), getpgrp(), getsid(0));
  const auto* chance = (const unsigned char*)getauxval(AT_RANDOM);
  for (int i = 0; i < 16; ++i) std::printf("%d ", chance[i]);
  int ends[2], waiting = -1;
  if (pipe(ends) != 0 || write(ends[1], "abc", 3) != 3) return 1;
  ioctl(ends[0], FIONREAD, &waiting);
  std::printf("\n%d %d %d\n", isatty(1), waiting, fcntl(ends[1], F_GETPIPE_SZ));
  for (int i = 0; i < 2; ++i) {
    std::string line;
    for (const char* name : {"/proc/self/stat", "/proc/self/status", "/proc/uptime"}) {
      std::ifstream in(name);
      while (std::getline(in, line)) std::printf("%s\n", line.c_str());
    }
  }
  char path[4096] = "";
  std::printf("%ld %s %s %s\n", (long)readlink("/proc/self/cwd", path, sizeof path - 1), path,
              argv[0], program_invocation_name);
}
)";

/// The replays write what the recorded run has written.
void check_same(const WorkingDirectory& here, const std::string& flags) {
  const CommandResult run = here.orrery(fmt::format("record --quiet {} -o run.orr ./app", flags));
  INFO(run.err);
  REQUIRE(run.status == 0);
  // Whatever has become of all that since.
  REQUIRE(
      here.shell("rm -rf made.txt place new* dir* && mkdir place && touch place/other").status ==
      0);
  for (const char* const machine : {"", "--seed 8 --window 30us", "--window inf"}) {
    CAPTURE(machine);
    const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == run.out);
  }
  std::filesystem::remove_all(here.path() / "place");
}

}  // namespace

TEST_CASE("What the program has learned of files is what it learns in the replay") {
  const WorkingDirectory here;
  build_plainly(here, "g++", asks_for_files);
  check_same(here, "--method lamport-order");
  check_same(here, "--method instant-replay");
  build_hooked(here, asks_for_files);
  for (const char* const method : {"lamport-order", "stride", "leap", "global-writes"}) {
    CAPTURE(method);
    check_same(here, fmt::format("--method {}", method));
  }
}

TEST_CASE("What the program has learned of its machine is what it learns in the replay") {
  const WorkingDirectory here;
  build_plainly(here, "g++", asks_for_the_machine);
  check_same(here, "--method lamport-order");
  build_hooked(here, asks_for_the_machine);
  check_same(here, "--method stride");
}

TEST_CASE("A log without the contents of files has none of names in directories either") {
  const WorkingDirectory here;
  build_plainly(here, "g++", R"(
#include <cstdio>
#include <filesystem>
#include <thread>
#include <sys/stat.h>
int main() {
  std::thread([] {}).join();
  for (const auto& one : std::filesystem::directory_iterator("place"))
    std::printf("%s\n", one.path().c_str());
  struct stat status;
  stat("place/secret-name", &status);
  std::printf("%lu %ld\n", (unsigned long)status.st_ino, (long)status.st_ctim.tv_nsec);
}
)");
  REQUIRE(here.shell("mkdir place && touch place/secret-name").status == 0);
  for (const char* const flags : {"--input none", "--redact '*word*'"}) {
    CAPTURE(flags);
    const CommandResult run = here.orrery(fmt::format("record --quiet {} -o run.orr ./app", flags));
    INFO(run.err);
    REQUIRE(run.status == 0);
    const CommandResult again = here.orrery("replay run.orr");
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == run.out);
  }
}

TEST_CASE("A replay can be recorded anew with what the program has learned") {
  const WorkingDirectory here;
  build_plainly(here, "g++", asks_for_files);
  const CommandResult run = here.orrery("record --quiet -o run.orr ./app");
  REQUIRE(run.status == 0);
  REQUIRE(here.orrery("replay run.orr --record again.orr --method choices").status == 0);
  const CommandResult again = here.orrery("replay again.orr");
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(again.out == run.out);
}

TEST_CASE("A simulated program finds the same machine and file system everywhere") {
  const WorkingDirectory here;
  build_hooked(here, asks_for_files);
  const CommandResult run = here.orrery("run --quiet ./app");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(has(run.out, "link: 0\n"));
  CHECK(has(run.out, "statx 0 "));
  CHECK(has(run.out, "10 in 4\n"));
  CHECK(here.orrery("run --quiet ./app").out == run.out);
  build_hooked(here, start + R"(
int main() {
  struct sysinfo machine;
  sysinfo(&machine);
  std::printf("%lu %d %d\n", machine.freeram, machine.procs,
              *(const unsigned char*)getauxval(AT_RANDOM));
}
)");
  CHECK(here.orrery("run --quiet ./app").out == here.orrery("run --quiet ./app").out);
}
