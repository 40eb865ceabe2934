#include <string>

#include <orrery/network_model/myrinet_network.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "myrinet_stations.hpp"

namespace orrery {
MyrinetNetwork::MyrinetNetwork(std::uint32_t host_count, const MyrinetParameters& parameters,
                               std::unique_ptr<FirmwareHook> hook) {
  if (host_count == 0 || host_count > hosts_max) {
    throw UsageError(std::to_string(host_count) + " hosts are out of range", "MyrinetNetwork",
                     "give a number from 1 to " + std::to_string(hosts_max));
  }
  parameters.check();
  stations_ =
      std::make_unique<detail::MyrinetStations>(host_count, std::vector{parameters}, nullptr);
  if (hook) stations_->load(std::move(hook));
}

MyrinetNetwork::MyrinetNetwork(const std::shared_ptr<Platform>& platform,
                               const std::vector<MyrinetParameters>& cards,
                               std::unique_ptr<FirmwareHook> hook) {
  const auto hosts = platform->hosts();
  if (hosts.empty() || hosts.size() > hosts_max || cards.size() != hosts.size()) {
    throw UsageError(
        std::to_string(hosts.size()) + " hosts with " + std::to_string(cards.size()) + " cards",
        "MyrinetNetwork", "give one card for each host, and 1 to " + std::to_string(hosts_max));
  }
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const std::string where = "the card of host '" + hosts[i].name + "'";
    cards[i].check(where);
    if (cards[i].fragment_bytes == cards.front().fragment_bytes) continue;
    throw UsageError("it sends fragments of " + std::to_string(cards[i].fragment_bytes) +
                         " bytes, that of '" + hosts.front().name + "' of " +
                         std::to_string(cards.front().fragment_bytes),
                     where, "give all cards the same fragment_bytes");
  }
  stations_ = std::make_unique<detail::MyrinetStations>(static_cast<std::uint32_t>(hosts.size()),
                                                        cards, platform);
  if (hook) stations_->load(std::move(hook));
}

MyrinetNetwork::~MyrinetNetwork() = default;

void MyrinetNetwork::load_firmware(std::shared_ptr<FirmwareHook> hook) {
  stations_->load(std::move(hook));
}

void MyrinetNetwork::reset() {
  stations_->reset();
}

std::uint32_t MyrinetNetwork::host_count() const {
  return stations_->host_count();
}

HostDescription MyrinetNetwork::host(std::uint32_t index) const {
  const SimGridNetwork* const fabric = stations_->fabric();
  return fabric != nullptr ? fabric->host(index) : NetworkModel::host(index);
}

void MyrinetNetwork::start(const Transfer& transfer, VirtualTime now,
                           std::vector<ArrivalDate>& dates) {
  stations_->start(transfer, now, dates);
}

VirtualTime MyrinetNetwork::next_event() const {
  return stations_->next_event();
}

void MyrinetNetwork::advance(VirtualTime to, std::vector<ArrivalDate>& dates) {
  stations_->advance(to, dates);
}

void MyrinetNetwork::request(std::uint32_t host, const FirmwareRequest& request, VirtualTime now,
                             std::vector<ArrivalDate>& dates) {
  stations_->request(host, request, now, dates);
}

void MyrinetNetwork::finalize(std::uint32_t host, VirtualTime now,
                              std::vector<ArrivalDate>& dates) {
  stations_->finalize(host, now, dates);
}

void MyrinetNetwork::keep_statistics(bool wanted) {
  stations_->keep_use_over_time(wanted);
}

MyrinetStatistics MyrinetNetwork::card_statistics() const {
  return stations_->statistics();
}

NetworkStatistics MyrinetNetwork::statistics() const {
  return stations_->named_statistics(*this);
}

}  // namespace orrery
