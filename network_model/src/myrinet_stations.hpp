// The stations of all cards of a Myrinet, and the messages between them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/network_model.hpp>

#include "myrinet_fabric.hpp"
#include "myrinet_queues.hpp"
#include "myrinet_times.hpp"

namespace orrery::detail {

/// What `MyrinetNetwork` is made of; same contract.
class MyrinetStations {
 public:
  /// `cards`: one for all hosts, or one a host.  `platform`, the fabric, may be null.
  MyrinetStations(std::uint32_t host_count, const std::vector<MyrinetParameters>& cards,
                  const std::shared_ptr<Platform>& platform);

  /// Throws `UsageError` if it is not the first, or does not fit.
  void load(std::shared_ptr<FirmwareHook> hook);
  void reset();
  [[nodiscard]] std::uint32_t host_count() const { return host_count_; }
  /// Null without a platform.
  [[nodiscard]] const SimGridNetwork* fabric() const {
    return fabric_ ? &fabric_->network() : nullptr;
  }
  [[nodiscard]] VirtualTime next_event() const { return std::min(next_happening(), said_.next()); }
  void start(const Transfer& transfer, VirtualTime now, std::vector<ArrivalDate>& dates);
  void advance(VirtualTime to, std::vector<ArrivalDate>& dates);
  void request(std::uint32_t host, const FirmwareRequest& request, VirtualTime now,
               std::vector<ArrivalDate>& dates);
  void finalize(std::uint32_t host, VirtualTime now, std::vector<ArrivalDate>& dates);
  void keep_use_over_time(bool wanted);
  [[nodiscard]] MyrinetStatistics statistics() const;
  /// `network` knows the names of the hosts.
  [[nodiscard]] NetworkStatistics named_statistics(const NetworkModel& network) const;

 private:
  struct Message {
    Transfer transfer;
    std::uint64_t uncut_bytes = 0;
    bool cut_begun = false;
    MyrinetPath path;
    VirtualDuration after_link;     // at least, from the last byte on the sender's link
    VirtualDuration work_until;     // the sender's, up to this message's end
    std::uint64_t said_number = 0;  // of the event in `said_` that counts
    bool is_request = false;        // of a host to its card
    std::uint64_t word = 0;         // of a request
  };
  enum class PacketKind : std::uint8_t { data, acknowledgement, firmware };
  /// A packet between two cards: part of a message, the acknowledgement of one, or a hook's own.
  struct Fragment {
    std::uint32_t message = 0;  // or in `hook_packets_`
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::uint32_t bytes = 0;
    std::uint32_t links_held = 0;
    bool is_first = false;
    bool is_last = false;
    PacketKind kind = PacketKind::data;
    VirtualDuration link_time;  // at least, where a platform's links are the fabric
    VirtualDuration flight;
  };
  /// A firmware hook's buffer on one card, or at one port.
  struct HookState {
    std::uint64_t kept_bytes = 0;      // with those on their way
    std::uint64_t flushing_bytes = 0;  // on their way to the host
    bool waits_for_room = false;       // the processor, with its current job
    VirtualTime waits_since;
    std::uint64_t wanted_bytes = 0;
    std::vector<FirmwarePacket> packets;  // to send when the current job is over
    std::vector<TransferId> answers;      // likewise
    FirmwareHookUse use;
  };
  struct Nic {
    Server host;
    Server processor;
    Server bus;
    std::uint32_t tokens = 0;
    std::uint32_t send_buffers = 0;
    std::uint32_t receive_buffers = 0;
    std::uint32_t in_progress = 0;
    bool is_cutting = false;          // `cutting` still has bytes to cut
    bool processor_has_send = false;  // one fragment at a time
    bool link_is_sending = false;
    std::uint32_t cutting = 0;
    RingQueue<std::uint32_t> without_buffer;  // fragments that wait for a receive buffer here
    RingQueue<std::uint32_t> without_token;   // messages on the host
    RingQueue<std::uint32_t> to_cut;          // messages on the card
    VirtualDuration work_given;               // `sender_work` of all messages so far
    VirtualDuration work_done;                // of that, what is over or has begun before the link
    bool waits_for_link = false;  // its foremost fragment, between switches or at the end
    std::uint32_t link_waited_for = 0;
    VirtualDuration link_work_before;  // that link's, from the start to that fragment
    VirtualTime link_free;             // while it is sending: when it ends at the earliest
    VirtualDuration link_time;         // and what that fragment takes at least
    Traffic sent;
    Traffic received;
    Traffic local;
    HookState hook;
  };
  /// Where the way from a switch to a host begins, if a firmware hook runs there.
  struct Port {
    Server processor;
    HookState hook;
  };
  /// The links that a fragment holds, in the order in which it takes them.
  struct Way {
    std::array<std::uint32_t, 3> links{};
    std::uint32_t length = 0;
  };

  void submit(Server& server, EventKind done, std::uint32_t host, Job job);
  void begin(Server& server, EventKind done, std::uint32_t host, const Job& job);
  Job end_job(Server& server, EventKind done, std::uint32_t host);

  void give_to_host(std::uint32_t message);
  void host_done(std::uint32_t host, std::vector<ArrivalDate>& dates);
  void cut_next(std::uint32_t host);
  void acknowledge(const Fragment& last);
  [[nodiscard]] std::uint32_t small_packet(PacketKind kind, std::uint32_t source,
                                           std::uint32_t destination, std::uint64_t bytes);
  void processor_done(std::uint32_t host, std::vector<ArrivalDate>& dates);
  void bus_done(std::uint32_t host);
  void take_links(std::uint32_t fragment);
  void hold(Link& link, VirtualDuration work);
  void wait_for_link(std::uint32_t fragment, std::uint32_t link);
  void reach_receiver(std::uint32_t fragment);
  void transmit(std::uint32_t fragment);
  void link_done(std::uint32_t fragment, VirtualTime lands);
  void release_link(std::uint32_t link);
  void fragment_here(std::uint32_t fragment);
  void enter_card(std::uint32_t fragment);

  // myrinet_ports.cpp
  void load_at_ports(const FirmwareHook& hook);
  void reach_port(std::uint32_t fragment);
  void port_done(std::uint32_t host);
  void monitor_done(std::uint32_t switch_index);

  void return_token(std::uint32_t host);
  [[nodiscard]] bool is_at_ports() const { return !ports_.empty(); }
  [[nodiscard]] HookState& hook_state(std::uint32_t host) {
    return is_at_ports() ? ports_[host].hook : nics_[host].hook;
  }
  [[nodiscard]] Server& hook_processor(std::uint32_t host) {
    return is_at_ports() ? ports_[host].processor : nics_[host].processor;
  }
  /// When the processor is done on which the hook runs.
  [[nodiscard]] EventKind hook_done() const {
    return is_at_ports() ? EventKind::port_done : EventKind::processor_done;
  }
  [[nodiscard]] const FirmwareHookUse& hook_use(std::uint32_t host) const {
    return is_at_ports() ? ports_[host].hook.use : nics_[host].hook.use;
  }
  bool begin_hook(std::uint32_t host);
  static void keep(HookState& hook, std::uint64_t bytes);
  [[nodiscard]] FirmwareWork hook_work(std::uint32_t host, const Job& job);
  [[nodiscard]] FirmwareCall hook_call(std::uint32_t host);
  void charge(std::uint32_t host, std::uint64_t cycles);
  void make_room(std::uint32_t host);
  void end_hook(std::uint32_t host, std::vector<ArrivalDate>& dates);
  void send_packet(std::uint32_t host, const FirmwarePacket& packet);
  void answer(std::uint32_t host, TransferId request, std::vector<ArrivalDate>& dates);
  void flush(std::uint32_t host, std::uint64_t bytes);
  void flushed(std::uint32_t host, std::uint64_t bytes);
  void arrive(std::uint32_t message, std::vector<ArrivalDate>& dates);
  void check(const Event& event, std::vector<ArrivalDate>& dates);
  void handle(const Event& event, std::vector<ArrivalDate>& dates);
  void say(std::uint32_t message, VirtualTime date, std::vector<ArrivalDate>& dates);

  [[nodiscard]] bool keeps_use_over_time() const { return !use_over_time_.empty(); }
  [[nodiscard]] static std::size_t server_number(EventKind done, std::uint32_t host);
  [[nodiscard]] std::size_t link_number(std::size_t link) const;
  [[nodiscard]] NetworkNic named_nic(std::uint32_t host, const NetworkModel& network) const;
  [[nodiscard]] std::string link_name(std::size_t link, const NetworkModel& network) const;

  [[nodiscard]] Way way(const Fragment& fragment) const;
  [[nodiscard]] MyrinetPath path(std::uint32_t source, std::uint32_t destination);
  void send_past_card(const Transfer& transfer, std::vector<ArrivalDate>& dates);
  [[nodiscard]] VirtualTime next_happening() const {
    return fabric_ ? std::min(events_.next(), fabric_->next_event()) : events_.next();
  }
  [[nodiscard]] VirtualTime earliest_arrival(const Message& message) const;
  [[nodiscard]] const MyrinetTimes& card(std::uint32_t host) const {
    return cards_[cards_.size() == 1 ? 0 : host];
  }

  std::uint32_t host_count_;
  std::vector<MyrinetTimes> cards_;
  std::unique_ptr<MyrinetFabric> fabric_;  // null: switches of its own
  std::shared_ptr<FirmwareHook> hook_;
  std::vector<Port> ports_;       // by host; none unless the hook runs there
  std::vector<Server> monitors_;  // by switch; likewise
  std::vector<Nic> nics_;
  std::vector<Link> links_;  // from hosts, to hosts, between switches
  Pool<Message> messages_;
  Pool<Fragment> fragments_;
  Pool<FirmwarePacket> hook_packets_;
  std::unordered_map<std::uint64_t, std::uint32_t> requests_;  // messages by id; only looked up
  std::vector<MyrinetFabric::Departure> left_;                 // of one step of the fabric
  EventHeap events_;
  std::vector<UseOverTime> use_over_time_;  // of servers, then of links; empty: nobody asked
  EventHeap said_;                          // dates that were said, to look whether they come true
  VirtualTime now_;
  std::uint64_t under_way_ = 0;
};

}  // namespace orrery::detail
