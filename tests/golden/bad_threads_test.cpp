// Programs that a simulated machine cannot run, or that do what no program should: one clear
// answer each, with the name of what was wrong and of where.
#include <cstddef>
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

/// A program whose function `thread` does something bad on line 20, in a thread of its own.
std::string program(const std::string& statement) {
  return R"(#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
static void *thread(void *argument) {
)" + statement +
         R"(
  return argument;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, thread, NULL);
  pthread_join(other, NULL);
  puts("done");
  return 0;
}
)";
}

struct Refused {
  const char* statement;
  const char* name;  ///< the message begins with it
};

constexpr Refused refused[] = {
    {"if (fork() == 0) _exit(0);", "fork()"},
    {"if (vfork() == 0) _exit(0);", "vfork()"},
    {"execl(\"/bin/true\", \"true\", (char *)NULL);", "execl()"},
    {"char *words[] = {\"true\", NULL}; execv(\"/bin/true\", words);", "execv()"},
    {"char *words[] = {\"true\", NULL}; execvp(\"true\", words);", "execvp()"},
    {"pid_t id; char *words[] = {\"true\", NULL}; posix_spawnp(&id, \"true\", 0, 0, words, 0);",
     "posix_spawnp()"},
    {"if (system(\"true\")) return argument;", "system()"},
    {"FILE *pipe = popen(\"true\", \"r\"); if (pipe) pclose(pipe);", "popen()"},
    {"if (daemon(0, 0)) return argument;", "daemon()"},
    {"socket(AF_INET, SOCK_STREAM, 0);", "socket()"},
    {"accept(0, NULL, NULL);", "accept()"},
    {"signalfd(-1, 0, 0);", "signalfd()"},
    {"struct sembuf down = {0, -1, 0}; semop(0, &down, 1);", "semop()"},
    {"char text[16]; msgrcv(0, text, 8, 0, 0);", "msgrcv()"},
    {"char text[16]; mq_receive(0, text, 8, NULL);", "mq_receive()"},
    {"timer_t timer; timer_create(CLOCK_REALTIME, NULL, &timer);", "timer_create()"},
    {"syscall(SYS_clone, 0, 0, 0, 0, 0);", "syscall(SYS_clone)"},
    {"syscall(SYS_vfork);", "syscall(SYS_vfork)"},
    {"syscall(SYS_execve, \"/bin/true\", 0, 0);", "syscall(SYS_execve)"},
    {"syscall(SYS_epoll_wait, 0, 0, 1, -1);", "syscall(SYS_epoll_wait)"},
    {"extern int inotify_init(void); inotify_init();", "inotify_init()"},
    {"struct aiocb; extern int aio_read(struct aiocb *); aio_read(0);", "aio_read()"},
    {"extern long ptrace(int, ...); ptrace(0);", "ptrace()"},
    {"splice(0, NULL, 1, NULL, 1, 0);", "splice()"},
};

void build(const WorkingDirectory& here, const std::string& source,
           const std::string& flags = "-g -w") {
  build_app(here, source, flags + " -pthread");
}

TEST_CASE("A call that leaves the machine is refused by its name, at its line, with a way out") {
  const WorkingDirectory here;
  for (const Refused& one : refused) {
    INFO(one.statement);
    build(here, program(one.statement));
    const CommandResult result = here.orrery("run --json ./app");
    INFO(result.out << result.err);
    CHECK(result.status == 2);
    const json error = json::parse(result.out).at("error");
    CHECK(error["what"].get<std::string>().starts_with(one.name));
    CHECK(error["where"] == "app.c:20 in thread");
    CHECK_FALSE(error["hint"].get<std::string>().empty());
    CHECK(here.orrery("explore --runs 3 ./app").status == 2);
  }
}

struct Found {
  const char* statement;
  const char* kind;
  const char* message;
  int line;  ///< of the first place; 0: any
};

constexpr Found found[] = {
    {"volatile char frame[1 << 16]; frame[0] = 1; return (char *)thread(argument) + frame[0];",
     "crash", "stack overflow of thread#1: its stack has", 19},
    {"*(volatile int *)0 = 1;", "crash", "SIGSEGV", 20},
    {"abort();", "crash", "abort() was called", 20},
    {"exit(3);", "exit", "exits with status 3", 20},
    {"quick_exit(4);", "exit", "exits with status 4", 20},
    {"pthread_join(pthread_self(), NULL); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; "
     "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
     "deadlock", "nobody can go on", 20},
};

TEST_CASE("What a thread does wrong is a finding that names the thread and the line") {
  const WorkingDirectory here;
  for (const Found& one : found) {
    INFO(one.statement);
    build(here, program(one.statement));
    const CommandResult result = here.orrery("run --json ./app");
    INFO(result.out << result.err);
    CHECK(result.status == 1);
    const json finding = json::parse(result.out).at("findings").at(0);
    CHECK(finding["kind"] == one.kind);
    CHECK(has(finding["message"], one.message));
    CHECK(finding["where"].at(0)["task"] == "thread#1");
    CHECK(finding["where"].at(0)["line"] == one.line);
  }
}

TEST_CASE("A thread that spins without a call is stopped, with its place and a hint") {
  const WorkingDirectory here;
  build(here, program("static volatile int flag; while (!flag) {}"));
  const CommandResult result = here.orrery("run --wall-limit 1s ./app");
  INFO(result.err);
  CHECK(result.status == 3);
  CHECK(has(result.err, "thread#1 ran on without an operation that others could see"));
  CHECK(has(result.err, "app.c:20 in thread"));
  CHECK(has(result.err, "--preempt all"));
  const CommandResult search = here.orrery("explore --runs 2 --wall-limit 1s ./app");
  INFO(search.out);
  CHECK(search.status == 3);
  CHECK(has(search.out, "2 runs stopped at the limit on real time"));
  CHECK(has(search.out, "thread#1 ran on without an operation that others could see"));
  CHECK(has(search.out, "app.c:20 in thread"));
}

TEST_CASE("Ordinary things that look odd just work") {
  const WorkingDirectory here;
  build(here, program("return argument;"));
  CHECK(here.shell("LD_PRELOAD=libm.so.6 '" ORRERY_BINARY "' run ./app").status == 0);
  CHECK(here.shell("'" ORRERY_BINARY "' run ./app 2>&-").status == 0);
  REQUIRE(here.shell("strip app").status == 0);
  CHECK(here.orrery("run ./app").out == "done\n");
}

TEST_CASE("A file of another kind of machine is refused") {
  const WorkingDirectory here;
  build(here, program("return argument;"));
  // The class of the file: 1 is one of 32 bits.
  REQUIRE(here.shell("printf '\\001' | dd of=app bs=1 seek=4 conv=notrunc 2>/dev/null").status ==
          0);
  const CommandResult result = here.orrery("run ./app");
  INFO(result.err);
  CHECK(result.status == 2);
  CHECK(has(result.err, "./app: "));
}

}  // namespace
