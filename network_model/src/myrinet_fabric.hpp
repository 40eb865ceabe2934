// The links of a platform as the fabric between Myrinet cards.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <orrery/network_model/platform.hpp>
#include <orrery/network_model/simgrid_network.hpp>

#include "myrinet_queues.hpp"
#include "myrinet_times.hpp"

namespace orrery::detail {

/// Each fragment is a flow from card to card, which shares the platform's links with the others and
/// the cards' own links at both ends.  A card hands one fragment over at a time.
class MyrinetFabric {
 public:
  /// `cards`: one a host.
  MyrinetFabric(const std::shared_ptr<Platform>& platform, const std::vector<MyrinetTimes>& cards);
  ~MyrinetFabric();
  MyrinetFabric(const MyrinetFabric&) = delete;
  MyrinetFabric& operator=(const MyrinetFabric&) = delete;

  void reset();
  [[nodiscard]] const SimGridNetwork& network() const { return network_; }
  [[nodiscard]] SimGridNetwork& network() { return network_; }

  /// A fragment whose last byte has left its card.
  struct Departure {
    std::uint32_t fragment = 0;
    VirtualTime lands;  ///< when that byte is in the other card
  };

  /// The best that the way from one host to another can be.  Throws `UsageError` if there is none.
  [[nodiscard]] MyrinetPath path(std::uint32_t source, std::uint32_t destination);
  /// A fragment of so many bytes, with overhead, leaves now.
  void start(std::uint32_t fragment, std::uint32_t source, std::uint32_t destination,
             std::uint64_t bytes, VirtualTime now);
  /// A message to the own host, as the platform has it; its dates are told by `advance` too.
  void start_local(const Transfer& transfer, VirtualTime now, std::vector<ArrivalDate>& dates);
  [[nodiscard]] VirtualTime next_event() const;
  /// Moves to a date; appends the fragments that have left by then.
  void advance(VirtualTime to, std::vector<Departure>& left, std::vector<ArrivalDate>& dates);

 private:
  struct Flow {
    TransferId id{};  // 0 when it has left
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    VirtualDuration latency;   // what the platform adds after the last byte
    std::uint64_t number = 0;  // of the event in `ends_` that counts
  };
  void take_dates(std::vector<ArrivalDate>& dates);
  [[nodiscard]] VirtualDuration between_cards(std::uint32_t source,
                                              std::uint32_t destination) const;
  [[nodiscard]] VirtualTime landing(const Flow& flow, VirtualTime now);

  std::shared_ptr<Platform> platform_;  // with the cards' links
  const std::vector<MyrinetTimes>& cards_;
  SimGridNetwork network_;
  std::vector<Flow> flows_;  // by fragment
  EventHeap ends_;           // of flows, as was said last; others are stale
  std::vector<ArrivalDate> said_;
  std::uint64_t flows_started_ = 0;
  std::unordered_map<std::uint64_t, VirtualTime> last_landings_;  // only looked up
};

}  // namespace orrery::detail
