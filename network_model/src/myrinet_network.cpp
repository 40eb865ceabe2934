#include <string>

#include <orrery/network_model/myrinet_network.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "myrinet_stations.hpp"

namespace orrery {

MyrinetNetwork::MyrinetNetwork(std::uint32_t host_count, const MyrinetParameters& parameters) {
  if (host_count == 0 || host_count > hosts_max) {
    throw UsageError(std::to_string(host_count) + " hosts are out of range", "MyrinetNetwork",
                     "give a number from 1 to " + std::to_string(hosts_max));
  }
  parameters.check();
  stations_ = std::make_unique<detail::MyrinetStations>(host_count, parameters);
}

MyrinetNetwork::~MyrinetNetwork() = default;

void MyrinetNetwork::reset() {
  stations_->reset();
}

std::uint32_t MyrinetNetwork::host_count() const {
  return stations_->host_count();
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

MyrinetStatistics MyrinetNetwork::statistics() const {
  return stations_->statistics();
}

}  // namespace orrery
