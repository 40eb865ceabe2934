// What real threads learned of their numbers: the system gives these out to others meanwhile.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

const std::string curious =
    "#include <csignal>\n#include <cstdio>\n#include <pthread.h>\n#include <semaphore.h>\n"
    "#include <sys/syscall.h>\n#include <unistd.h>\n"
    "static long numbers[3], bare[3], got[3];\nstatic sem_t ready, done;\n"
    "static void* work(void* argument) {\n  const long own = (long)argument;\n"
    "  numbers[own] = gettid();\n  bare[own] = syscall(SYS_gettid);\n  sem_post(&ready);\n"
    "  sigset_t set;\n  sigemptyset(&set);\n  sigaddset(&set, SIGUSR1);\n  int signal = 0;\n"
    "  sigwait(&set, &signal);\n  got[own] = signal;\n  sem_post(&done);\n  return nullptr;\n}\n"
    "int main() {\n  sem_init(&ready, 0, 0);\n  sem_init(&done, 0, 0);\n"
    "  sigset_t set;\n  sigemptyset(&set);\n  sigaddset(&set, SIGUSR1);\n"
    "  pthread_sigmask(SIG_BLOCK, &set, nullptr);\n  pthread_t all[3];\n"
    "  for (long i = 0; i < 3; ++i) {\n    usleep(20000);\n"
    "    pthread_create(&all[i], nullptr, work, (void*)i);\n    sem_wait(&ready);\n  }\n"
    "  for (int i = 0; i < 3; ++i) {\n    if (tgkill(getpid(), numbers[i], SIGUSR1) != 0) return "
    "2;\n"
    "    sem_wait(&done);\n  }\n"
    "  for (const auto one : all) pthread_join(one, nullptr);\n"
    "  std::printf(\"%ld %d\\n\", syscall(SYS_getpid), gettid());\n"
    "  for (int i = 0; i < 3; ++i) std::printf(\"%ld %ld %ld\\n\", numbers[i], bare[i], got[i]);\n"
    "}\n";

}  // namespace

TEST_CASE("Numbers that the system gave to real threads are theirs in a replay") {
  const WorkingDirectory here;
  build_hooked(here, curious);
  CHECK(here.orrery("run ./app").out ==
        "5000000 5000000\n5000001 5000001 10\n5000002 5000002 10\n5000003 5000003 10\n");
  for (const char* const method :
       {"leap", "stride", "global-writes", "lamport-order", "instant-replay"}) {
    CAPTURE(method);
    const CommandResult real = here.shell(
        fmt::format("(while :; do /bin/true; done) & others=$!; '" ORRERY_BINARY
                    "' record --method {} -o run.orr ./app; status=$?; kill $others; exit $status",
                    method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    const CommandResult again = here.orrery("replay --seed 7 run.orr");
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == real.out);
  }
}
