// What a real thread leaves of its operations, killed between any two of its instructions.
#include "../../replay_core/src/real_runs/recorded_threads.hpp"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/replay_core/memory_spool.hpp>
#include <orrery/replay_core/thread_spool.hpp>

#include "../../replay_core/src/real_runs/recorded_memory.hpp"
#include "program_builder.hpp"

namespace {

using orrery::AccessRecords;
using orrery::LamportRecords;
using orrery::RankReadings;
using orrery::RecordedJob;
using orrery::RecordedThread;
using orrery::test::build_program;
using orrery::test::TemporaryDirectory;

// Between its two breakpoints the first thread does operations of all kinds of its own, and looks
// again and again at what does not change.
const std::string program_text =
    "#include <pthread.h>\n#include <semaphore.h>\n#include <time.h>\n#include <unistd.h>\n"
    "static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;\n"
    "static pthread_rwlock_t readable = PTHREAD_RWLOCK_INITIALIZER;\n"
    "static sem_t has_it, empty;\n"
    "static _Atomic int flag;\n"
    "static volatile long words[6];\n"
    "static void* hold(void* argument) {\n"
    "  pthread_mutex_lock(&held);\n"
    "  for (int i = 0; i < 4; ++i) words[i] = words[(i + 1) % 4];\n"
    "  sem_post(&has_it);\n"
    "  for (;;) pause();\n"
    "  return argument;\n"
    "}\n"
    "int main(void) {\n"
    "  pthread_t thread;\n"
    "  sem_init(&has_it, 0, 0);\n"
    "  sem_init(&empty, 0, 0);\n"
    "  pthread_create(&thread, 0, hold, 0);\n"
    "  sem_wait(&has_it);\n"
    "  __asm__ volatile(\"int3\");\n"
    "  for (int round = 0; round < 3; ++round) {\n"
    "    for (int i = 0; i < 6; ++i) words[i] += words[(i + 1) % 4];\n"
    "    pthread_mutex_lock(&own);\n"
    "    pthread_mutex_unlock(&own);\n"
    "    for (int i = 0; i < 4; ++i) pthread_mutex_trylock(&held);\n"
    "    pthread_rwlock_rdlock(&readable);\n"
    "    pthread_rwlock_unlock(&readable);\n"
    "    for (int i = 0; i < 3; ++i) sem_trywait(&empty);\n"
    "    for (int i = 0; i < 3; ++i) flag;\n"
    "    flag = round;\n"
    "    struct timespec date;\n"
    "    for (int i = 0; i < 3; ++i) clock_gettime(i ? CLOCK_REALTIME_COARSE : CLOCK_MONOTONIC, "
    "&date);\n"
    "  }\n"
    "  __asm__ volatile(\"int3\");\n"
    "  return 0;\n"
    "}\n";

/// The program, recorded, and stopped after each instruction between its breakpoints.
class SteppedProgram {
 public:
  SteppedProgram(const std::filesystem::path& program, const std::string& spool_directory,
                 const std::string& method_variable, const std::string& method = "yes")
      : process_(fork()) {
    if (process_ == 0) {
      const auto bin = std::filesystem::path(ORRERY_BINARY).parent_path();
      const auto library = bin.parent_path() / "lib" / "orrery" / "liborrery_record_threads.so";
      setenv("LD_PRELOAD", library.c_str(), 1);
      setenv("ORRERY_RECORD_DIRECTORY", spool_directory.c_str(), 1);
      setenv("ORRERY_RECORD_PROCESS", std::to_string(getpid()).c_str(), 1);
      if (!method_variable.empty()) setenv(method_variable.c_str(), method.c_str(), 1);
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      execl(program.c_str(), program.c_str(), nullptr);
      _exit(1);
    }
    REQUIRE(is_at_trap());  // as it begins
    ptrace(PTRACE_CONT, process_, nullptr, nullptr);
    REQUIRE(is_at_trap());
  }
  SteppedProgram(const SteppedProgram&) = delete;
  SteppedProgram& operator=(const SteppedProgram&) = delete;
  ~SteppedProgram() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  /// False: the next instruction is the second breakpoint.
  bool step() {
    ptrace(PTRACE_SINGLESTEP, process_, nullptr, nullptr);
    REQUIRE(is_at_trap());
    siginfo_t reason{};
    ptrace(PTRACE_GETSIGINFO, process_, nullptr, &reason);
    return reason.si_code != SI_KERNEL;
  }

 private:
  [[nodiscard]] bool is_at_trap() const {
    int status = 0;
    return waitpid(process_, &status, 0) == process_ && WIFSTOPPED(status) &&
           WSTOPSIG(status) == SIGTRAP;
  }

  pid_t process_;
};

std::string header_of(const std::filesystem::path& file) {
  std::string header(orrery::rank_spool::header_bytes, '\0');
  std::ifstream(file, std::ios::binary)
      .read(header.data(), static_cast<std::streamsize>(header.size()));
  return header;
}

/// Looks at what is there whenever an instruction has changed the header of that file.
template <typename Look>
void step_through(SteppedProgram& stepped, const std::filesystem::path& file, const Look& look) {
  std::string before;
  while (stepped.step()) {
    std::string header = header_of(file);
    if (header == before) continue;
    before = std::move(header);
    look();
  }
}

RecordedThread first_thread(const std::string& directory) {
  RecordedJob job;
  REQUIRE(orrery::detail::read_recorded_threads(directory, job));
  return job.threads.front();
}

AccessRecords accesses_in(const std::string& directory) {
  RecordedJob job;
  REQUIRE(orrery::detail::read_recorded_threads(directory, job));
  orrery::detail::read_recorded_memory(directory, job);
  REQUIRE(job.accesses);
  return *job.accesses;
}

}  // namespace

TEST_CASE("Whenever a thread is killed, its records are those of a number of operations") {
  const TemporaryDirectory directory;
  const auto program = build_program(directory, program_text, orrery::cli::Language::c, {"-O1"});
  REQUIRE_FALSE(program.empty());
  for (const std::string method :
       {"", orrery::thread_spool::objects_variable, orrery::thread_spool::versions_variable}) {
    CAPTURE(method);
    const auto spool = directory / ("spool" + method);
    std::filesystem::create_directory(spool);
    // By how many operations there were, and how often the last of them had been repeated.
    std::map<std::pair<std::uint64_t, std::uint64_t>, LamportRecords::Task> seen;
    std::map<std::uint64_t, RankReadings> readings_seen;  // by how many dates
    SteppedProgram stepped(program, spool, method);
    step_through(stepped, spool / "thread-0", [&] {
      const RecordedThread thread = first_thread(spool);
      const LamportRecords::Task& now = thread.stamps;
      const bool is_at_poll =
          !now.polls.empty() && now.polls.back().operation + 1 == now.operations;
      const std::uint64_t repeats = is_at_poll ? now.polls.back().repeats : 0;
      const auto [first, is_new] = seen.try_emplace({now.operations, repeats}, now);
      if (!is_new) REQUIRE((first->second == now));
      const RankReadings& dates = thread.readings;
      const auto [read, is_first] = readings_seen.try_emplace(dates.date_count(), dates);
      if (!is_first) REQUIRE((read->second == dates));
    });
    const RecordedThread whole = first_thread(spool);
    CHECK(whole.stamps.polls.size() >= 6);
    CHECK(seen.size() > 30);
    CHECK(whole.readings.date_count() >= 9);
    CHECK(readings_seen.size() == whole.readings.date_count() - readings_seen.begin()->first + 1);
  }
}

TEST_CASE("Whenever a thread is killed, its records are those of a number of accesses to memory") {
  const TemporaryDirectory directory;
  const auto program = build_program(directory, program_text, orrery::cli::Language::c, {"-O1"});
  REQUIRE_FALSE(program.empty());
  for (const std::string method : {"stride", "leap", "global-writes"}) {
    CAPTURE(method);
    const auto spool = directory / method;
    std::filesystem::create_directory(spool);
    std::map<std::uint64_t, AccessRecords> seen;  // by how many accesses there were
    SteppedProgram stepped(program, spool, orrery::memory_spool::method_variable, method);
    step_through(stepped, spool / "memory-0", [&] {
      const AccessRecords now = accesses_in(spool);
      const auto [first, is_new] = seen.try_emplace(now.tasks.front().operations, now);
      if (is_new) return;
      // What comes first of an access under way is that it is the first one to its word.
      const AccessRecords::Task& task = now.tasks.front();
      REQUIRE((first->second.tasks.front().values == task.values));
      REQUIRE((first->second.tasks.front().bounds == task.bounds));
      if (task.operations > 0) REQUIRE((first->second.orders == now.orders));
    });
    CHECK(seen.size() > 10);
  }
}
