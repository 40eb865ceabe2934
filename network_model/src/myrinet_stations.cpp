#include "myrinet_stations.hpp"

#include <algorithm>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

MyrinetStations::MyrinetStations(std::uint32_t host_count,
                                 const std::vector<MyrinetParameters>& cards,
                                 const std::shared_ptr<Platform>& platform)
    : host_count_(host_count), cards_(cards.begin(), cards.end()), nics_(host_count) {
  if (platform) {
    fabric_ = std::make_unique<MyrinetFabric>(platform, cards_);
    links_.resize(host_count);  // where fragments wait for their card to hand them over
  } else {
    const std::uint64_t width = cards.front().hosts_per_switch;
    const std::uint64_t switches = (std::uint64_t{host_count} + width - 1) / width;
    links_.resize(std::size_t{2} * host_count + (switches > 1 ? switches * width : 0));
  }
  reset();
}

void MyrinetStations::reset() {
  for (std::uint32_t host = 0; host < host_count_; ++host) {
    Nic& nic = nics_[host];
    const MyrinetParameters& parameters = card(host).parameters();
    for (Server* server : {&nic.host, &nic.processor, &nic.bus}) server->reset();
    nic.tokens = parameters.send_tokens;
    nic.send_buffers = parameters.send_buffers;
    nic.receive_buffers = parameters.receive_buffers;
    nic.in_progress = 0;
    nic.is_cutting = nic.processor_has_send = false;
    nic.link_is_sending = false;
    nic.without_buffer.clear();
    nic.without_token.clear();
    nic.to_cut.clear();
    nic.work_given = nic.work_done = {};
    nic.waits_for_link = false;
    nic.sent = nic.received = nic.local = {};
    nic.hook = {};
  }
  for (Link& link : links_) link.reset();
  for (UseOverTime& use : use_over_time_) use = {};
  if (fabric_) fabric_->reset();
  if (hook_) hook_->reset();
  for (Port& port : ports_) {
    port.processor.reset();
    port.hook = {};
  }
  for (Server& monitor : monitors_) monitor.reset();
  messages_.clear();
  fragments_.clear();
  hook_packets_.clear();
  requests_.clear();
  events_.reset();
  said_.reset();
  now_ = VirtualTime::start();
  under_way_ = 0;
}

void MyrinetStations::start(const Transfer& transfer, VirtualTime now,
                            std::vector<ArrivalDate>& dates) {
  ensure(transfer.source_host < host_count_, "the sending host exists", transfer.source_host);
  ensure(transfer.destination_host < host_count_, "the receiving host exists",
         transfer.destination_host);
  advance(now, dates);
  if (transfer.source_host == transfer.destination_host) {
    Traffic& local = nics_[transfer.source_host].local;
    ++local.messages;
    local.bytes += transfer.size_bytes;
    if (!hook_ || !hook_->sees_local_messages()) return send_past_card(transfer, dates);
  }
  const MyrinetPath way = path(transfer.source_host, transfer.destination_host);
  ++under_way_;
  Nic& nic = nics_[transfer.source_host];
  const MyrinetTimes& sender = card(transfer.source_host);
  const std::uint64_t bytes = transfer.size_bytes;
  const VirtualDuration on_link = sender.link_of_message(bytes, way);
  nic.work_given += sender.before_link_alone(bytes) + on_link;
  const bool is_one_fragment = bytes <= sender.parameters().fragment_bytes;
  const VirtualDuration after_link =
      way.flight +
      card(transfer.destination_host).after_flight(sender.last_fragment(bytes), is_one_fragment);
  const std::uint32_t index =
      messages_.take({transfer, bytes, false, way, after_link, nic.work_given, 0, false, 0});
  const VirtualDuration alone = sender.before_link(bytes) + on_link + after_link;
  say(index, std::max(now + alone, earliest_arrival(messages_[index])), dates);
  if (nic.tokens > 0) {
    give_to_host(index);
  } else {
    nic.without_token.push(index);
  }
}

/// A host to itself: through memory, or however the platform says.
void MyrinetStations::send_past_card(const Transfer& transfer, std::vector<ArrivalDate>& dates) {
  if (fabric_) return fabric_->start_local(transfer, now_, dates);
  const LinkSpeed loopback = ConstantNetwork::default_loopback();
  dates.push_back({transfer.id, now_ + loopback.duration(transfer.size_bytes)});
}

void MyrinetStations::advance(VirtualTime to, std::vector<ArrivalDate>& dates) {
  for (VirtualTime next = next_event(); next <= to && next != VirtualTime::never();
       next = next_event()) {
    now_ = next;
    // Of one date, what happens comes before the question whether it did.
    if (events_.next() == next) {
      handle(events_.pop(), dates);
    } else if (fabric_ && fabric_->next_event() == next) {
      fabric_->advance(next, left_, dates);
      for (const auto& departure : left_) link_done(departure.fragment, departure.lands);
      left_.clear();
    } else {
      handle(said_.pop(), dates);
    }
  }
  now_ = std::max(now_, to);
}

void MyrinetStations::handle(const Event& event, std::vector<ArrivalDate>& dates) {
  switch (event.kind) {
    case EventKind::host_done: return host_done(event.subject, dates);
    case EventKind::doorbell_rung: {
      const std::uint32_t host = messages_[event.subject].transfer.source_host;
      nics_[host].to_cut.push(event.subject);
      return cut_next(host);
    }
    case EventKind::request_rung: {
      const std::uint32_t host = messages_[event.subject].transfer.source_host;
      return submit(nics_[host].processor, EventKind::processor_done, host,
                    {event.subject, JobKind::request, VirtualDuration::zero(), now_});
    }
    case EventKind::processor_done: return processor_done(event.subject, dates);
    case EventKind::bus_done: return bus_done(event.subject);
    case EventKind::link_done:
      return link_done(event.subject, now_ + fragments_[event.subject].flight);
    case EventKind::fragment_here: return fragment_here(event.subject);
    case EventKind::noticed: {
      const std::uint32_t host = messages_[event.subject].transfer.destination_host;
      return submit(nics_[host].host, EventKind::host_done, host,
                    {event.subject, JobKind::receive, card(host).host_receive, now_});
    }
    case EventKind::said_arrival: return check(event, dates);
    case EventKind::port_done: return port_done(event.subject);
    case EventKind::port_told:
      return submit(ports_[event.subject].processor, EventKind::port_done, event.subject,
                    {event.subject, JobKind::finalize, VirtualDuration::zero(), now_});
    case EventKind::monitor_done: return monitor_done(event.subject);
  }
}

// --- Servers ---

void MyrinetStations::submit(Server& server, EventKind done, std::uint32_t host, Job job) {
  if (!server.busy) return begin(server, done, host, job);
  server.waiting.push(job);
  server.use.longest_queue =
      std::max<std::uint64_t>(server.use.longest_queue, server.waiting.size());
}

void MyrinetStations::begin(Server& server, EventKind done, std::uint32_t host, const Job& job) {
  server.busy = true;
  server.current = job;
  server.use.longest_wait = std::max(server.use.longest_wait, now_ - job.since);
  if (hook_ && done == hook_done() && !begin_hook(host)) return;
  events_.add(now_ + server.current.duration, done, host);
}

/// Begins the next job, if there is one.
Job MyrinetStations::end_job(Server& server, EventKind done, std::uint32_t host) {
  const Job job = server.current;
  server.use.busy += job.duration;
  const bool is_of_nic = done <= EventKind::bus_done;
  if (is_of_nic && keeps_use_over_time()) {
    use_over_time_[server_number(done, host)].add(now_ - job.duration, now_);
  }
  server.busy = false;
  if (!server.waiting.empty()) begin(server, done, host, server.waiting.pop());
  return job;
}

// --- Dates ---

void MyrinetStations::arrive(std::uint32_t message, std::vector<ArrivalDate>& dates) {
  dates.push_back({messages_[message].transfer.id, now_});
  messages_[message].said_number = 0;
  messages_.give_back(message);
  if (--under_way_ == 0) said_.clear();  // of messages that are here
}

void MyrinetStations::say(std::uint32_t message, VirtualTime date,
                          std::vector<ArrivalDate>& dates) {
  messages_[message].said_number = said_.add(date, EventKind::said_arrival, message);
  dates.push_back({messages_[message].transfer.id, date});
}

/// It was said to arrive now, and has not: a later date.
void MyrinetStations::check(const Event& event, std::vector<ArrivalDate>& dates) {
  const Message& message = messages_[event.subject];
  if (message.said_number != event.number) return;
  say(event.subject, std::max(next_happening(), earliest_arrival(message)), dates);
}

/// What is left for the sender to do, in order, and what comes after it, undisturbed.
VirtualTime MyrinetStations::earliest_arrival(const Message& message) const {
  if (message.is_request) return now_;  // who knows what its hook waits for
  const Nic& sender = nics_[message.transfer.source_host];
  VirtualDuration left = message.work_until - sender.work_done;
  if (left <= VirtualDuration::zero()) return now_;
  VirtualTime from = now_;
  if (sender.link_is_sending) {
    // `work_done` counts whole fragments: what is sent now ends at `link_free`, or later.
    from = std::max(now_, sender.link_free);
    left -= sender.link_time;
  } else if (sender.waits_for_link) {
    const Link& link = links_[sender.link_waited_for];
    const VirtualDuration others = sender.link_work_before - link.work_done - link.holder_work;
    from = now_ + std::max(VirtualDuration::zero(), others);
  }
  return from + left + message.after_link;
}

}  // namespace orrery::detail
