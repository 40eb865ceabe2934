#include "myrinet_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

namespace orrery::detail {
namespace {

/// Marks what is not a fragment: a message from a host to itself, under its own number.
constexpr std::uint64_t local_mark = 1ULL << 63;

constexpr std::uint64_t pair_of(std::uint32_t source, std::uint32_t destination) {
  return std::uint64_t{source} << 32U | destination;
}

/// A platform with one more link at each end of a route: out of the card, and into the other.
class PlatformWithCards final : public Platform {
 public:
  PlatformWithCards(std::shared_ptr<Platform> platform, const std::vector<MyrinetTimes>& cards)
      : platform_(std::move(platform)),
        links_(platform_->links().begin(), platform_->links().end()),
        first_card_link_(static_cast<std::uint32_t>(links_.size())) {
    for (std::size_t i = 0; i < cards.size(); ++i) {
      for (const char* direction : {"-card-out", "-card-in"}) {
        PlatformLink link;
        link.name = platform_->hosts()[i].name + direction;
        link.bandwidth_bytes_per_second =
            static_cast<double>(cards[i].parameters().link_bytes_per_second);
        links_.push_back(std::move(link));
      }
    }
  }

  [[nodiscard]] std::span<const PlatformHost> hosts() const override { return platform_->hosts(); }
  [[nodiscard]] std::span<const PlatformLink> links() const override { return links_; }
  [[nodiscard]] const PlatformRoute& route(std::uint32_t source,
                                           std::uint32_t destination) override {
    const std::uint64_t pair = pair_of(source, destination);
    const auto known = routes_.find(pair);
    if (known != routes_.end()) return known->second;
    PlatformRoute route = platform_->route(source, destination);
    if (source != destination) {
      route.links.insert(route.links.begin(), first_card_link_ + 2 * source);
      route.links.push_back(first_card_link_ + 2 * destination + 1);
    }
    return routes_.emplace(pair, std::move(route)).first->second;
  }
  [[nodiscard]] std::span<const LinkChange> changes_until(VirtualTime date) override {
    return platform_->changes_until(date);
  }
  [[nodiscard]] bool links_change() const override { return platform_->links_change(); }

 private:
  std::shared_ptr<Platform> platform_;
  std::vector<PlatformLink> links_;
  std::uint32_t first_card_link_;
  std::unordered_map<std::uint64_t, PlatformRoute> routes_;  // only looked up
};

}  // namespace

MyrinetFabric::MyrinetFabric(const std::shared_ptr<Platform>& platform,
                             const std::vector<MyrinetTimes>& cards)
    : platform_(std::make_shared<PlatformWithCards>(platform, cards)),
      cards_(cards),
      network_(platform_) {}

MyrinetFabric::~MyrinetFabric() = default;

void MyrinetFabric::reset() {
  network_.reset();
  flows_.clear();
  ends_.reset();
  flows_started_ = 0;
  last_landings_.clear();
}

MyrinetPath MyrinetFabric::path(std::uint32_t source, std::uint32_t destination) {
  const PlatformRoute& route = platform_->route(source, destination);
  const MyrinetParameters& from = cards_[source].parameters();
  const MyrinetParameters& to = cards_[destination].parameters();
  double rate = static_cast<double>(std::min(from.link_bytes_per_second, to.link_bytes_per_second));
  if (!platform_->links_change()) {
    for (const std::uint32_t link : route.links) {
      rate = std::min(rate, platform_->links()[link].bandwidth_bytes_per_second);
    }
  }
  // A bound: the rate is rounded up, and flows end on picoseconds.
  const auto bytes_per_second = static_cast<std::uint64_t>(std::ceil(rate));
  const VirtualDuration latency =
      platform_->links_change() ? VirtualDuration::zero() : route.latency;
  return {bytes_per_second, latency + between_cards(source, destination),
          VirtualDuration::from_picoseconds(2)};
}

VirtualDuration MyrinetFabric::between_cards(std::uint32_t source,
                                             std::uint32_t destination) const {
  const std::uint64_t both =
      cards_[source].parameters().nic_to_nic_ns + cards_[destination].parameters().nic_to_nic_ns;
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(both * 500));
}

void MyrinetFabric::start(std::uint32_t fragment, std::uint32_t source, std::uint32_t destination,
                          std::uint64_t bytes, VirtualTime now) {
  if (fragment >= flows_.size()) flows_.resize(std::size_t{fragment} + 1);
  // Fragments' numbers are used again, transfers' are not.
  const TransferId id{(++flows_started_ << 32U & ~local_mark) | fragment};
  network_.start({id, source, destination, bytes}, now, said_);
  flows_[fragment] = {id, source, destination, network_.latency(source, destination), 0};
  std::vector<ArrivalDate> none;
  take_dates(none);
}

void MyrinetFabric::start_local(const Transfer& transfer, VirtualTime now,
                                std::vector<ArrivalDate>& dates) {
  Transfer local = transfer;
  local.id = TransferId{static_cast<std::uint64_t>(transfer.id) | local_mark};
  network_.start(local, now, said_);
  take_dates(dates);
}

VirtualTime MyrinetFabric::next_event() const {
  return std::min(network_.next_event(), ends_.next());
}

void MyrinetFabric::advance(VirtualTime to, std::vector<Departure>& left,
                            std::vector<ArrivalDate>& dates) {
  network_.advance(to, said_);
  take_dates(dates);
  while (ends_.next() <= to && ends_.next() != VirtualTime::never()) {
    const Event end = ends_.pop();
    Flow& flow = flows_[end.subject];
    if (flow.number != end.number) continue;
    flow.id = {};
    flow.number = 0;
    left.push_back({end.subject, landing(flow, end.date)});
  }
}

/// Fragments of a pair stay in order even if the latency of their way has become less.
VirtualTime MyrinetFabric::landing(const Flow& flow, VirtualTime now) {
  const VirtualTime date = now + flow.latency + between_cards(flow.source, flow.destination);
  if (!platform_->links_change()) return date;
  VirtualTime& last = last_landings_[pair_of(flow.source, flow.destination)];
  return last = std::max(last, date);
}

void MyrinetFabric::take_dates(std::vector<ArrivalDate>& dates) {
  for (const ArrivalDate& said : said_) {
    const auto id = static_cast<std::uint64_t>(said.transfer);
    if ((id & local_mark) != 0) {
      dates.push_back({TransferId{id & ~local_mark}, said.date});
      continue;
    }
    const auto fragment = static_cast<std::uint32_t>(id);
    Flow& flow = flows_[fragment];
    // The network may look again at a flow that ended at the date at which another one started.
    if (flow.id != said.transfer) continue;
    flow.number = 0;
    if (said.date == VirtualTime::never()) continue;  // a link is down
    flow.number = ends_.add(said.date - flow.latency, EventKind::link_done, fragment);
  }
  said_.clear();
}

}  // namespace orrery::detail
