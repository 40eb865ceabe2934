// What SimGrid itself says: the ends of flows over a platform, in seconds since the start.
// usage: orrery_s4u_dates PLATFORM, and on standard input a line a flow: start, source,
// destination, bytes.  Plain max-min sharing; the latency of the route is not in the ends.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace {

namespace sg = simgrid::s4u;

struct Flow {
  double start = 0;
  unsigned source = 0;
  unsigned destination = 0;
  unsigned long long bytes = 0;
  double end = -1;
};

std::vector<Flow> read_flows() {
  std::vector<Flow> flows;
  Flow flow;
  while (std::scanf("%lf %u %u %llu", &flow.start, &flow.source, &flow.destination, &flow.bytes) ==
         4) {
    flows.push_back(flow);
  }
  return flows;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<std::string> words = {argv[0],
                                    "--log=root.thres:error",
                                    "--cfg=network/model:CM02",
                                    "--cfg=network/crosstraffic:0",
                                    "--cfg=network/latency-factor:0",
                                    "--cfg=network/TCP-gamma:1e18",
                                    "--cfg=surf/precision:1e-12"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  sg::Engine engine(&count, arguments.data());
  engine.load_platform(argv[1]);
  const auto hosts = engine.get_all_hosts();
  std::vector<Flow> flows = read_flows();
  sg::Actor::create("driver", hosts.front(), [&flows, &hosts] {
    for (Flow& flow : flows) {
      sg::this_actor::sleep_until(flow.start);
      sg::Actor::create("flow", hosts.front(), [&flow, &hosts] {
        sg::Comm::sendto(hosts.at(flow.source), hosts.at(flow.destination), flow.bytes);
        flow.end = sg::Engine::get_clock();
      });
    }
  });
  engine.run();
  for (const Flow& flow : flows) std::printf("%.17g\n", flow.end);
  return 0;
}
