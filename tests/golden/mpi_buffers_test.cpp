// `--detect mpi_buffers` on the programs of golden/mpi_buffers: each that is wrong is found at the
// very access, and only once; the mended twins, and what is allowed, are clean.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "source_lines.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::line_of;
using orrery::test::WorkingDirectory;

constexpr const char* source_path = ORRERY_SOURCE_DIR "/tests/golden/mpi_buffers/programs.c";

/// What must be found in the program of this name.
struct Expected {
  const char* name;
  const char* role;
  const char* words;               ///< in the message
  const char* ended_by = "await";  ///< whose comment `... ends` it is; null: nobody's
  const char* class_name = "buffer in use";
};

const std::vector<Expected> found_in_one_run{
    {"isend_write", "writes here",
     "the program writes to bytes 8 to 12 of the buffer of the MPI_Isend of the other line, which "
     "is "
     "under way and reads that buffer: until a wait or a test completes it, nobody may change the "
     "buffer (MPI 3.1, section 3.7.2); MPI_Wait has completed it"},
    {"same_value", "writes here", "bytes 12 to 16"},
    {"irecv_write", "writes here", "bytes 28 to 32 of the buffer of the MPI_Irecv"},
    {"irecv_read", "reads here",
     "the program reads bytes 0 to 4 of the buffer of the MPI_Irecv of the other line, which is "
     "under way and writes to that buffer: until a wait or a test completes it, nobody may touch "
     "the "
     "buffer (MPI 3.1, section 3.7.2)"},
    {"tested", "reads here", "MPI_Test has completed it", "tested"},
    {"column", "writes here", "bytes 64 to 68"},
    {"persistent", "writes here", "the buffer of the MPI_Start"},
    {"filled", "writes here", "bytes 28 to 32"},
    {"copied", "reads here", "bytes 16 to 32"},
    {"freed", "writes here", "bytes 0 to 32 of the buffer of the MPI_Irecv"},
    {"ibcast", "writes here",
     "the buffer of the MPI_Ibcast of the other line, which is under way and "
     "reads that buffer: until a wait or a test completes it, nobody may "
     "change the buffer (MPI 3.1, section 5.12)"},
    {"iallreduce", "reads here", "bytes 28 to 32 of the buffer of the MPI_Iallreduce"},
    {"own_operation", "writes here", "bytes 0 to 4 of the buffer of the MPI_Iallreduce"},
    {"put_origin", "writes here",
     "until a flush, its request or the end of the epoch completes it, nobody may change the "
     "buffer "
     "(MPI 3.1, section 11.3); MPI_Win_flush has completed it",
     "put_origin"},
    {"get_origin", "reads here", "MPI_Win_flush_local has completed it", "get_origin"},
    {"fetch", "reads here", "MPI_Win_unlock has completed it", "fetch"},
    {"store_in_fence", "writes here",
     "the program writes to bytes 16 to 20 of rank 1's own part of a window of MPI_COMM_WORLD, and "
     "so does the "
     "MPI_Put "
     "of the other line, which is not complete there: what comes of it is undefined (MPI 3.1, "
     "section 11.7); MPI_Win_fence has completed it",
     "store_in_fence", "conflicting accesses"},
    {"store_posted", "writes here", "so does the MPI_Accumulate of the other line", "store_posted",
     "conflicting accesses"},
    {"store_before_flush", "writes here", "bytes 16 to 20 of rank 1's own part",
     "store_before_flush", "conflicting accesses"},
    {"file_write", "writes here", "the buffer of the MPI_File_iwrite"},
    {"split_write", "writes here", "until the call that ends in _end comes back", "split_write"},
    {"by_thread", "reads here", "bytes 4 to 8"},
};

/// A directory with the programs, built.
class Programs {
 public:
  explicit Programs(const std::string& language = "c") {
    const std::string text = here.shell(std::string("cat '") + source_path + "'").out;
    here.write("programs." + language, text);
    const CommandResult built = here.orrery((language == "c" ? "cc" : "c++") +
                                            std::string(" -g -O1 -Wall -Wextra -Werror -pthread -o "
                                                        "programs programs.") +
                                            language);
    INFO(built.err);
    REQUIRE(built.status == 0);
    source = text;
  }
  void check_found(const Expected& expected, const json& report) const {
    REQUIRE(report["findings"].size() == 1);
    const json found = report["findings"][0];
    const std::string name = expected.name;
    CHECK(found["kind"] == "mpi_usage");
    CHECK(found["class"] == expected.class_name);
    CHECK_THAT(found["message"].get<std::string>(), Catch::Contains(expected.words));
    const json where = found["where"];
    REQUIRE(where.size() == (expected.ended_by == nullptr ? 2 : 3));
    CHECK(where[0]["line"] == line_of(source, name + " accesses"));
    CHECK(where[0]["role"] == expected.role);
    CHECK(where[1]["line"] == line_of(source, name + " begins"));
    if (expected.ended_by != nullptr) {
      CHECK(where[2]["line"] == line_of(source, std::string(expected.ended_by) + " ends"));
      CHECK(where[2]["role"] == "completed here");
    }
  }

  WorkingDirectory here;
  std::string source;
};

std::string run(const std::string& name, const std::string& twin) {
  return "run --json --detect mpi_buffers -n 2 ./programs " + name + " " + twin;
}

}  // namespace

TEST_CASE(
    "Accesses to memory that operations have are found where they are, and mended twins are "
    "clean") {
  const Programs programs;
  for (const Expected& expected : found_in_one_run) {
    CAPTURE(expected.name);
    const CommandResult buggy = programs.here.orrery(run(expected.name, "buggy"));
    INFO(buggy.out << buggy.err);
    REQUIRE(buggy.status == 1);
    programs.check_found(expected, json::parse(buggy.out));
    const CommandResult mended = programs.here.orrery(run(expected.name, "mended"));
    INFO(mended.out << mended.err);
    CHECK(mended.status == 0);
  }
  for (const std::string allowed : {"isend_read buggy", "shared_memory mended"}) {
    CAPTURE(allowed);
    // On one host, where memory can be shared.
    const CommandResult result = programs.here.orrery(
        "run --json --detect mpi_buffers --map block:2 -n 2 ./programs " + allowed);
    INFO(result.out << result.err);
    CHECK(result.status == 0);
  }
}

TEST_CASE("The place of an access has its stack, its task, and those of what began the operation") {
  const Programs programs;
  const json found =
      json::parse(programs.here.orrery(run("irecv_write", "buggy")).out)["findings"].at(0);
  const json access = found["where"].at(0);
  CHECK(access["task"] == "rank 0");
  CHECK(access["function"] == "touch");
  REQUIRE(access["stack"].size() == 3);
  CHECK(access["stack"][0]["function"] == "touch");
  CHECK(access["stack"][1]["function"] == "irecv_write");
  CHECK(access["stack"][2]["function"] == "main");
  CHECK(found["where"].at(1)["function"] == "irecv_write");
}

TEST_CASE("C++ programs are watched as C programs are") {
  const Programs programs("cpp");
  for (const std::string name : {"irecv_read", "column", "store_in_fence", "filled"}) {
    CAPTURE(name);
    const auto expected = std::find_if(found_in_one_run.begin(), found_in_one_run.end(),
                                       [&](const Expected& one) { return one.name == name; });
    programs.check_found(*expected, json::parse(programs.here.orrery(run(name, "buggy")).out));
    CHECK(programs.here.orrery(run(name, "mended")).status == 0);
  }
}

TEST_CASE("A search finds an access, shrinks it, and its log replays without the flag") {
  const Programs programs;
  const std::string search =
      "explore --runs 100 --detect mpi_buffers -n 2 -o found.orr ./programs ";
  for (const std::string name : {"in_call", "isend_write"}) {
    CAPTURE(name);
    const CommandResult result = programs.here.orrery(search + name + " buggy");
    INFO(result.out << result.err);
    REQUIRE(result.status == 1);
    CHECK(has(result.out, "mpi_usage (buffer in use): the program "));
    CHECK(has(result.out, "saved: found.orr"));
    const CommandResult again = programs.here.orrery("replay found.orr");
    INFO(again.out << again.err);
    CHECK(again.status == 1);
    CHECK(has(again.out + again.err, "mpi_usage (buffer in use): the program "));
    CHECK_FALSE(has(again.out + again.err, "did not come up again"));
    CHECK(programs.here.orrery("shrink found.orr").status == 1);
    CHECK(programs.here.orrery(search + name + " mended").status == 0);
  }
}

TEST_CASE(
    "A log that was made without the detector replays with it, and the same run comes of it") {
  const Programs programs;
  const auto record = [&](const std::string& flags, const std::string& name) {
    const CommandResult made = programs.here.orrery("run --record " + name + ".orr " + flags +
                                                    " -n 2 ./programs isend_write buggy");
    CHECK(made.status == 1);
  };
  record("", "without");
  const CommandResult plain = programs.here.orrery("replay without.orr");
  CHECK(has(plain.err, "MPI_Wait: the buffer of the MPI_Isend"));
  const CommandResult watched = programs.here.orrery("replay --detect mpi_buffers without.orr");
  INFO(watched.out << watched.err);
  CHECK(watched.status == 1);
  CHECK(has(watched.err, "the program writes to bytes 8 to 12"));
  CHECK_FALSE(has(watched.out + watched.err, "did not come up again"));
  // The same misuse is told once.
  CHECK_FALSE(has(watched.err, "MPI_Wait: the buffer of the MPI_Isend"));
  record("--detect mpi_buffers", "with");
  const auto timeline = [&](const std::string& log) {
    const std::string text = programs.here.orrery("show --timeline " + log).out;
    return text.substr(0, text.find("mpi_usage"));
  };
  CHECK(timeline("with.orr") == timeline("without.orr"));
}

TEST_CASE("Accesses are found where threads lose their turn at accesses, too") {
  const Programs programs;
  const std::string search =
      "explore --json --no-shrink --preempt shared --runs 20 --detect mpi_buffers -n 2 ./programs ";
  for (const std::string name : {"irecv_read", "by_thread"}) {
    CAPTURE(name);
    CHECK(programs.here.orrery(search + name + " buggy").status == 1);
    CHECK(programs.here.orrery(search + name + " mended").status == 0);
  }
}
