// Recordings of real threads that went wrong, or are asked for wrongly: one error that says what,
// where and what to do, or a log that says what it has not.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

// Two threads count under a lock; then the program does what no program should do with the files of
// its recorder.
constexpr const char* spoiling = R"(#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counted;
static void* work(void* a) {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&lock);
    ++counted;
    pthread_mutex_unlock(&lock);
  }
  return a;
}
static void spoil(const char* how, const char* path) {
  char junk[64];
  if (strcmp(how, "gone") == 0) unlink(path);
  const int file = open(path, O_RDWR);
  if (file < 0) return;
  if (strcmp(how, "short") == 0 && ftruncate(file, 10) != 0) abort();
  memset(junk, 0xee, sizeof junk);
  if (strcmp(how, "junk") == 0 && pwrite(file, junk, sizeof junk, 4096) < 0) abort();
  if (strcmp(how, "other") == 0 && pwrite(file, junk, 4, 0) < 0) abort();
}
int main(int argc, char** argv) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  printf("%d\n", counted);
  const char* const directory = getenv("ORRERY_RECORD_DIRECTORY");
  char path[4096];
  if (directory == NULL || argc < 3) return 0;
  snprintf(path, sizeof path, "%s/%s", directory, argv[2]);
  spoil(argv[1], path);
  return 0;
}
)";

}  // namespace

TEST_CASE("Files of threads that are gone, cut or overwritten are told of, and nothing passes") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", spoiling);
  struct Case {
    const char* words;
    int status;
    const char* message;
  };
  // 3: a log, of which something is missing.
  for (const Case& one :
       {Case{"gone thread-2", 3, "a thread could not be recorded"},
        Case{"gone thread-1", 3, "a thread could not be recorded"},
        Case{"short thread-2", 3, "a thread could not be recorded"},
        Case{"other thread-1", 3, "a thread could not be recorded"},
        Case{"junk thread-2", 2, "of its content"},
        Case{"gone thread-0", 2, "could not be watched"}, Case{"nothing thread-0", 0, ""}}) {
    CAPTURE(one.words);
    CHECK(here.shell("rm -rf run.orr*").status == 0);
    const CommandResult recorded =
        here.orrery(fmt::format("record --inject-delays=20us -o run.orr ./app {}", one.words));
    INFO(recorded.out << recorded.err);
    CHECK(recorded.status == one.status);
    CHECK(has(recorded.err, one.message));
    // What may still be looked at is left.
    if (has(one.words, "junk")) CHECK(here.shell("ls -d run.orr.ranks").status == 0);
  }
}

TEST_CASE("What threads did in memory is told of where its files are gone, cut or overwritten") {
  const WorkingDirectory here;
  here.write("app.c", spoiling);
  REQUIRE(here.shell("'" ORRERY_BINARY "' cc -g -pthread app.c -o app").status == 0);
  for (const char* const words : {"gone memory-2", "short memory-1", "other memory-1"}) {
    for (const char* const method : {"stride", "leap", "global-writes"}) {
      CAPTURE(words, method);
      CHECK(here.shell("rm -rf run.orr*").status == 0);
      const CommandResult recorded = here.orrery(fmt::format(
          "record --inject-delays=20us --method {} -o run.orr ./app {}", method, words));
      INFO(recorded.out << recorded.err);
      CHECK(recorded.status == 3);
      CHECK(has(recorded.err, "the log is cut: what a thread did in memory is missing"));
      // Locks are still in the log.
      const CommandResult replayed = here.orrery("replay run.orr");
      INFO(replayed.err);
      CHECK(replayed.status == 0);
      CHECK(replayed.out == recorded.out);
    }
  }
}

TEST_CASE("A recording whose files the program has removed is one clear error") {
  const WorkingDirectory here;
  build_plainly(here, "gcc",
                "#include <stdlib.h>\n#include <pthread.h>\n"
                "static void* work(void* a) { return a; }\n"
                "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work, 0);\n"
                "  pthread_join(t, 0);\n"
                "  return system(\"rm -r \\\"$ORRERY_RECORD_DIRECTORY\\\"\");\n}\n");
  const CommandResult recorded = here.orrery("record -o run.orr ./app");
  INFO(recorded.out << recorded.err);
  CHECK(recorded.status == 2);
  CHECK(has(recorded.err, "what was recorded cannot be read"));
  CHECK(has(recorded.err, "hint: record once more"));
}

TEST_CASE("A log of threads that was cut says where, and is replayed as far as it goes on demand") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", spoiling);
  REQUIRE(here.orrery("record -o run.orr ./app").status == 0);
  const std::string whole = here.read("run.orr");
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{10}, std::size_t{40}, whole.size() / 2, whole.size() - 1}) {
    CAPTURE(bytes);
    here.write("cut.orr", whole.substr(0, bytes));
    const CommandResult replayed = here.orrery("replay cut.orr");
    INFO(replayed.err);
    CHECK(replayed.status == 2);
    CHECK(has(replayed.err, fmt::format("byte {}", bytes)));
    CHECK(has(replayed.err, "hint: "));
    // What the threads did is in one block, and last.
    const CommandResult of_part = here.orrery("replay --partial cut.orr");
    INFO(of_part.err);
    const bool is_there = bytes == whole.size() - 1;
    CHECK(of_part.status == (is_there ? 0 : 2));
    const bool has_begun = bytes >= 40;
    CHECK(has(of_part.err, "too little of it is left") == (has_begun && !is_there));
  }
}

/// As many threads in reality, and as many when simulated, where stacks lie elsewhere.
const std::string varying = R"(#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int visits;
static void* work(void* a) {
  pthread_mutex_lock(&lock);
  ++visits;
  pthread_mutex_unlock(&lock);
  return a;
}
int main(void) {
  pthread_t threads[4];
  const int is_real = (unsigned long)threads >> 40 == 0x7f;
  const int count = is_real ? REAL : SIMULATED;
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], 0);
  return 0;
}
)";

TEST_CASE("What a program reads that was not recorded is where its replay parts, by thread") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", varying, "-DREAL=2 -DSIMULATED=4");
  REQUIRE(here.orrery("record -o run.orr ./app").status == 0);
  const CommandResult more = here.orrery("replay run.orr");
  INFO(more.out << more.err);
  CHECK(more.status == 1);
  CHECK(has(more.out + more.err, "expected no such thread; came mutex_lock"));
  build_plainly(here, "gcc", varying, "-DREAL=4 -DSIMULATED=2");
  REQUIRE(here.orrery("record -o run.orr ./app").status == 0);
  const CommandResult fewer = here.orrery("replay run.orr");
  INFO(fewer.out << fewer.err);
  CHECK(fewer.status == 1);
  CHECK(has(fewer.out + fewer.err, "divergence"));
}

TEST_CASE("A thread that the recorded run had not is named, by the methods that keep accesses") {
  const WorkingDirectory here;
  build_app(here, varying, "-g -pthread -DREAL=2 -DSIMULATED=4");
  for (const char* const method : {"instant-replay", "leap", "global-writes", "stride"}) {
    CAPTURE(method);
    REQUIRE(here.orrery(fmt::format("record --method {} -o run.orr ./app", method)).status == 0);
    const CommandResult more = here.orrery("replay run.orr");
    INFO(more.err);
    CHECK(more.status == 1);
    CHECK(has(more.err, "work#3: expected no such thread; came mutex_lock"));
  }
}

TEST_CASE("Two threads that meet in a replay at a word that one alone came to part from the log") {
  const WorkingDirectory here;
  // Stacks lie elsewhere in simulation.
  here.write("app.c", R"(#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long* words;
static long is_real;
static void* work(void* a) {
  long* const mine = &words[is_real ? (long)a : 0];
  for (int i = 0; i < 10; ++i) ++*mine;
  return a;
}
int main(void) {
  pthread_t threads[2];
  is_real = (unsigned long)threads >> 40 == 0x7f;
  words = calloc(2, sizeof *words);
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  puts("done");
  return 0;
}
)");
  REQUIRE(here.shell("'" ORRERY_BINARY "' cc -g -pthread app.c -o app").status == 0);
  for (const char* const method : {"stride", "leap"}) {
    CAPTURE(method);
    REQUIRE(here.orrery(fmt::format("record --method {} -o run.orr ./app", method)).status == 0);
    const CommandResult replayed = here.orrery("replay run.orr");
    INFO(replayed.out << replayed.err);
    CHECK(replayed.status == 1);
    CHECK(has(replayed.err, "expected that one thread alone comes to the word at 0x"));
    CHECK(has(replayed.err, "and the log has no order of the two"));
    CHECK(has(replayed.err, "app.c:8"));
  }
}

TEST_CASE(
    "Beyond its log a run goes on by itself, and who waits for a condition is not woken for ever") {
  const WorkingDirectory here;
  // In simulation, where stacks lie elsewhere, there is a thread more, and while that one sleeps
  // the first one waits.
  build_plainly(here, "gcc", R"(#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t closes = PTHREAD_COND_INITIALIZER;
static int closed;
static void* wait_for_close(void* a) {
  pthread_mutex_lock(&lock);
  while (!closed) pthread_cond_wait(&closes, &lock);
  pthread_mutex_unlock(&lock);
  return a;
}
static void* take_long(void* a) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  usleep(1000);
  return a;
}
int main(void) {
  pthread_t waiter, other;
  pthread_create(&waiter, 0, wait_for_close, 0);
  usleep(1000);
  if ((unsigned long)&waiter >> 40 != 0x7f) {
    pthread_create(&other, 0, take_long, 0);
    pthread_join(other, 0);
  }
  pthread_mutex_lock(&lock);
  closed = 1;
  pthread_cond_signal(&closes);
  pthread_mutex_unlock(&lock);
  pthread_join(waiter, 0);
  puts("closed");
  return 0;
}
)");
  REQUIRE(here.orrery("record -o run.orr ./app").status == 0);
  CHECK(here.orrery("replay run.orr").status == 1);
  const CommandResult on = here.orrery("replay --best-effort --step-limit 100000 run.orr");
  INFO(on.err);
  CHECK(on.status == 0);
  CHECK(on.out == "closed\n");
  CHECK(has(on.err, "parted from the log"));
}

TEST_CASE("Memory that other processes may write to is named in the log; its file is found again") {
  const WorkingDirectory here;
  build_plainly(
      here, "gcc",
      "#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
      "#include <sys/mman.h>\n#include <unistd.h>\n"
      "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int* counted;\n"
      "static void* work(void* a) {\n  pthread_mutex_lock(&lock);\n  ++*counted;\n"
      "  pthread_mutex_unlock(&lock);\n  return a;\n}\n"
      "int main(int argc, char** argv) {\n  pthread_t threads[2];\n"
      "  const int file = argc > 1 ? shm_open(argv[1], O_RDWR | O_CREAT, 0600)\n"
      "                            : open(\"shared\", O_RDWR | O_CREAT, 0600);\n"
      "  if (ftruncate(file, 4096) != 0) abort();\n"
      "  counted = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);\n"
      "  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);\n"
      "  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);\n"
      "  printf(\"%d\\n\", *counted);\n  return 0;\n}\n");
  const std::string segment = fmt::format("/orrery-test-{}", here.path().filename().string());
  for (const std::string& words : {std::string(), segment}) {
    CAPTURE(words);
    const CommandResult recorded = here.orrery("record -o run.orr ./app " + words);
    INFO(recorded.out << recorded.err);
    CHECK(recorded.status == 0);
    CHECK(recorded.out == "2\n");
    CHECK(has(recorded.err, "maps memory that other processes may write to"));
    CHECK(here.orrery("replay run.orr").out == "2\n");
  }
  CHECK(here.shell("rm -f /dev/shm" + segment).status == 0);
}

TEST_CASE("A lock that is destroyed and made anew in the same place is replayed like any other") {
  const WorkingDirectory here;
  build_plainly(here, "gcc",
                "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                "static pthread_mutex_t* lock;\nstatic char who;\n"
                "static void* work(void* a) {\n  for (int i = 0; i < 50; ++i) {\n"
                "    pthread_mutex_lock(lock);\n    putchar(*(char*)a);\n"
                "    pthread_mutex_unlock(lock);\n  }\n  return 0;\n}\n"
                "int main(void) {\n  char names[] = \"ab\";\n"
                "  for (int round = 0; round < 20; ++round) {\n    pthread_t threads[2];\n"
                "    lock = malloc(sizeof *lock);\n    pthread_mutex_init(lock, 0);\n"
                "    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, &names[i]);\n"
                "    for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);\n"
                "    pthread_mutex_destroy(lock);\n    free(lock);\n  }\n"
                "  puts(\"\");\n  return who;\n}\n");
  const CommandResult recorded = here.orrery("record --inject-delays=50us -o run.orr ./app");
  INFO(recorded.err);
  REQUIRE(recorded.status == 0);
  const CommandResult replayed = here.orrery("replay --seed 9 run.orr");
  INFO(replayed.err);
  CHECK(replayed.status == 0);
  CHECK(replayed.out == recorded.out);
}

TEST_CASE("What recorders and detectors of threads are asked for wrongly is said, with a way out") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", spoiling);
  REQUIRE(here.shell("'" ORRERY_BINARY "' cc -g -pthread app.c -o built").status == 0);
  struct Case {
    const char* words;
    const char* message;
  };
  for (const Case& one :
       {Case{"record --method stride:lag=4 -o run.orr ./built",
             "the option 'lag' of 'stride' is for runs that are simulated"},
        Case{"record ./built a 'b c'", "orrery record -o FILE ./built a 'b c'"},
        Case{"record", "orrery record -o FILE ./program"},
        Case{"run --suppressions nowhere.txt ./built",
             "--detect fasttrack, recplay, eraser, hybrid or sync-preserving"},
        Case{"run --threads --preempt all ./app",
             "fasttrack, recplay, eraser, hybrid, sync-preserving and mpi_buffers need them"},
        Case{"replay /bin/true", "logs are made by orrery record, explore -o and run --record"},
        Case{"record --method lamport-order:objects=maybe -o run.orr ./app",
             "write objects=yes or objects=no"},
        Case{"record --method nothing -o run.orr ./app", "there is no recorder 'nothing'"},
        Case{"record --inject-delays=soon -o run.orr ./app", "is not a duration"},
        Case{"run --record run.orr --method stride:group=nothing ./built",
             "no way to group variables"},
        Case{"run --record run.orr --method stride:group=block:0 ./built",
             "no way to group variables"},
        Case{"run --record run.orr --method stride:lag=x ./built", "is not a whole number"},
        Case{"run --record run.orr --method stride:protect=x ./built", "has no option 'protect'"},
        Case{"run --detect nothing ./built", "there is no detector 'nothing'"},
        Case{"run --detect recplay:matrix_clocks=maybe ./built", "matrix_clocks=yes"},
        Case{"run --detect recplay:segments=2 ./built", "has no option 'segments'"},
        Case{"run --detect fasttrack --suppressions nowhere.txt ./built", "nowhere.txt"}}) {
    CAPTURE(one.words);
    const CommandResult result = here.orrery(one.words);
    INFO(result.out << result.err);
    CHECK(result.status == 2);
    CHECK(has(result.err, one.message));
    CHECK(has(result.err, "hint: "));
  }
  CHECK(here.shell("ls -d run.orr*").status != 0);
}
