#include <algorithm>

#include <catch2/catch.hpp>
#include <sys/wait.h>

#include <orrery/network_model/usage_error.hpp>

#include "program_builder.hpp"
#include "standard_error.hpp"

namespace {

using orrery::cli::compile_task;
using orrery::cli::CompileTask;
using orrery::cli::Language;
using orrery::test::build_program;
using orrery::test::errors_of;
using orrery::test::TemporaryDirectory;
using Arguments = std::vector<std::string>;

int compile(const Arguments& arguments, Language language = Language::c) {
  return orrery::cli::compile(language, arguments, orrery::test::built_paths());
}

int run(const std::filesystem::path& program) {
  return WEXITSTATUS(std::system(program.c_str()));
}

}  // namespace

TEST_CASE("what the compiler is asked for is known from its arguments") {
  CHECK(compile_task({"--version"}) == CompileTask::information);
  CHECK(compile_task({"-o", "x.c"}) == CompileTask::information);
  CHECK(compile_task({"-c", "a.c"}) == CompileTask::object);
  CHECK(compile_task({"-E", "-x", "c", "-"}) == CompileTask::translate);
  CHECK(compile_task({"-MM", "a.c"}) == CompileTask::translate);
  CHECK(compile_task({"-MMD", "-MF", "a.d", "a.c"}) == CompileTask::program);
  CHECK(compile_task({"-shared", "a.o"}) == CompileTask::library);
  CHECK(compile_task({"-r", "a.o", "-o", "b.o"}) == CompileTask::relocatable);
  CHECK(compile_task({"-x", "c", "-"}) == CompileTask::program);
  CHECK(compile_task({"-x", "c++-header", "all.hpp"}) == CompileTask::translate);
  CHECK(compile_task({"all.hpp"}) == CompileTask::translate);
  CHECK(compile_task({"-nostdlib", "a.o"}) == CompileTask::bare);
  CHECK(compile_task({"-shared", "-nostdlib", "crti.o", "a.o"}) == CompileTask::library);
  CHECK(compile_task({"-Xlinker", "-r", "a.o"}) == CompileTask::program);
}

TEST_CASE("a program that was compiled for Orrery starts by itself") {
  const TemporaryDirectory directory;
  const std::string text = "int main(void) { return 3; }";
  CHECK(run(build_program(directory, text)) == 3);
  CHECK(run(build_program(directory, text, Language::cplusplus)) == 3);
  for (const char* flag : {"-pie", "-no-pie", "-fPIE", "-s", "-fvisibility=hidden", "-flto",
                           "-Wl,--gc-sections", "-fsanitize=undefined"}) {
    CAPTURE(flag);
    CHECK(run(build_program(directory, text, Language::c, {"-O2", flag})) == 3);
  }
}

TEST_CASE("objects that were compiled apart are linked, with response files too") {
  const TemporaryDirectory directory;
  const auto main = directory.write("main.c", "int twice(int); int main(void){return twice(4);}");
  const auto twice = directory.write("twice.c", "int twice(int x) { return 2 * x; }");
  const auto object = (directory / "twice.o").string();
  CHECK(compile({"-fPIE", "-c", twice.string(), "-o", object}) == 0);
  const auto program = (directory / "my program").string();
  const auto response =
      directory.write("all.rsp", main.string() + "\n" + object + " -o '" + program + "'");
  REQUIRE(compile({"@" + response.string()}) == 0);
  CHECK(WEXITSTATUS(std::system(("'" + program + "'").c_str())) == 8);
}

TEST_CASE("a function of MPI that we do not have is named when the program is linked") {
  const TemporaryDirectory directory;
  const std::string errors = errors_of(directory / "errors.txt", [&] {
    CHECK(build_program(directory, "int MPI_Foo(void); int main(void) { return MPI_Foo(); }") ==
          std::filesystem::path());
  });
  CHECK(errors.find("orrery: this MPI has no MPI_Foo yet: see docs/mpi.md\n") != std::string::npos);
  const std::string in_cplusplus = errors_of(directory / "errors.txt", [&] {
    build_program(directory, "#include <mpi.h>\nint main() { return MPI_Foo(); }",
                  Language::cplusplus);
  });
  CHECK(in_cplusplus.find("has no MPI_Foo yet") != std::string::npos);
}

TEST_CASE("a program leans on libmpi.so.40 only if it calls MPI, and on no place for it") {
  const TemporaryDirectory directory;
  const auto program = build_program(directory, R"(
    #include <mpi.h>
    int main(int argc, char** argv) { return MPI_Init(&argc, &argv); })");
  const auto dump = (directory / "dump.txt").string();
  const auto entries = [&] {
    REQUIRE(std::system(("readelf -d '" + program.string() + "' > " + dump).c_str()) == 0);
    std::ifstream stream(dump);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  CHECK(entries().find("[libmpi.so.40]") != std::string::npos);
  CHECK(entries().find("PATH") == std::string::npos);
  build_program(directory, "int main(void) { return 0; }");
  CHECK(entries().find("libmpi") == std::string::npos);
}

TEST_CASE("a static program and a missing compiler are the caller's mistakes") {
  CHECK_THROWS_AS(compile({"-static", "a.c"}), orrery::UsageError);
  setenv("ORRERY_CC", "no-such-compiler", 1);
  CHECK_THROWS_AS(compile({"a.c"}), orrery::UsageError);
  CHECK_THROWS_AS(compile({"--version"}), orrery::UsageError);
  unsetenv("ORRERY_CC");
}

TEST_CASE("a program that does not compile gives the compiler's status and message") {
  const TemporaryDirectory directory;
  const std::string errors = errors_of(directory / "errors.txt", [&] {
    CHECK(compile({directory.write("a.c", "int main(void) { return x; }").string()}) == 1);
  });
  CHECK(errors.find("'x' undeclared") + errors.find("‘x’ undeclared") != 2 * std::string::npos);
  CHECK(errors.find("orrery:") == std::string::npos);
}
