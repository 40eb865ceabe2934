#include <csetjmp>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/program_image.hpp>

#include "program_builder.hpp"

namespace {

using orrery::ProgramImage;
using orrery::UsageError;
using orrery::cli::Language;
using orrery::test::build_program;
using orrery::test::TemporaryDirectory;

/// A runtime for one rank after the other: remembers what they say and how they end.
struct Runtime {
  std::int32_t rank = 0;
  std::map<std::int32_t, std::string> text;
  std::map<std::int32_t, std::int32_t> status;
  std::string finding;
  std::int64_t now_picoseconds = 0;
  std::jmp_buf end;
};
Runtime* fake = nullptr;

OrreryRuntime table() {
  OrreryRuntime result{};
  result.version = ORRERY_RUNTIME_VERSION;
  result.size_bytes = sizeof result;
  result.rank = [] { return fake->rank; };
  result.rank_count = [] { return 2; };
  result.host_name = [] { return "host"; };
  result.now = [] { return fake->now_picoseconds; };
  result.read_clock = [](std::uint32_t) { return fake->now_picoseconds; };
  result.sleep = [](std::int64_t duration, std::uintptr_t) { fake->now_picoseconds += duration; };
  result.output = [](std::int32_t, const char* text, std::size_t size) {
    std::printf("%s", "");  // the host's own stream, not the rank's
    fake->text[fake->rank].append(text, size);
  };
  result.exit_process = [](std::int32_t status, std::uintptr_t) {
    fake->status[fake->rank] = status;
    std::longjmp(fake->end, 1);
  };
  result.finding = [](const char* kind, const char* message, std::uintptr_t) {
    fake->finding = std::string(kind) + ": " + message;
    std::longjmp(fake->end, 1);
  };
  result.once_begin = [](void*, std::int32_t, std::uintptr_t) { return 1; };
  result.once_end = [](void*, std::int32_t, std::uintptr_t) {};
  result.checks_use = [] { return 1; };
  result.wants_loans = [] { return 0; };
  result.current_thread = [] { return OrreryThread{1}; };
  return result;
}

void run_rank(ProgramImage& image, std::uint32_t rank) {
  fake->rank = static_cast<std::int32_t>(rank);
  if (setjmp(fake->end) == 0) image.run_rank(rank);
}

Runtime run(ProgramImage& image, const std::vector<std::string>& arguments = {"program"}) {
  static const OrreryRuntime functions = table();
  Runtime runtime;
  fake = &runtime;
  image.begin_run(functions, arguments);
  for (std::uint32_t rank = 0; rank < image.rank_count(); ++rank) run_rank(image, rank);
  image.end_run();
  return runtime;
}

const orrery::ProgramImageOptions& options() {
  static const orrery::ProgramImageOptions all{orrery::front_end_beside(ORRERY_BINARY)};
  return all;
}

std::string hint_of(const std::filesystem::path& program) {
  try {
    ProgramImage image(program, 1, options());
  } catch (const UsageError& error) {
    return error.problem() + " | " + error.hint();
  }
  return "no error";
}

}  // namespace

TEST_CASE("each rank has its own globals, and each run starts with them fresh") {
  const TemporaryDirectory directory;
  ProgramImage image(build_program(directory, R"(
    #include <stdio.h>
    static int small = 40;
    static char large[200000];
    static __thread int local = 7;
    int main(int argc, char** argv) {
      printf("%d %d %d %s %d\n", ++small, ++large[150000], ++local, argv[argc - 1], argc);
      argv[argc - 1][0] = 'X';
      return small == 41 ? 5 : 6;
    })"),
                     2, options());
  for (int i = 0; i < 3; ++i) {
    const Runtime runtime = run(image, {"program", "input"});
    CHECK(runtime.text.at(0) == "41 1 8 input 2\n");
    CHECK(runtime.text.at(1) == "41 1 8 input 2\n");
    CHECK(runtime.status.at(0) == 5);
  }
}

TEST_CASE("images give the standard streams back, whichever of them ends first") {
  const TemporaryDirectory directory;
  const std::filesystem::path program = build_program(directory, "int main(void) { return 0; }");
  const std::streambuf* const before = std::cout.rdbuf();
  auto older = std::make_unique<ProgramImage>(program, 1, options());
  auto newer = std::make_unique<ProgramImage>(program, 1, options());
  SECTION("the older one") {
    older.reset();
    newer.reset();
  }
  SECTION("the newer one") {
    newer.reset();
    older.reset();
  }
  CHECK(std::cout.rdbuf() == before);
}

TEST_CASE("constructors, destructors and handlers of exit run in each rank and each run") {
  const TemporaryDirectory directory;
  ProgramImage image(build_program(directory, R"(
    #include <cstdio>
    #include <cstdlib>
    #include <iostream>
    #include <string>
    #include <vector>
    template <typename T> struct Shared { static std::vector<T> values; };
    template <typename T> std::vector<T> Shared<T>::values(3);
    inline int inline_count = 0;
    std::string name = "a string that is too long for the short form of strings";
    struct Loud {
      Loud() { std::cout << "built " << std::endl; }
      ~Loud() { std::puts("gone"); }
    } loud;
    thread_local Loud thread_loud;
    int main() {
      std::ios::sync_with_stdio(false);
      std::atexit([] { std::puts("handler"); });
      Shared<int>::values.push_back(++inline_count);
      name += "!";
      static Loud in_function;
      std::cout << Shared<int>::values.size() << " " << inline_count << " " << name.back() << "\n";
      std::cout << std::hex << 255 << '\n';
      std::cerr << (&thread_loud != nullptr) << std::endl;
      std::exit(0);
    })",
                                   Language::cplusplus),
                     2, options());
  const std::string expected = "built \nbuilt \n4 1 !\nff\nbuilt \n1\ngone\ngone\nhandler\ngone\n";
  for (int i = 0; i < 2; ++i) {
    const Runtime runtime = run(image);
    CHECK(runtime.text.at(0) == expected);
    CHECK(runtime.text.at(1) == expected);
  }
}

TEST_CASE("a rank's random numbers, tokens, options and clock are its own and the same every run") {
  const TemporaryDirectory directory;
  ProgramImage image(build_program(directory, R"(
    #include <getopt.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>
    #include <unistd.h>
    int main(int argc, char** argv) {
      int verbose = 0;
      for (int c; (c = getopt(argc, argv, "vn:")) != -1;) verbose += c == 'v' ? 1 : atoi(optarg);
      char text[] = "a,b";
      strtok(text, ",");
      printf("%d %d %s %d ", verbose, optind, strtok(NULL, ","), rand() == 1804289383);
      sleep(2);
      printf("%ld\n", (long)time(NULL));
      srand((unsigned)time(NULL));
      write(1, "raw\n", 4);
      return 0;
    })"),
                     2, options());
  for (int i = 0; i < 2; ++i) {
    const Runtime runtime = run(image, {"program", "-v", "-n", "3", "rest"});
    CHECK(runtime.text.at(0) == "4 4 b 1 946684802\nraw\n");
    CHECK(runtime.text.at(1) == "4 4 b 1 946684804\nraw\n");
  }
}

TEST_CASE("a failed assertion, an abort and an uncaught exception are findings") {
  const TemporaryDirectory directory;
  ProgramImage image(build_program(directory, R"(
    #include <cassert>
    #include <cstdlib>
    #include <stdexcept>
    int main(int argc, char**) {
      assert(argc != 1);
      if (argc == 2) std::abort();
      if (argc == 3) _Exit(9);
      throw std::runtime_error("no luck");
    })",
                                   Language::cplusplus),
                     1, options());
  CHECK(run(image).finding.find("assertion: assertion failed: argc != 1 (") == 0);
  CHECK(run(image, {"p", "1"}).finding == "crash: abort() was called");
  CHECK(run(image, {"p", "1", "2"}).status.at(0) == 9);
  CHECK(run(image, {"p", "1", "2", "3"}).finding ==
        "exception: uncaught exception: no luck (std::runtime_error)");
}

TEST_CASE("a program that waits by asking for the time gets there") {
  const TemporaryDirectory directory;
  ProgramImage image(build_program(directory, R"(
    #include <time.h>
    int main(void) {
      struct timespec start, now;
      clock_gettime(CLOCK_MONOTONIC, &start);
      do clock_gettime(CLOCK_MONOTONIC, &now);
      while (now.tv_nsec - start.tv_nsec < 50000);
      return 3;
    })"),
                     1, options());
  CHECK(run(image).status.at(0) == 3);
}

TEST_CASE("what cannot be hosted is refused with what to do") {
  const TemporaryDirectory directory;
  CHECK(hint_of(directory / "absent").find("there is no such program") == 0);
  const auto text = directory.write("notes.txt", "hello");
  CHECK(hint_of(text).find("not executable") != std::string::npos);
  std::filesystem::permissions(text, std::filesystem::perms::owner_all);
  CHECK(hint_of(text).find("not a compiled program") != std::string::npos);
  const auto script = directory.write("app", "#! /bin/bash\n# Generated by libtool\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  CHECK(hint_of(script).find("libtool --mode=execute") != std::string::npos);
  CHECK(hint_of("/tmp").find("not a file") != std::string::npos);
  CHECK(hint_of("/bin/true").find("not built for Orrery | build it with `orrery cc`") !=
        std::string::npos);
  const auto good = build_program(directory, "int main(void) { return 0; }");
  CHECK(hint_of(good) == "no error");
  std::filesystem::resize_file(good, std::filesystem::file_size(good) / 2);
  CHECK(hint_of(good).find("damaged") != std::string::npos);
  CHECK_THROWS_AS(ProgramImage(good, 0, options()), UsageError);
  CHECK_THROWS_AS(ProgramImage(good, 1'000'000'000, options()), UsageError);
}

TEST_CASE("a program has its build id, and many copies of it can be loaded") {
  const TemporaryDirectory directory;
  ProgramImage image(build_program(directory, "int count; int main(void) { return count++; }"), 600,
                     options());
  CHECK(image.build_id().size() == 40);
  CHECK(image.rank_count() == 600);
  const Runtime runtime = run(image);
  CHECK(runtime.status.at(599) == 0);
  CHECK(ProgramImage::resident_bytes() > 1'000'000);
}
