// Real programs that make calls whose results no log holds: recorded with a word of warning.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

std::string program(const std::string& statements) {
  return "#define _GNU_SOURCE\n"
         "#include <fcntl.h>\n#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n"
         "#include <sys/inotify.h>\n#include <sys/signalfd.h>\n#include <sys/socket.h>\n"
         "#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n"
         "static void* work(void* argument) {\n"
         "  int ends[4];\n  char text[4];\n"
         "  if (pipe(ends) != 0 || pipe(ends + 2) != 0) return argument;\n  " +
         statements +
         "\n  return argument;\n}\n"
         "int main(void) {\n  pthread_t thread;\n"
         "  pthread_create(&thread, 0, work, 0);\n  pthread_join(thread, 0);\n"
         "  puts(\"done\");\n  return 0;\n}\n";
}

constexpr const char* ends_there =
    ": what comes of that is not in the log, and a replay ends there";

}  // namespace

TEST_CASE("Recording names the calls whose results no log holds, and a replay ends at the first") {
  struct Case {
    std::string statements;
    std::string named;    // by the recording
    std::string refused;  // by the replay
  };
  const Case cases[] = {
      {"write(ends[1], \"abc\", 3); splice(ends[0], 0, ends[3], 0, 3, 0); read(ends[2], text, 3);",
       "splice", "splice()"},
      {"close(socket(AF_INET, SOCK_STREAM, 0));", "socket", "socket()"},
      {"sigset_t none; sigemptyset(&none); signalfd(-1, &none, 0); inotify_init1(0);",
       "signalfd, inotify_init1", "signalfd()"},
      {"timer_t timer; timer_create(CLOCK_REALTIME, 0, &timer);", "timer_create", "timer_create()"},
      {"syscall(SYS_epoll_wait, -1, 0, 1, 0);", "syscall", "syscall(SYS_epoll_wait)"},
      {"syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);", "socket", "syscall(SYS_socket)"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.statements);
    const WorkingDirectory here;
    build_app(here, program(one.statements), "-g -O1 -w -pthread");
    const CommandResult real = here.orrery("record -o run.orr ./app");
    INFO(real.err);
    CHECK(real.status == 0);
    CHECK(real.out == "done\n");
    CHECK(has(real.err, "the program calls " + one.named + ends_there));
    const CommandResult again = here.orrery("replay run.orr");
    INFO(again.err);
    CHECK(again.status == 2);
    CHECK(has(again.err, one.refused));
  }
}

TEST_CASE("Calls that the log holds are not among those that it does not") {
  const WorkingDirectory here;
  build_plainly(
      here, "gcc",
      program("unsigned core; syscall(SYS_getcpu, &core, 0, 0); syscall(SYS_gettid);"
              "syscall(SYS_madvise, 0, 0, 0); socketpair(AF_UNIX, SOCK_STREAM, 0, ends);"));
  const CommandResult real = here.orrery("record --json -o run.orr ./app");
  CHECK(real.status == 0);
  INFO(real.out << real.err);
  CHECK_FALSE(has(real.out, "the program calls"));
  CHECK_FALSE(has(real.err, "the program calls"));
  CHECK(here.orrery("replay run.orr").status == 0);
}
