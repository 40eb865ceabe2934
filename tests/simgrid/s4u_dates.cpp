// What SimGrid itself says: the ends of flows over a platform, in seconds since the start.
// usage: orrery_s4u_dates MODEL PLATFORM, and on standard input a line a flow: start, source,
// destination, bytes.  MODEL is LV08 (SimGrid as it comes), CM02, or plain: max-min sharing, where
// the latency of the route, as it is at the start, is added to the end.
#include <algorithm>
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
  double latency = 0;
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

double latency_between(const sg::Host* source, const sg::Host* destination) {
  std::vector<sg::Link*> links;
  double latency = 0;
  source->route_to(destination, links, &latency);
  return latency;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string model = argv[1];
  const bool is_plain = model == "plain";
  std::vector<std::string> words = {argv[0], "--log=root.thres:error"};
  if (model != "LV08") words.emplace_back("--cfg=network/model:CM02");
  if (is_plain) {
    for (const char* word : {"--cfg=network/crosstraffic:0", "--cfg=network/latency-factor:0",
                             "--cfg=network/TCP-gamma:1e18", "--cfg=surf/precision:1e-12"}) {
      words.emplace_back(word);
    }
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  sg::Engine engine(&count, arguments.data());
  std::vector<sg::Host*> hosts;  // in the order of the file
  sg::Host::on_creation_cb([&hosts](sg::Host& host) {
    // SimGrid tells of each host twice.
    if (std::find(hosts.begin(), hosts.end(), &host) == hosts.end()) hosts.push_back(&host);
  });
  engine.load_platform(argv[2]);
  std::vector<Flow> flows = read_flows();
  sg::Actor::create("driver", hosts.front(), [&flows, &hosts, is_plain] {
    for (Flow& flow : flows) {
      sg::this_actor::sleep_until(flow.start);
      if (is_plain)
        flow.latency = latency_between(hosts.at(flow.source), hosts.at(flow.destination));
      sg::Actor::create("flow", hosts.front(), [&flow, &hosts] {
        sg::Comm::sendto(hosts.at(flow.source), hosts.at(flow.destination), flow.bytes);
        flow.end = sg::Engine::get_clock();
      });
    }
  });
  engine.run();
  for (const Flow& flow : flows) std::printf("%.17g\n", flow.end + flow.latency);
  return 0;
}
