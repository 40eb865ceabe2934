// SimGrid's own side of a comparison: pairs of actors that send a message forth and back.
// usage: orrery_s4u_put_get PLATFORM PAIRS MESSAGES; prints the processor seconds of the
// simulation.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include <simgrid/s4u.hpp>

namespace {

namespace sg = simgrid::s4u;

constexpr unsigned long message_bytes = 1'000;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// One of a pair: takes turns with the other, so that one message a pair is under way.
void talk(bool begins, int messages, const std::string& own, const std::string& other) {
  static int payload = 0;
  for (int i = 0; i < messages; ++i) {
    if ((i % 2 == 0) == begins) {
      sg::Mailbox::by_name(other)->put(&payload, message_bytes);
    } else {
      sg::Mailbox::by_name(own)->get<int>();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::string quiet = "--log=root.thres:error";
  char* arguments[] = {argv[0], quiet.data(), nullptr};
  int count = 2;
  sg::Engine engine(&count, arguments);
  engine.load_platform(argv[1]);
  const auto hosts = engine.get_all_hosts();
  const int pairs = std::atoi(argv[2]);
  const int messages = std::atoi(argv[3]);
  for (int i = 0; i < pairs; ++i) {
    const std::string a = "a" + std::to_string(i);
    const std::string b = "b" + std::to_string(i);
    sg::Actor::create(a, hosts.at(2 * i), [=] { talk(true, messages, a, b); });
    sg::Actor::create(b, hosts.at(2 * i + 1), [=] { talk(false, messages, b, a); });
  }
  const double start = cpu_seconds();
  engine.run();
  std::printf("%.9f\n", cpu_seconds() - start);
  return 0;
}
