#include <algorithm>
#include <array>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/jittered_network.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery {
namespace {

constexpr std::string_view property = "jitter";
constexpr std::int64_t one = 1 << 16;  // what the table counts in

/// -ln(1 - p) in units of 2^-16, p in the middle of each of 256 equal parts; the first is 0.  Made
/// by the compiler, of sums and products only: ln n of odd n grows by 2 artanh(1 / (n - 1)).
constexpr std::array<std::int64_t, Jitter::quantiles> exponential_quantiles() {
  constexpr std::size_t odd_max = 2 * Jitter::quantiles - 1;
  std::array<double, odd_max + 1> log_of_odd{};
  for (std::size_t n = 3; n <= odd_max; n += 2) {
    const double x = 1.0 / static_cast<double>(n - 1);
    double term = x;
    double sum = 0;
    for (int k = 1; k < 80; k += 2, term *= x * x) sum += term / k;
    log_of_odd[n] = log_of_odd[n - 2] + 2 * sum;
  }
  constexpr double log_of_2 = 0.693147180559945309417;
  constexpr double log_of_all = 9 * log_of_2;  // of 512, twice the number of quantiles
  std::array<std::int64_t, Jitter::quantiles> table{};
  for (std::size_t i = 1; i < table.size(); ++i) {
    const double value = log_of_all - log_of_odd[odd_max - 2 * i];
    table[i] = static_cast<std::int64_t>(value * static_cast<double>(one));  // rounded down
  }
  return table;
}
constexpr auto exponential = exponential_quantiles();
static_assert(exponential[0] == 0 && exponential[Jitter::quantiles - 1] < 7 * one);

Jitter jitter_of(const PlatformLink& link) {
  const auto found = link.properties.find(std::string(property));
  if (found == link.properties.end()) return {};
  return parse_jitter(found->second, "link '" + link.name + "' property 'jitter'");
}

}  // namespace

VirtualDuration Jitter::quantile(std::uint64_t draw) const {
  detail::ensure(draw < quantiles, "a draw is one of the quantiles", draw);
  const std::int64_t part = shape == Shape::uniform ? static_cast<std::int64_t>(draw) * one /
                                                          static_cast<std::int64_t>(quantiles - 1)
                                                    : exponential[draw];
  // In two halves, so that a scale of hours does not overflow.
  const std::int64_t picoseconds = scale.picoseconds();
  return VirtualDuration::from_picoseconds(picoseconds / one * part +
                                           picoseconds % one * part / one);
}

Jitter parse_jitter(std::string_view text, std::string_view where) {
  Jitter jitter;
  std::string_view duration = text;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const std::string_view shape = text.substr(0, dash);
    if (shape == "exponential") {
      jitter.shape = Jitter::Shape::exponential;
    } else if (shape != "uniform") {
      throw UsageError("there is no jitter '" + std::string(text) + "'", std::string(where),
                       "write 5us (from 0 to 5us) or exponential-5us (5us on average)");
    }
    duration.remove_prefix(dash + 1);
  }
  jitter.scale = parse_duration(duration, where);
  constexpr auto scale_max = std::chrono::hours(1);
  if (jitter.scale > VirtualDuration(scale_max)) {
    throw UsageError("a jitter of " + std::string(duration) + " is too long", std::string(where),
                     "give at most an hour");
  }
  return jitter;
}

bool has_jitter(const Platform& platform) {
  for (const PlatformLink& link : platform.links()) {
    if (link.properties.contains(std::string(property))) return true;
  }
  return false;
}

JitteredNetwork::JitteredNetwork(std::unique_ptr<NetworkModel> inside, const Jitter& jitter)
    : inside_(std::move(inside)), jitter_(jitter) {}

JitteredNetwork::JitteredNetwork(std::unique_ptr<NetworkModel> inside,
                                 std::shared_ptr<Platform> platform)
    : inside_(std::move(inside)), platform_(std::move(platform)) {
  for (const PlatformLink& link : platform_->links()) by_link_.push_back(jitter_of(link));
}

void JitteredNetwork::set_chances(ChanceSource* source) {
  chances_ = source;
  inside_->set_chances(source);
}

void JitteredNetwork::reset() {
  delays_.clear();
  delays_max_ = least_delays_max;
  inside_->reset();
}

VirtualDuration JitteredNetwork::draw(const Transfer& transfer) {
  // Names for the draws of a transfer: nobody has a route of more links.
  constexpr std::uint64_t draws_max = 1024;
  const std::uint64_t first_key = static_cast<std::uint64_t>(transfer.id) * draws_max;
  VirtualDuration delay;
  if (chances_ == nullptr) return delay;
  if (platform_ == nullptr) {
    if (transfer.source_host == transfer.destination_host) return delay;
    return jitter_.quantile(chances_->draw(first_key, Jitter::quantiles));
  }
  const PlatformRoute& route = platform_->route(transfer.source_host, transfer.destination_host);
  for (std::size_t i = 0; i < route.links.size(); ++i) {
    const Jitter& jitter = by_link_[route.links[i]];
    if (jitter.scale == VirtualDuration::zero()) continue;
    delay += jitter.quantile(chances_->draw(first_key + i % draws_max, Jitter::quantiles));
  }
  return delay;
}

void JitteredNetwork::start(const Transfer& transfer, VirtualTime now,
                            std::vector<ArrivalDate>& dates) {
  const VirtualDuration delay = draw(transfer);
  if (delay > VirtualDuration::zero()) {
    if (delays_.size() >= delays_max_) forget_arrived(now);
    delays_.emplace(static_cast<std::uint64_t>(transfer.id), Delay{delay, VirtualTime::never()});
  }
  const std::size_t before = dates.size();
  inside_->start(transfer, now, dates);
  add_delays(dates, before);
}

void JitteredNetwork::advance(VirtualTime to, std::vector<ArrivalDate>& dates) {
  const std::size_t before = dates.size();
  inside_->advance(to, dates);
  add_delays(dates, before);
}

void JitteredNetwork::finalize(std::uint32_t host, VirtualTime now,
                               std::vector<ArrivalDate>& dates) {
  const std::size_t before = dates.size();
  inside_->finalize(host, now, dates);
  add_delays(dates, before);
}

void JitteredNetwork::add_delays(std::vector<ArrivalDate>& dates, std::size_t from) {
  for (std::size_t i = from; i < dates.size(); ++i) {
    const auto delay = delays_.find(static_cast<std::uint64_t>(dates[i].transfer));
    if (delay == delays_.end()) continue;
    delay->second.arrival = dates[i].date;
    dates[i].date = dates[i].date + delay->second.by;
  }
}

/// A date that has passed is not revised any more.
void JitteredNetwork::forget_arrived(VirtualTime now) {
  std::erase_if(delays_, [now](const auto& delay) { return delay.second.arrival < now; });
  delays_max_ = std::max(least_delays_max, 2 * delays_.size());
}

}  // namespace orrery
