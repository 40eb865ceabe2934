#include <algorithm>
#include <fstream>
#include <functional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/placement.hpp>

namespace orrery {
namespace {

/// So many ranks on one host are a slip of the finger.
constexpr std::uint64_t ranks_max = 1'000'000;
/// Names of larger clusters are not compared one by one for a hint.
constexpr std::uint32_t hosts_compared_max = 100'000;
constexpr std::string_view block_prefix = "block:";

[[noreturn]] void refuse_host(std::string_view name, const NetworkModel& network,
                              std::string_view where) {
  const std::uint32_t count = network.host_count();
  const std::string first = network.host(0).name;
  const std::string last = network.host(count - 1).name;
  std::string hint = count == 1 ? "the only host is '" + first + "', or 0"
                                : "there are " + std::to_string(count) + " hosts, from '" + first +
                                      "' to '" + last + "', or 0 to " + std::to_string(count - 1);
  if (count <= hosts_compared_max) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < count; ++i) names.push_back(network.host(i).name);
    const std::string nearest = nearest_name(name, names);
    if (!nearest.empty()) hint = "did you mean '" + nearest + "'? " + hint;
  }
  throw UsageError("there is no host '" + std::string(name) + "'", std::string(where), hint);
}

/// Hosts by name or number.  Reads all names once, when the first is asked for that does not end in
/// its own number.
class HostFinder {
 public:
  explicit HostFinder(const NetworkModel& network) : network_(network) {}

  std::uint32_t number_of(std::string_view name, std::string_view where) {
    const std::uint32_t count = network_.host_count();
    constexpr std::size_t digits_max = 9;
    const std::size_t digits = name.size() - (name.find_last_not_of("0123456789") + 1);
    std::uint32_t number = count;
    if (digits > 0 && digits <= digits_max) {
      number =
          static_cast<std::uint32_t>(parse_whole_number(name.substr(name.size() - digits), where));
      if (number < count && network_.host(number).name == name) return number;
    }
    if (numbers_.empty()) {
      for (std::uint32_t i = 0; i < count; ++i) numbers_.emplace(network_.host(i).name, i);
    }
    const auto found = numbers_.find(std::string(name));
    if (found != numbers_.end()) return found->second;
    if (digits == name.size() && number < count) return number;
    refuse_host(name, network_, where);
  }

 private:
  const NetworkModel& network_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // only looked up
};

using HostReader = std::function<std::uint32_t(std::string_view name)>;

void check_length(const std::vector<std::uint32_t>& hosts, std::optional<std::uint32_t> ranks,
                  std::string_view where, const std::string& hint) {
  if (!ranks || hosts.size() >= *ranks) return;
  throw UsageError("there are places for " + std::to_string(hosts.size()) + " of " +
                       std::to_string(*ranks) + " ranks",
                   std::string(where), hint);
}

void append(std::vector<std::uint32_t>& hosts, std::uint32_t host, std::uint64_t count,
            std::string_view where) {
  if (hosts.size() + count > ranks_max) {
    throw UsageError("there are places for more than " + std::to_string(ranks_max) + " ranks",
                     std::string(where), "give fewer");
  }
  hosts.insert(hosts.end(), static_cast<std::size_t>(count), host);
}

std::vector<std::uint32_t> parse_list(std::string_view text, const HostReader& read_host,
                                      std::string_view where) {
  std::vector<std::uint32_t> hosts;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view entry = text.substr(0, comma);
    const std::size_t star = entry.rfind('*');
    std::uint64_t count = 1;
    if (star != std::string_view::npos) {
      count = parse_whole_number(entry.substr(star + 1), where, 1, ranks_max);
    }
    append(hosts, read_host(entry.substr(0, star)), count, where);
    if (comma == std::string_view::npos) return hosts;
    text.remove_prefix(comma + 1);
  }
}

/// Without blanks at its ends.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// One line of a host file that names a host.
void read_host_line(std::string_view line, HostFinder& finder, const std::string& where,
                    std::vector<std::uint32_t>& hosts) {
  const std::size_t end = line.find_first_of(" \t");
  const std::uint32_t host = finder.number_of(line.substr(0, end), where);
  std::uint64_t slots = 1;
  if (end != std::string_view::npos) {
    constexpr std::string_view key = "slots=";
    const std::string_view rest = trimmed(line.substr(end));
    if (!rest.starts_with(key)) {
      throw UsageError("'" + std::string(rest) + "' is not understood", where,
                       "write 'NAME' or 'NAME slots=N'");
    }
    slots = parse_whole_number(rest.substr(key.size()), where + ": slots", 1, ranks_max);
  }
  append(hosts, host, slots, where);
}

}  // namespace

Placement Placement::block(std::uint32_t ranks_per_host) {
  if (ranks_per_host == 0) {
    throw UsageError("a host gets no rank at all", "Placement::block", "give 1 or more");
  }
  Placement placement;
  placement.ranks_per_host_ = ranks_per_host;
  return placement;
}

Placement Placement::list(std::vector<std::uint32_t> hosts) {
  if (hosts.empty()) {
    throw UsageError("no rank gets a host", "Placement::list", "give a host for each rank");
  }
  Placement placement;
  placement.hosts_ = std::move(hosts);
  return placement;
}

std::uint32_t Placement::host_of(std::uint32_t rank, std::uint32_t host_count) const {
  if (hosts_.empty()) return rank / ranks_per_host_ % host_count;
  if (rank >= hosts_.size()) {
    throw UsageError("there is no place for rank " + std::to_string(rank), "placement",
                     "give a list of more than " + std::to_string(hosts_.size()) + " hosts");
  }
  if (hosts_[rank] >= host_count) {
    throw UsageError(
        "there is no host " + std::to_string(hosts_[rank]) + " for rank " + std::to_string(rank),
        "placement", "hosts are numbered from 0 to " + std::to_string(host_count - 1));
  }
  return hosts_[rank];
}

std::string Placement::text() const {
  if (hosts_.empty()) {
    return ranks_per_host_ == 1 ? "" : "block:" + std::to_string(ranks_per_host_);
  }
  std::string text;
  for (std::size_t i = 0; i < hosts_.size();) {
    const auto begin = hosts_.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        std::find_if(begin, hosts_.end(), [host = hosts_[i]](auto other) { return other != host; });
    text += fmt::format("{}{}", i == 0 ? "" : ",", hosts_[i]);
    if (end - begin > 1) text += fmt::format("*{}", end - begin);
    i += static_cast<std::size_t>(end - begin);
  }
  return text;
}

Placement Placement::from_text(std::string_view text, std::string_view where) {
  if (text.empty()) return {};
  if (text.starts_with(block_prefix)) {
    return block(static_cast<std::uint32_t>(
        parse_whole_number(text.substr(block_prefix.size()), where, 1, ranks_max)));
  }
  const auto read_number = [&](std::string_view number) {
    return static_cast<std::uint32_t>(parse_whole_number(number, where, 0, UINT32_MAX));
  };
  return list(parse_list(text, read_number, where));
}

Placement parse_placement(std::string_view text, const NetworkModel& network,
                          std::optional<std::uint32_t> ranks, std::string_view where) {
  if (text == "round-robin") return {};
  if (text == "block") {
    if (!ranks) {
      throw UsageError("it is not known how many ranks there will be", std::string(where),
                       "write block:N for N ranks on each host");
    }
    const std::uint32_t hosts = network.host_count();
    return Placement::block(std::max(1U, *ranks / hosts + (*ranks % hosts != 0 ? 1U : 0U)));
  }
  if (text.starts_with(block_prefix)) return Placement::from_text(text, where);
  HostFinder finder(network);
  std::vector<std::uint32_t> hosts = parse_list(
      text, [&](std::string_view name) { return finder.number_of(name, where); }, where);
  check_length(hosts, ranks, where,
               "give a host for each rank (HOST*N for N of them), 'round-robin' or 'block'");
  return Placement::list(std::move(hosts));
}

Placement read_host_file(const std::string& path, const NetworkModel& network,
                         std::optional<std::uint32_t> ranks) {
  std::ifstream file(path);
  HostFinder finder(network);
  std::vector<std::uint32_t> hosts;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string_view content = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (content.empty()) continue;
    read_host_line(content, finder, path + ":" + std::to_string(number), hosts);
  }
  if (!file.eof()) {
    throw UsageError("the host file cannot be read", path, "give the path of a readable text file");
  }
  if (hosts.empty()) {
    throw UsageError("the host file names no host", path,
                     "write 'NAME slots=N' on a line for each");
  }
  check_length(hosts, ranks, path, "add hosts, or give more of them slots=N");
  return Placement::list(std::move(hosts));
}

std::uint32_t host_number(std::string_view name, const NetworkModel& network,
                          std::string_view where) {
  return HostFinder(network).number_of(name, where);
}

}  // namespace orrery
