#include "sweep.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../plots/chart.hpp"
#include "../src/temporary_directory.hpp"

namespace orrery::bench {
namespace {

using Json = nlohmann::json;

constexpr int ranks = 16;
// The last one is more than any of the networks can take.
constexpr std::array<double, 10> rates{1e3,  2e3,   5e3,   10e3,  20e3,
                                       50e3, 100e3, 200e3, 500e3, 2000e3};

/// `messages`: to rank 0.
RatePoint run(const std::string& command, double asked, double messages) {
  const Json report = Json::parse(output_of(command));
  const double seconds = report.at("virtual_time_ns").get<double>() * 1e-9;
  RatePoint point{
      .asked_per_second = asked, .messages_per_second = messages / seconds, .probed = {}};
  for (const Json& one : report.at("stats").at("probe_effect")) {
    const auto number = [&one](const char* key) { return one.at(key).get<double>(); };
    Probed probed;
    probed.time_added = number("virtual_time_added_ps") * 1e-12 / seconds;
    probed.host_ns = number("host_cpu_added_ps") * 1e-3 / messages;
    probed.cycles = (number("nic_cycles_added") + number("port_cycles_added")) / messages;
    probed.reordered = number("messages_reordered") / number("messages");
    probed.changed = number("receives_changed") / number("receives");
    point.probed.push_back(probed);
  }
  return point;
}

LineChart chart_of(const Sweep& sweep, const char* title, double Probed::*what) {
  LineChart chart;
  chart.title = title;
  chart.x = {.title = "messages a second that come to rank 0",
             .scale = Scale::logarithmic,
             .label = {},
             .least = 800,
             .most = 1.2e6};
  chart.y = {.title = "per cent", .scale = Scale::linear, .label = {}};
  for (std::size_t i = 0; i < probed_recorders().size(); ++i) {
    Series series{.name = probed_recorders()[i].name, .points = {}, .colour = i};
    for (const RatePoint& point : sweep.points) {
      series.points.push_back({point.messages_per_second, 100 * (point.probed[i].*what)});
    }
    Series dots = series;
    dots.name.clear();
    dots.look = Look::dots;
    chart.series.push_back(std::move(series));
    chart.series.push_back(std::move(dots));
  }
  return chart;
}

}  // namespace

const std::vector<ProbedRecorder>& probed_recorders() {
  static const std::vector<ProbedRecorder> all{
      {"host", "host"},
      {"host:receive=280ns,file=80us", "host, ten times slower"},
      {"nic", "nic"},
      {"nic:compress=yes", "nic, compressed"},
      {"switch", "switch"}};
  return all;
}

Sweep sweep(const std::string& binary, const std::string& network, const std::string& program,
            bool is_quick) {
  Sweep result{network, program, {}};
  std::string recorders;
  for (const ProbedRecorder& one : probed_recorders()) recorders += std::string(one.option) + " ";
  const int messages = is_quick ? 10 : 600;
  for (const double rate : rates) {
    const std::string command = fmt::format(
        "'{}' run --json --step-limit 1000000000 --virtual-limit inf --wall-limit inf -n {} "
        "--platform {} --probe-effect='{}' '{}' {} {} {}",
        ORRERY_BINARY, ranks, network, recorders, binary, program, messages, rate);
    result.points.push_back(run(command, rate, static_cast<double>(messages) * (ranks - 1)));
  }
  return result;
}

std::string picture(const Sweep& sweep) {
  const std::string name = sweep.network + ", " + sweep.program;
  const LineChart charts[] = {
      chart_of(sweep, (name + ": virtual time added").c_str(), &Probed::time_added),
      chart_of(sweep, "messages that came in another order", &Probed::reordered)};
  return svg(charts);
}

}  // namespace orrery::bench
