// Reads one platform file with SimGrid, describes it to whoever is behind its standard input, and
// forks a server for each that wants to ask more (see platform_protocol.hpp).  A process of its
// own, because SimGrid allows one platform a process, and ends the process where it does not like a
// file.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <simgrid/s4u.hpp>
#include <unistd.h>

#include "../src/platform_protocol.hpp"
#include "latency_profiles.hpp"
#include "platform_clients.hpp"

namespace {

constexpr int door = STDIN_FILENO;

namespace sg = simgrid::s4u;
using orrery::detail::LatencyProfiles;
using orrery::detail::next_client;
using orrery::detail::PlatformAnswer;
using orrery::detail::PlatformChange;
using orrery::detail::PlatformClient;
using orrery::detail::PlatformRequest;
using orrery::detail::read_all;
using orrery::detail::write_all;

/// In one piece: who waits for it is woken once.
void send(int socket, const PlatformAnswer& answer) {
  PlatformAnswer whole;
  whole.text(answer.bytes());
  write_all(socket, whole.bytes().data(), whole.bytes().size());
}

[[noreturn]] void refuse(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::_Exit(2);  // what SimGrid would do at its end is of no use to anybody
}

/// The platform, numbered.
class Served {
 public:
  /// Hosts in the order of the file: SimGrid sorts them by name.
  Served(const sg::Engine& engine, std::vector<sg::Host*> hosts, LatencyProfiles& latencies)
      : hosts_(std::move(hosts)), links_(engine.get_all_links()), latencies_(latencies) {
    std::erase_if(links_, [this](const sg::Link* link) { return latencies_.is_teller(*link); });
    latencies_.find_followers();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      numbers_[links_[i]] = static_cast<std::uint32_t>(i);
      first_latencies_.push_back(links_[i]->get_latency());
    }
  }

  [[nodiscard]] PlatformAnswer description(bool has_profiles) const {
    PlatformAnswer answer;
    answer.number(hosts_.size());
    for (const sg::Host* host : hosts_) {
      answer.text(host->get_name());
      answer.real(host->get_speed());
      answer.number(static_cast<std::uint64_t>(host->get_core_count()));
      properties(answer, *host->get_properties());
    }
    answer.number(links_.size());
    for (const sg::Link* link : links_) {
      const auto policy = link->get_sharing_policy();
      if (policy == sg::Link::SharingPolicy::WIFI) {
        refuse("the link '" + link->get_name() + "' is a WiFi one, which Orrery does not model");
      }
      answer.text(link->get_name());
      answer.real(link->get_bandwidth());
      answer.real(link->get_latency());
      answer.number(policy == sg::Link::SharingPolicy::FATPIPE ? 1 : 0);
      properties(answer, *link->get_properties());
    }
    answer.number(has_profiles ? 1 : 0);
    return answer;
  }

  [[nodiscard]] PlatformAnswer route(std::uint64_t source, std::uint64_t destination) const {
    std::vector<sg::Link*> links;
    double latency = 0;
    hosts_.at(source)->route_to(hosts_.at(destination), links, &latency);
    for (const sg::Link* link : links) {  // as it was at the start, whatever the clock says
      latency += first_latencies_[numbers_.at(link)] - link->get_latency();
    }
    PlatformAnswer answer;
    answer.real(latency);
    answer.number(links.size());
    for (const sg::Link* link : links) answer.number(numbers_.at(link));
    return answer;
  }

  /// What links do until a date: the engine's own clock is moved there, with nobody on the links.
  PlatformAnswer changes(const sg::Engine& engine, double date) {
    changes_ = {};
    change_count_ = 0;
    sg::Actor::create("until", hosts_.front(), [date] { sg::this_actor::sleep_until(date); });
    engine.run();
    PlatformAnswer answer;
    answer.number(change_count_);
    answer.append(changes_);
    return answer;
  }
  void changed(const sg::Link& link) {
    if (!latencies_.is_teller(link)) {
      add_change(link, PlatformChange::bandwidth, link.is_on() ? link.get_bandwidth() : 0.0);
      return;
    }
    for (const sg::Link* follower : latencies_.followers(link)) {
      add_change(*follower, PlatformChange::latency, link.get_bandwidth());
    }
  }

 private:
  void add_change(const sg::Link& link, PlatformChange kind, double value) {
    ++change_count_;
    changes_.real(sg::Engine::get_clock());
    changes_.number(numbers_.at(&link));
    changes_.number(static_cast<std::uint64_t>(kind));
    changes_.real(value);
  }
  static void properties(PlatformAnswer& answer,
                         const std::unordered_map<std::string, std::string>& unsorted) {
    const std::map<std::string, std::string> all(unsorted.begin(), unsorted.end());
    answer.number(all.size());
    for (const auto& [key, value] : all) {
      answer.text(key);
      answer.text(value);
    }
  }
  std::vector<sg::Host*> hosts_;
  std::vector<sg::Link*> links_;
  std::unordered_map<const sg::Link*, std::uint32_t> numbers_;
  std::vector<double> first_latencies_;
  LatencyProfiles& latencies_;
  PlatformAnswer changes_;
  std::uint64_t change_count_ = 0;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Only such platforms are asked for changes.
bool mentions_profiles(const std::string& text) {
  for (const char* word : {"_file=", "<trace", "profile"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Until the client has gone.
[[noreturn]] void answer_all(const sg::Engine& engine, Served& served, int socket) {
  PlatformRequest request;
  while (read_all(socket, &request, sizeof request)) {
    switch (request.kind) {
      case PlatformRequest::Kind::route:
        send(socket, served.route(request.first, request.second));
        break;
      case PlatformRequest::Kind::changes: {
        double date = 0;
        std::memcpy(&date, &request.first, sizeof date);
        send(socket, served.changes(engine, date));
        break;
      }
    }
  }
  std::_Exit(0);
}

void serve(sg::Engine& engine, const std::string& path) {
  const std::string text = content_of(path);
  LatencyProfiles latencies((orrery::detail::PlatformText(text)));
  sg::NetZone::on_creation_cb([&engine, &latencies](const sg::NetZone& zone) {
    if (auto* const open_zone = engine.netzone_by_name_or_null(zone.get_name())) {
      latencies.add_tellers(*open_zone);
    }
  });
  std::vector<sg::Host*> hosts;
  std::unordered_set<const sg::Host*> known;  // SimGrid tells of each host twice
  sg::Host::on_creation_cb([&hosts, &known](sg::Host& host) {
    if (known.insert(&host).second) hosts.push_back(&host);
  });
  engine.load_platform(path);
  engine.seal_platform();
  Served served(engine, std::move(hosts), latencies);
  sg::Link::on_bandwidth_change_cb([&served](const sg::Link& link) { served.changed(link); });
  sg::Link::on_state_change_cb([&served](const sg::Link& link) { served.changed(link); });
  send(door, served.description(mentions_profiles(text)));
  std::signal(SIGCHLD, SIG_IGN);  // so that none is waited for
  while (const std::optional<PlatformClient> client = next_client(door)) {
    const pid_t process = fork();
    if (process == 0) {
      close(door);
      dup2(client->last_words, STDERR_FILENO);
      answer_all(engine, served, client->socket);
    }
    if (process < 0) dprintf(client->last_words, "cannot fork: %s\n", std::strerror(errno));
    close(client->socket);
    close(client->last_words);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) refuse("usage: orrery_platform FILE (started by orrery itself)");
  const std::string path = argv[1];
  std::vector<std::string> words = {argv[0], "--log=root.thres:error", "--log=root.fmt:%m%n",
                                    "--log=no_loc"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  sg::Engine engine(&count, arguments.data());
  try {
    serve(engine, path);
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  std::_Exit(0);
}
