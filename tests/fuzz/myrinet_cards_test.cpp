// Random Myrinet cards on random fabrics, with random traffic and firmware: every byte arrives
// once, pairs stay in order, and no date that was said is broken.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/built_platform.hpp>

#include "unit/myrinet_traffic.hpp"

using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

/// Takes cycles, memory and the bus, and sends packets to the next card now and then.
class BusyHook final : public FirmwareHook {
 public:
  explicit BusyHook(std::uint32_t hosts) : hosts_(hosts) {}
  [[nodiscard]] std::uint64_t buffer_bytes() const override { return 100; }
  FirmwareWork on_send(const FirmwareCall& call, const Transfer& transfer) override {
    const auto id = static_cast<std::uint64_t>(transfer.id);
    FirmwareWork work{.cycles = id % 500, .kept_bytes = 30};
    if (id % 3 == 0) work.packets.push_back({(call.host + 1) % hosts_, 64, id});
    return work;
  }
  FirmwareWork on_receive(const FirmwareCall&, const Transfer&) override {
    return {.cycles = 70, .kept_bytes = 8};
  }
  FirmwareWork on_packet(const FirmwareCall&, std::uint32_t, const FirmwarePacket&) override {
    return {.cycles = 33};
  }

 private:
  std::uint32_t hosts_;
};

/// One world a seed.
class RandomMyrinet {
 public:
  explicit RandomMyrinet(std::uint64_t seed)
      : numbers_(seed),
        hosts_(2 + small_number(7)),
        traffic_(random_traffic(seed, hosts_, 60, 15'000)) {
    std::unique_ptr<FirmwareHook> hook;
    if (one_in(2)) hook = std::make_unique<BusyHook>(hosts_);
    if (one_in(2)) {
      network_ = std::make_unique<MyrinetNetwork>(hosts_, card(), std::move(hook));
      return;
    }
    std::vector<MyrinetParameters> cards;
    for (std::uint32_t i = 0; i < hosts_; ++i) cards.push_back(card());
    is_platform_ = true;
    network_ = std::make_unique<MyrinetNetwork>(platform(), cards, std::move(hook));
  }
  [[nodiscard]] bool is_platform() const { return is_platform_; }
  [[nodiscard]] MyrinetNetwork& network() { return *network_; }
  [[nodiscard]] const std::vector<Sent>& traffic() const { return traffic_; }

 private:
  std::uint32_t small_number(std::uint32_t below) {
    return static_cast<std::uint32_t>(numbers_.below(below));
  }
  bool one_in(std::uint32_t count) { return small_number(count) == 0; }
  double rate() { return 1e6 * (1 + small_number(400)); }

  MyrinetParameters card() {
    MyrinetParameters result = myrinet_presets()[small_number(5)].parameters;
    result.send_buffers = 1 + small_number(3);
    result.receive_buffers = 1 + small_number(3);
    result.send_tokens = 1 + small_number(4);
    result.messages_in_progress = 1 + small_number(3);
    result.hosts_per_switch = 1 + small_number(4);
    result.acknowledgement_cycles = 200 * small_number(3);
    result.acknowledgement_bytes = 1'000 * small_number(2);
    // Nothing at all, so that events fall together.
    if (one_in(2)) result.packet_overhead_bytes = 0;
    if (one_in(2)) result.dma_setup_ns = 0;
    if (one_in(3)) result.nic_to_nic_ns = 0;
    if (one_in(3)) result.link_bytes_per_second = 1'000'000'000'000;
    return result;
  }

  std::shared_ptr<Platform> platform() {
    auto result = std::make_shared<BuiltPlatform>();
    for (std::uint32_t i = 0; i < hosts_; ++i) {
      PlatformHost host;
      host.name = "host-" + std::to_string(i);
      result->add_host(std::move(host));
    }
    const std::uint32_t links = 2 + small_number(6);
    for (std::uint32_t i = 0; i < links; ++i) {
      PlatformLink link;
      link.name = "link-" + std::to_string(i);
      link.bandwidth_bytes_per_second = rate();
      link.latency = VirtualDuration::from_picoseconds(500'000 * small_number(3));
      if (one_in(4)) link.sharing = LinkSharing::fat_pipe;
      result->add_link(std::move(link));
    }
    result->set_routes([links, seed = numbers_.next()](std::uint32_t source, std::uint32_t to) {
      Numbers numbers(seed + 100 * source + to);
      std::vector<std::uint32_t> route;
      if (source == to) return route;
      for (std::uint64_t left = 1 + numbers.below(3); left > 0; --left) {
        route.push_back(static_cast<std::uint32_t>(numbers.below(links)));
      }
      return route;
    });
    if (one_in(2)) change(*result, links);
    return result;
  }

  void change(BuiltPlatform& platform, std::uint32_t links) {
    VirtualTime date;
    for (int i = 0; i < 5; ++i) {
      date = date + VirtualDuration::from_picoseconds(small_number(500'000'000));
      LinkChange change;
      change.date = date;
      change.link = small_number(links);
      change.bandwidth_bytes_per_second = rate();
      if (one_in(2)) {
        change.latency = VirtualDuration::from_picoseconds(20'000'000 * small_number(3));
      }
      platform.add_change(change);
    }
  }

  Numbers numbers_;
  std::uint32_t hosts_;
  std::vector<Sent> traffic_;
  bool is_platform_ = false;
  std::unique_ptr<MyrinetNetwork> network_;
};

/// The first message of a pair that did not come, or came before the one ahead of it.
std::string disorder(const std::vector<Sent>& traffic, const std::vector<VirtualTime>& came) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, VirtualTime> last;
  for (std::size_t i = 0; i < came.size(); ++i) {
    const Transfer& transfer = traffic[i].transfer;
    VirtualTime& before = last[{transfer.source_host, transfer.destination_host}];
    if (came[i] == VirtualTime::never()) return "message " + std::to_string(i) + " never came";
    if (came[i] < before) return "message " + std::to_string(i) + " overtook";
    before = came[i];
  }
  return {};
}

}  // namespace

TEST_CASE(
    "Whatever the cards and the fabric, every byte arrives once, in order, when it was said") {
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    CAPTURE(seed);
    RandomMyrinet random(seed);
    const Promises promises = promises_of(random.network(), random.traffic());
    random.network().reset();
    const auto came = arrivals(random.network(), random.traffic());
    std::uint64_t given = 0;
    for (const Sent& sent : random.traffic()) given += sent.transfer.size_bytes;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (const NicStatistics& nic : random.network().card_statistics().nics) {
      sent += nic.sent.bytes;
      received += nic.received.bytes;
    }
    CAPTURE(promises.broken, promises.earlier, given, sent, received);
    CHECK(disorder(random.traffic(), came).empty());
    CHECK((sent == given && received == given));
    CHECK(promises.broken == 0);
    CHECK((promises.earlier == 0 || random.is_platform()));
  }
}
