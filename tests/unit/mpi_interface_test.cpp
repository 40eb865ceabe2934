#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <unistd.h>

namespace {

const std::string front_end = std::string(ORRERY_SOURCE_DIR) + "/sim_runtime/front_ends/mpi";

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Compiles a program that uses most of the header, with every warning an error.
int compile(const std::string& language, const std::string& standard) {
  const std::string source = "/tmp/orrery_mpi_header_" + std::to_string(getpid());
  std::ofstream(source) << R"(
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype type = MPI_DOUBLE;
  double value = 0;
  MPI_Init(&argc, &argv);
  MPI_Irecv(&value, 1, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  MPI_Waitall(0, &request, MPI_STATUSES_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  PMPI_Send(MPI_BOTTOM, 0, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
)";
  const std::string command = std::string(ORRERY_CXX_COMPILER) + " -x " + language +
                              " -std=" + standard +
                              " -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -I" +
                              front_end + "/include " + source;
  const int status = std::system(command.c_str());
  std::remove(source.c_str());
  return status;
}

// Names in the files of a folder that begin so.
std::set<std::string> names_in(const std::string& folder, const std::string& prefix,
                               const std::regex& pattern) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const std::string text = read(entry.path().string());
    for (std::sregex_iterator each(text.begin(), text.end(), pattern), end; each != end; ++each) {
      names.insert((*each)[1]);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("mpi.h compiles without a warning as C11 and as C++17") {
  CHECK(compile("c", "c11") == 0);
  CHECK(compile("c++", "c++17") == 0);
}

TEST_CASE("the table of MPI functions in the docs is up to date") {
  const std::string page = std::string(ORRERY_SOURCE_DIR) + "/docs/mpi.md";
  const std::string fresh = "/tmp/orrery_mpi_docs_" + std::to_string(getpid());
  const std::string command = std::string(ORRERY_CMAKE) + " -DHEADERS=" + front_end +
                              "/include/orrery_mpi -DOUTPUT=" + page + " -DRESULT=" + fresh +
                              " -P " + front_end + "/make_docs.cmake";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(read(fresh) == read(page));
  CHECK_THAT(read(page), Catch::Contains("`MPI_Sendrecv_replace`"));
  std::remove(fresh.c_str());
}

TEST_CASE("each function of mpi.h is called in a test") {
  const std::regex call(R"(\b(MPI_[A-Z]\w*)\()");
  const std::set<std::string> declared =
      names_in(front_end + "/include/orrery_mpi", "", std::regex(R"(\bint (MPI_[A-Z]\w*)\()"));
  const std::set<std::string> called = names_in(ORRERY_SOURCE_DIR "/tests/unit", "mpi_", call);
  CHECK(declared.size() > 350);
  for (const std::string& name : declared) {
    CAPTURE(name);
    CHECK(called.contains(name));
  }
}
