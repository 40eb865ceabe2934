#include <utility>

#include "network_report.hpp"

namespace orrery::cli {
namespace {

Json object_of(const Traffic& traffic) {
  return {
      {"messages", traffic.messages}, {"fragments", traffic.fragments}, {"bytes", traffic.bytes}};
}

Traffic traffic_from(const Json& value) {
  Traffic traffic;
  traffic.messages = value.at("messages").get<std::uint64_t>();
  traffic.fragments = value.at("fragments").get<std::uint64_t>();
  traffic.bytes = value.at("bytes").get<std::uint64_t>();
  return traffic;
}

VirtualDuration duration_from(const Json& value) {
  return VirtualDuration::from_picoseconds(value.get<std::int64_t>());
}

Json object_of(const UseOverTime& use) {
  Json busy = Json::array();
  for (const VirtualDuration bucket : use.buckets()) busy.push_back(bucket.picoseconds());
  return {{"bucket_ps", use.bucket_width().picoseconds()}, {"busy_ps", std::move(busy)}};
}

UseOverTime use_over_time_from(const Json& value) {
  UseOverTime use;
  const VirtualDuration width = duration_from(value.at("bucket_ps"));
  VirtualTime from;
  for (const Json& busy : value.at("busy_ps")) {
    use.add(from, from + width, duration_from(busy));
    from = from + width;
  }
  return use;
}

void put_use(Json& into, const StationUse& use, const UseOverTime& over_time) {
  into["busy_ps"] = use.busy.picoseconds();
  into["longest_wait_ps"] = use.longest_wait.picoseconds();
  into["longest_queue"] = use.longest_queue;
  into["over_time"] = object_of(over_time);
}

StationUse use_from(const Json& value) {
  StationUse use;
  use.busy = duration_from(value.at("busy_ps"));
  use.longest_wait = duration_from(value.at("longest_wait_ps"));
  use.longest_queue = value.at("longest_queue").get<std::uint64_t>();
  return use;
}

Json object_of(const NetworkNic& nic) {
  Json stations = Json::array();
  for (const NetworkStation& station : nic.stations) {
    Json one{{"name", station.name}};
    put_use(one, station.use, station.over_time);
    stations.push_back(std::move(one));
  }
  return {{"host", nic.host},
          {"sent", object_of(nic.sent)},
          {"received", object_of(nic.received)},
          {"local", object_of(nic.local)},
          {"stations", std::move(stations)},
          {"hook_cycles", nic.hook.cycles},
          {"hook_kept_bytes", nic.hook.kept_bytes},
          {"hook_dma_bytes", nic.hook.dma_bytes},
          {"hook_interrupts", nic.hook.interrupts},
          {"hook_interrupt_ps", nic.hook.interrupt_time.picoseconds()},
          {"hook_wait_ps", nic.hook.waited_for_room.picoseconds()}};
}

NetworkNic nic_from(const Json& value) {
  NetworkNic nic;
  nic.host = value.at("host").get<std::string>();
  nic.sent = traffic_from(value.at("sent"));
  nic.received = traffic_from(value.at("received"));
  nic.local = traffic_from(value.at("local"));
  for (const Json& one : value.at("stations")) {
    nic.stations.push_back({one.at("name").get<std::string>(), use_from(one),
                            use_over_time_from(one.at("over_time"))});
  }
  nic.hook.cycles = value.at("hook_cycles").get<std::uint64_t>();
  nic.hook.kept_bytes = value.at("hook_kept_bytes").get<std::uint64_t>();
  nic.hook.dma_bytes = value.at("hook_dma_bytes").get<std::uint64_t>();
  nic.hook.interrupts = value.at("hook_interrupts").get<std::uint64_t>();
  nic.hook.interrupt_time = duration_from(value.at("hook_interrupt_ps"));
  nic.hook.waited_for_room = duration_from(value.at("hook_wait_ps"));
  return nic;
}

}  // namespace

Json network_json(const NetworkStatistics& statistics) {
  Json nics = Json::array();
  for (const NetworkNic& nic : statistics.nics) nics.push_back(object_of(nic));
  Json links = Json::array();
  for (const NetworkLink& link : statistics.links) {
    Json one{{"name", link.name}};
    one.update(object_of(link.traffic));
    put_use(one, link.use, link.over_time);
    links.push_back(std::move(one));
  }
  return {{"end_ps", statistics.end.picoseconds()},
          {"nics", std::move(nics)},
          {"links", std::move(links)}};
}

NetworkStatistics network_from(const Json& value) {
  NetworkStatistics statistics;
  statistics.end = VirtualTime::from_picoseconds(value.at("end_ps").get<std::int64_t>());
  for (const Json& nic : value.at("nics")) statistics.nics.push_back(nic_from(nic));
  for (const Json& one : value.at("links")) {
    statistics.links.push_back({one.at("name").get<std::string>(), traffic_from(one), use_from(one),
                                use_over_time_from(one.at("over_time"))});
  }
  return statistics;
}

}  // namespace orrery::cli
