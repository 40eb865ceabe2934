// The process that reads a platform file: begun early, asked by forked processes, and when it dies.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/platform_file.hpp>
#include <orrery/network_model/usage_error.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

/// A platform file that is gone at the end.
class PlatformFile {
 public:
  explicit PlatformFile(const std::string& content)
      : path_((fs::temp_directory_path() / ("orrery" + std::to_string(getpid()) + ".xml"))) {
    std::ofstream(path_) << "<?xml version='1.0'?>\n"
                            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                            "<platform version=\"4.1\">\n"
                         << content << "\n</platform>\n";
  }
  ~PlatformFile() { fs::remove(path_); }
  PlatformFile(const PlatformFile&) = delete;
  PlatformFile& operator=(const PlatformFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Of three hosts, the last of which cannot be reached: SimGrid ends its process for that.
const char* const split_platform =
    "<zone id='a' routing='Floyd'>"
    "<host id='x' speed='1Gf'/><host id='y' speed='1Gf'/><host id='z' speed='1Gf'/>"
    "<link id='l' bandwidth='1MBps' latency='1ms'/>"
    "<route src='x' dst='y'><link_ctn id='l'/></route></zone>";

/// The processes that this one has started and not waited for.
std::vector<pid_t> children() {
  std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> all;
  for (pid_t child = 0; file >> child;) all.push_back(child);
  return all;
}

/// Does the function throw a `UsageError` that says this?
template <typename Function>
bool is_refused(const Function& function, const std::string& words) {
  try {
    function();
  } catch (const UsageError& error) {
    UNSCOPED_INFO(error.what());
    return std::string(error.what()).find(words) != std::string::npos;
  }
  return false;
}

/// Is this true in a forked process?
template <typename Function>
bool holds_in_child(const Function& function) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);
    _exit(function() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status == 0;
}

}  // namespace

TEST_CASE("A platform is read while something else is done") {
  const PlatformFile file(split_platform);
  PlatformReading reading(file.path());
  CHECK(children().size() == 1);
  const auto platform = reading.finish();
  CHECK(platform->hosts().size() == 3);
  CHECK(platform->route(0, 1).latency == VirtualDuration(1ms));
}

TEST_CASE("What is wrong with a platform is told when its reading is finished, not before") {
  PlatformReading missing("/nowhere/platform.xml");
  CHECK(is_refused([&] { static_cast<void>(missing.finish()); }, "cannot read the platform file"));
  const PlatformFile file("<zone id='a' routing='Full'><host id='x' speed='fast'/></zone>");
  PlatformReading wrong(file.path());
  CHECK(is_refused([&] { static_cast<void>(wrong.finish()); }, "'fast' is not a number"));
  NetworkRequest request(file.path() + ":sharing=fair", "--platform");
  CHECK(is_refused([&] { static_cast<void>(request.factory(2)); }, "there is no sharing 'fair'"));
}

TEST_CASE("A reading that nobody waits for leaves no process behind") {
  const PlatformFile file(split_platform);
  { const PlatformReading reading(file.path()); }
  CHECK(children().empty());
  { const auto platform = read_platform(file.path()); }
  CHECK(children().empty());
}

TEST_CASE("A question that ends its server is an error, and the next one is answered") {
  const PlatformFile file(split_platform);
  const auto platform = read_platform(file.path());
  const auto ask_for_z = [&] { static_cast<void>(platform->route(0, 2)); };
  CHECK(is_refused(ask_for_z, "No route from 'x' to 'z'"));
  CHECK(platform->route(0, 1).links.size() == 1);
  CHECK(is_refused(ask_for_z, "No route from 'x' to 'z'"));
}

TEST_CASE("A forked process has a server of its own, whose end is nothing to others") {
  const PlatformFile file(split_platform);
  const auto platform = read_platform(file.path());
  CHECK(platform->route(0, 1).links.size() == 1);
  const auto asks_for_z = [&] {
    return is_refused([&] { static_cast<void>(platform->route(0, 2)); },
                      "No route from 'x' to 'z'");
  };
  CHECK(holds_in_child(asks_for_z));
  CHECK(holds_in_child([&] { return platform->route(1, 0).links.size() == 1; }));
  CHECK(holds_in_child([&] {
    return platform->route(1, 0).links.size() == 1 && holds_in_child(asks_for_z) &&
           platform->route(0, 1).links.size() == 1;
  }));
  CHECK(platform->route(1, 0).links.size() == 1);
  CHECK(children().size() == 1);
}

TEST_CASE("A reading process that was killed is missed when it is asked for the first time") {
  const PlatformFile file(split_platform);
  const auto platform = read_platform(file.path());
  REQUIRE(children().size() == 1);
  REQUIRE(kill(children().front(), SIGKILL) == 0);
  siginfo_t ended{};
  REQUIRE(waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) == 0);
  CHECK(is_refused([&] { static_cast<void>(platform->route(0, 1)); }, "it died without a word"));
}

TEST_CASE("SimGrid's libraries for ns-3 are not loaded") {
  const std::string program = ORRERY_BUILD_DIR "/lib/orrery/orrery_platform";
  std::FILE* const pipe = popen(("LD_TRACE_LOADED_OBJECTS=1 '" + program + "'").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string libraries;
  for (int character = 0; (character = std::fgetc(pipe)) != EOF;) {
    libraries += static_cast<char>(character);
  }
  REQUIRE(pclose(pipe) == 0);
  CHECK(libraries.find("libsimgrid.so") != std::string::npos);
  std::istringstream lines(libraries);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK((line.find("libns3") == std::string::npos ||
           line.find("/lib/orrery/simgrid/libns3") != std::string::npos));
  }
}
