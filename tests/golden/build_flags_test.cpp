// What builds ask of a compiler besides objects and programs, and how they call it.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void must(const CommandResult& result) {
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
}

bool has_both(const WorkingDirectory& here, const std::string& file) {
  return has(here.shell("readelf -SW " + file).out, ".orrery.instrumented");
}

/// With the compiler set, as a line of a shell.
std::string with(const std::string& compiler) {
  return compiler == "gcc" ? "ORRERY_CC=gcc ORRERY_CXX=g++ "
                           : "ORRERY_CC=clang ORRERY_CXX=clang++ ";
}

TEST_CASE("A project of makefiles, with a static and a shared library, is built by make -j") {
  for (const std::string compiler : {"gcc", "clang"}) {
    CAPTURE(compiler);
    const WorkingDirectory here;
    here.write("Makefile",
               "CFLAGS = -O2 -g -Wall -Werror -MMD\n"
               "LDFLAGS = -L. -Wl,-rpath,'$$ORIGIN'\n"
               "all: one two\n"
               "one: one.o libcount.a\n\t$(CC) $(LDFLAGS) -o $@ one.o -lcount -pthread\n"
               "two: two.o libstore.so libcount.a\n"
               "\t$(CXX) $(LDFLAGS) -o $@ two.o -lstore -lcount -pthread\n"
               "libcount.a: count.o asm.o\n\tar rcs $@ $^\n"
               "libstore.so: store.o\n\t$(CXX) -shared -o $@ $^\n"
               "store.o: CXXFLAGS += -fPIC\n"
               "asm.o: asm.s\n\t$(CC) $(CFLAGS) -c -o $@ $<\n"
               "%.o: %.cpp\n\t$(CXX) $(CXXFLAGS) -O2 -g -MMD -c -o $@ $<\n"
               "-include one.d two.d count.d store.d\n");
    here.write("count.h", "int count(void);\nint seven(void);\n");
    here.write("count.c",
               "#include \"count.h\"\nstatic int hits;\nint count(void) { return ++hits; }\n");
    here.write("asm.s",
               ".globl seven\nseven: movl $7, %eax\n  ret\n.section .note.GNU-stack,\"\"\n");
    here.write("one.c",
               "#include <stdio.h>\n#include \"count.h\"\n"
               "int main(void) { count(); printf(\"%d %d\\n\", count(), seven()); return 0; }\n");
    here.write("store.cpp", "static int stored = 5;\nint store() { return ++stored; }\n");
    here.write("two.cpp",
               "#include <cstdio>\n#include <thread>\nextern \"C\" {\n#include \"count.h\"\n}\n"
               "int store();\nint main(int argc, char**) {\n"
               "  std::thread other([] { store(); });\n  if (argc == 1) other.join();\n  store();\n"
               "  if (argc > 1) other.join();\n  std::printf(\"%d\\n\", store() + count());\n}\n");
    const std::string make =
        with(compiler) + "make -j4 CC='" ORRERY_BINARY " cc' CXX='" ORRERY_BINARY " c++'";
    const CommandResult built = here.shell(make);
    must(built);
    CHECK(built.err.empty());
    CHECK(here.shell("./one").out == "2 7\n");
    CHECK(here.shell("./two").out == "9\n");
    for (const std::string file : {"one", "two", "libstore.so", "count.o"}) {
      CHECK(has_both(here, file));
    }
    CHECK(here.orrery("run --detect fasttrack ./one").out == "2 7\n");
    CHECK(here.orrery("run --detect fasttrack ./two").out == "9\n");
    CHECK(here.orrery("run --detect fasttrack ./two racing").status == 1);
    // Nothing is done again, but for what depends on a header that has changed.
    CHECK(has(here.shell(make).out, "Nothing to be done"));
    must(here.shell("touch -d +1minute count.h"));
    const std::string again = here.shell(make).out;
    CHECK(has(again, "one.c"));
    CHECK_FALSE(has(again, "store.cpp"));
  }
}

TEST_CASE(
    "What a build asks for besides comes as from the compiler, and objects have both images") {
  for (const std::string compiler : {"gcc", "clang"}) {
    CAPTURE(compiler);
    const WorkingDirectory here;
    const std::string cc = with(compiler) + ORRERY_BINARY " cc ";
    const auto both = [&](const std::string& words, const std::string& file) {
      CAPTURE(words);
      const CommandResult result = here.shell(cc + words);
      INFO(result.err);
      CHECK(result.status == 0);
      CHECK(result.err.empty());
      CHECK(has_both(here, file));
    };
    here.write("a.c", "int value(void);\nint main(void) { return value(); }\n");
    here.write("b.c", "static int calls;\nint value(void) { return calls++; }\n");
    both("-g -gsplit-dwarf -c a.c", "a.o");
    CHECK(has(here.shell("ls").out, "a.dwo"));
    both("-save-temps -c b.c", "b.o");
    CHECK(has(here.shell("ls").out, "b.s"));
    both("-Werror -c b.s -o from_text.o", "from_text.o");
    both("-c a.c b.c", "b.o");
    both("--coverage -g a.c b.c -o covered", "covered");
    must(here.shell("./covered"));
    CHECK(has(here.shell("ls *.gcda").out, "b.gcda"));
    here.write("words", "-O2 -c a.c\n-o 'a b.o'");
    both("@words", "'a b.o'");
    both("-flto -O2 a.c b.c -o joined", "joined");
    both("-Werror -pie -fPIE a.c b.c -o pie", "pie");
    both("-fuse-ld=gold -O2 a.c b.c -o gold", "gold");
    both("-O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wl,-z,relro,-z,now a.c b.c -o hardened",
         "hardened");
    CHECK(here.orrery("run --detect fasttrack ./hardened").status == 0);
    CHECK(has(here.shell(cc + "-S b.c -o -").out, "value"));
    CHECK(has(here.shell(cc + "-M a.c").out, "a.c"));
    CHECK(here.shell(cc + "-x c - -fsyntax-only < a.c").status == 0);
  }
}

TEST_CASE("A compiler cache before the command, or behind it, gives both images again") {
  const WorkingDirectory here;
  here.write("a.c", "int value;\nint main(void) { return value++; }\n");
  const std::string cache = "CCACHE_DIR=$PWD/cache ";
  for (const std::string& command : {cache + "ORRERY_CC='ccache gcc' " ORRERY_BINARY " cc",
                                     cache + "ccache " ORRERY_BINARY " cc"}) {
    CAPTURE(command);
    for (int i = 0; i < 2; ++i) {
      must(here.shell(command + " -g -c a.c -o a.o"));
      CHECK(has_both(here, "a.o"));
      must(here.shell("rm a.o"));
    }
  }
  CHECK_FALSE(has(here.shell(cache + "ccache -s").out, "Hits:               0"));
}

// A visible operation more in one image than in the other would part them.
TEST_CASE("A program that was stripped as it was linked makes the same operations in both images") {
  for (const std::string flag : {"-s", "-Wl,-s", "-Wl,--as-needed,--strip-all", "-Xlinker -s"}) {
    CAPTURE(flag);
    const WorkingDirectory here;
    here.write("app.cpp", R"(#include <mutex>
#include <string>
#include <thread>
struct Made { std::string text = "a text that is too long for the short form"; };
static Made& made() { static Made one; return one; }
int main() {
  std::mutex mutex;
  auto work = [&] { for (int i = 0; i < 3; ++i) { std::lock_guard<std::mutex> lock(mutex); made().text += 'x'; } };
  std::thread other(work);
  work();
  other.join();
  return made().text.size() == 48 ? 0 : 1;
})");
    must(here.shell(with("clang") + ORRERY_BINARY " c++ -O2 -g -pthread " + flag +
                    " app.cpp -o app"));
    CHECK(has(here.shell("readelf -SW app").out, ".symtab") == false);
    must(here.orrery("run --seed 4 --record app.orr ./app"));
    const CommandResult replayed = here.orrery("replay --detect fasttrack app.orr");
    INFO(replayed.out << replayed.err);
    CHECK(replayed.status == 0);
  }
}

TEST_CASE("A compilation that is interrupted leaves no object with one image") {
  const WorkingDirectory here;
  here.write("a.c", "int value;\n");
  // The second image is not made before somebody says so.
  here.write("slow",
             "#!/bin/sh\ncase \"$*\" in *-fsanitize=thread*)\n"
             "  for i in $(seq 1000); do [ -e go ] || sleep 0.02; done;; esac\nexec gcc \"$@\"\n");
  must(here.shell("chmod +x slow"));
  const CommandResult interrupted =
      here.shell("ORRERY_CC=./slow '" ORRERY_BINARY
                 "' cc -c a.c -o a.o & compiler=$!\n"
                 "for i in $(seq 1000); do [ -s a.o ] || sleep 0.02; done\n"
                 "kill -TERM $compiler; wait $compiler; echo $?; touch go");
  CHECK(interrupted.out == "143\n");
  CHECK(here.shell("ls a.o").status != 0);
}

}  // namespace
