#include <filesystem>
#include <unordered_map>

#include <unistd.h>

#include <orrery/network_model/platform_file.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "platform_process.hpp"
#include "platform_text.hpp"
#include "seconds.hpp"

namespace orrery {
namespace {

using detail::AnswerReader;
using detail::from_seconds;
using detail::PlatformProcess;
using detail::PlatformRequest;
using detail::PlatformServer;

std::map<std::string, std::string> read_properties(AnswerReader& answer) {
  std::map<std::string, std::string> properties;
  for (std::uint64_t left = answer.number(); left > 0; --left) {
    std::string key = answer.text();
    properties[std::move(key)] = answer.text();
  }
  return properties;
}

class FilePlatform final : public Platform {
 public:
  FilePlatform(std::string path, std::unique_ptr<PlatformProcess> process)
      : path_(std::move(path)), process_(std::move(process)) {
    AnswerReader answer = process_->description();
    read_hosts(answer);
    if (hosts_.empty()) {
      throw UsageError("the platform has no hosts", path_, "add a <host> or a <cluster> to it");
    }
    read_links(answer);
    has_profiles_ = answer.number() != 0;
  }

  [[nodiscard]] std::span<const PlatformHost> hosts() const override { return hosts_; }
  [[nodiscard]] std::span<const PlatformLink> links() const override { return links_; }

  [[nodiscard]] const PlatformRoute& route(std::uint32_t source,
                                           std::uint32_t destination) override {
    const std::uint64_t pair = std::uint64_t{source} << 32U | destination;
    const auto known = routes_.find(pair);
    if (known != routes_.end()) return known->second;
    detail::ensure(source < hosts_.size() && destination < hosts_.size(), "the hosts exist", source,
                   destination);
    AnswerReader answer = ask({PlatformRequest::Kind::route, source, destination});
    PlatformRoute route;
    route.latency_seconds = answer.real();  // at the start, whatever the date
    route.latency = from_seconds(route.latency_seconds);
    route.links.resize(static_cast<std::size_t>(answer.number()));
    for (std::uint32_t& link : route.links) link = static_cast<std::uint32_t>(answer.number());
    if (route.links.empty() && source != destination) {
      throw UsageError("there is no route from host '" + hosts_[source].name + "' to host '" +
                           hosts_[destination].name + "'",
                       path_, "add a <route> between them");
    }
    return routes_.emplace(pair, std::move(route)).first->second;
  }

  [[nodiscard]] bool links_change() const override { return has_profiles_; }
  [[nodiscard]] std::span<const LinkChange> changes_until(VirtualTime date) override {
    if (!has_profiles_ || date <= changes_known_until_) return changes_;
    // A little more than was asked for: questions of a platform are slow.
    constexpr double picoseconds_per_second = 1e12;
    const double until = 2 * static_cast<double>(date.picoseconds()) / picoseconds_per_second + 1;
    PlatformRequest request{PlatformRequest::Kind::changes, 0, 0};
    std::memcpy(&request.first, &until, sizeof until);
    AnswerReader answer = ask(request);
    for (std::uint64_t left = answer.number(); left > 0; --left) {
      LinkChange change;
      change.date = VirtualTime::start() + from_seconds(answer.real());
      change.link = static_cast<std::uint32_t>(answer.number());
      const auto kind = static_cast<detail::PlatformChange>(answer.number());
      const double value = answer.real();
      if (kind == detail::PlatformChange::latency) {
        change.latency = from_seconds(value);
      } else {
        change.bandwidth_bytes_per_second = value;
      }
      changes_.push_back(change);
    }
    changes_known_until_ = VirtualTime::start() + from_seconds(until);
    return changes_;
  }

 private:
  void read_hosts(AnswerReader& answer) {
    hosts_.resize(static_cast<std::size_t>(answer.number()));
    for (PlatformHost& host : hosts_) {
      host.name = answer.text();
      host.speed_flops = answer.real();
      host.cores = static_cast<std::uint32_t>(answer.number());
      host.properties = read_properties(answer);
    }
  }
  void read_links(AnswerReader& answer) {
    links_.resize(static_cast<std::size_t>(answer.number()));
    for (PlatformLink& link : links_) {
      link.name = answer.text();
      link.bandwidth_bytes_per_second = answer.real();
      link.latency = from_seconds(answer.real());
      link.sharing = answer.number() != 0 ? LinkSharing::fat_pipe : LinkSharing::shared;
      link.properties = read_properties(answer);
    }
  }

  AnswerReader ask(const PlatformRequest& request) {
    if (!server_ || !server_->is_mine()) {
      server_ = process_->serve();
      changes_.clear();  // its clock begins again, whatever it is asked for first
      changes_known_until_ = VirtualTime::start();
    }
    try {
      return server_->ask(request);
    } catch (const UsageError&) {
      server_.reset();  // it is no more; another one answers other questions
      throw;
    }
  }

  std::string path_;
  std::unique_ptr<PlatformProcess> process_;
  std::unique_ptr<PlatformServer> server_;
  std::vector<PlatformHost> hosts_;
  std::vector<PlatformLink> links_;
  bool has_profiles_ = false;
  std::unordered_map<std::uint64_t, PlatformRoute> routes_;  // only looked up
  std::vector<LinkChange> changes_;
  VirtualTime changes_known_until_;
};

void check_can_read(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    throw UsageError(std::string("cannot read the platform file: ") + std::strerror(errno), path,
                     "give the path of a SimGrid platform file, or the name of a network "
                     "(orrery list networks)");
  }
  if (std::filesystem::is_directory(path)) {
    throw UsageError("this is a directory", path, "give the path of a SimGrid platform file");
  }
}

}  // namespace

PlatformReading::PlatformReading(std::string path) : path_(std::move(path)) {
  try {
    check_can_read(path_);
    process_ = std::make_unique<PlatformProcess>(path_);
  } catch (const UsageError&) {
    mistake_ = std::current_exception();
  }
}

PlatformReading::~PlatformReading() = default;

std::shared_ptr<Platform> PlatformReading::finish() {
  if (mistake_) std::rethrow_exception(mistake_);
  detail::ensure(process_ != nullptr, "a reading is finished once");
  detail::check_platform_text(detail::PlatformText(detail::text_of(path_)), path_);
  return std::make_shared<FilePlatform>(path_, std::move(process_));
}

std::shared_ptr<Platform> read_platform(const std::string& path) {
  return PlatformReading(path).finish();
}

}  // namespace orrery
