// What libraries that nobody instruments do to memory, while real threads are recorded with theirs.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::outputs_of_replays;
using orrery::test::WorkingDirectory;

// Each thread has streams of its own and meets others in one, whose header looks into the library's
// variables; the library calls functions that the program has, too.
const std::string streams = R"(
#include <cstdio>
#include <iomanip>
#include <locale>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
static std::mutex lock;
static std::string all;
static std::ostringstream common;
static long racy;
static void work(int me) {
  for (int i = 0; i < 12; ++i) {
    std::stringstream own;
    own << std::setw(5) << std::hex << me << ':' << 1.5 * i << ' ' << "x 12 3.5" << std::endl;
    std::string first, second, line;
    int number = 0;
    own >> first >> second;
    own >> std::ws >> line >> number;
    std::getline(own, line);
    std::wostringstream wide;
    wide << L"wide " << i;
    const std::string text = first + second + line + std::to_string(i * 0.25) +
                             std::to_string(wide.str().size() + number);
    racy = racy + static_cast<long>(text.size());
    std::lock_guard<std::mutex> held(lock);
    common << text << std::setfill('*') << std::setw(4) << me << '\n';
    all += text;
  }
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work, i);
  for (auto& one : threads) one.join();
  std::printf("%s%ld %zu\n", common.str().c_str(), racy, all.size());
}
)";

// The library fills a facet of the program's when it is first asked; whoever comes later looks by
// instructions of the program's.
const std::string facet = R"(
#include <cstdio>
#include <locale>
#include <string>
#include <thread>
#include <vector>
static std::ctype<char>* letters;
static volatile long racy;
static void work(long me) {
  char got[3];
  for (int i = 0; i < 8; ++i) {
    const char text[] = {'a', static_cast<char>('b' + i), 'c'};
    letters->widen(text, text + 3, got);
    racy = racy * 3 + me + letters->widen('d') + letters->narrow(got[1], '?') + got[2];
  }
}
int main() {
  for (int round = 0; round < 4; ++round) {
    const std::locale own(std::locale::classic(), letters = new std::ctype<char>);
    std::vector<std::thread> threads;
    for (long i = 0; i < 3; ++i) threads.emplace_back(work, i);
    for (auto& one : threads) one.join();
  }
  std::printf("%ld\n", static_cast<long>(racy));
}
)";

// Who finds that it has been done is in no record: whatever it does next may come before what
// others did long ago.
const std::string once = R"(
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::once_flag flag;
static std::string made;
static volatile long racy;
static void work(long me) {
  for (int i = 0; i < 10; ++i) {
    std::call_once(flag, [me] { made = "made by " + std::to_string(me); });
    racy = racy * 3 + me + static_cast<long>(made.size());
  }
}
int main() {
  std::vector<std::thread> threads;
  for (long i = 0; i < 3; ++i) threads.emplace_back(work, i);
  for (auto& one : threads) one.join();
  std::printf("%s %ld\n", made.c_str(), static_cast<long>(racy));
}
)";

void check_replays(const std::string& source, const std::string& flags, int runs) {
  const WorkingDirectory here;
  build_hooked(here, source, flags);
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    for (int seed = 1; seed <= runs; ++seed) {
      CAPTURE(method, seed);
      const CommandResult real = here.orrery(
          fmt::format("record --quiet --method {} --inject-delays=50us --seed {} -o run.orr ./app",
                      method, seed));
      INFO(real.err);
      REQUIRE(real.status == 0);
      CHECK(outputs_of_replays(here) == real.out + "no finding");
    }
  }
}

}  // namespace

TEST_CASE("Threads that read and write by streams do so again in each replay") {
  check_replays(streams, "-O2", 2);
  check_replays(streams, "-O0", 1);
}

TEST_CASE("What the C++ library fills in behind its header's back is a write like others") {
  check_replays(facet, "-O2", 3);
}

TEST_CASE("Who finds that something has been done once waits for nothing else") {
  check_replays(once, "-O2", 4);
}
