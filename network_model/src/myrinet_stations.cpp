#include "myrinet_stations.hpp"

#include <algorithm>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

MyrinetStations::MyrinetStations(std::uint32_t host_count, const MyrinetParameters& parameters,
                                 std::unique_ptr<FirmwareHook> hook)
    : host_count_(host_count),
      parameters_(parameters),
      times_(parameters),
      hook_(std::move(hook)),
      nics_(host_count) {
  const std::uint64_t switches =
      (std::uint64_t{host_count} + parameters.hosts_per_switch - 1) / parameters.hosts_per_switch;
  const std::uint64_t between = switches > 1 ? switches * parameters.hosts_per_switch : 0;
  links_.resize(std::size_t{2} * host_count + between);
  reset();
}

void MyrinetStations::reset() {
  for (Nic& nic : nics_) {
    for (Server* server : {&nic.host, &nic.processor, &nic.bus}) server->reset();
    nic.tokens = parameters_.send_tokens;
    nic.send_buffers = parameters_.send_buffers;
    nic.receive_buffers = parameters_.receive_buffers;
    nic.in_progress = 0;
    nic.is_cutting = nic.processor_has_send = false;
    nic.link_is_sending = nic.fragment_is_blocked = false;
    nic.without_token.clear();
    nic.to_cut.clear();
    nic.work_given = nic.work_done = {};
    nic.waits_for_link = false;
    nic.sent = nic.received = nic.local = {};
    nic.hook = {};
  }
  for (Link& link : links_) link.reset();
  for (UseOverTime& use : use_over_time_) use = {};
  if (hook_) hook_->reset();
  messages_.clear();
  fragments_.clear();
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
    const LinkSpeed loopback = ConstantNetwork::default_loopback();
    dates.push_back({transfer.id, now + loopback.duration(transfer.size_bytes)});
    Traffic& local = nics_[transfer.source_host].local;
    ++local.messages;
    local.bytes += transfer.size_bytes;
    return;
  }
  ++under_way_;
  Nic& nic = nics_[transfer.source_host];
  nic.work_given += times_.sender_work(transfer.size_bytes);
  const std::uint32_t index =
      messages_.take({transfer, transfer.size_bytes, false, nic.work_given, 0});
  const VirtualDuration alone =
      times_.before_link(transfer.size_bytes) + times_.link_of_message(transfer.size_bytes) +
      times_.after_link(transfer.source_host, transfer.destination_host, transfer.size_bytes);
  say(index, std::max(now + alone, earliest_arrival(messages_[index])), dates);
  if (nic.tokens > 0) {
    give_to_host(index);
  } else {
    nic.without_token.push(index);
  }
}

void MyrinetStations::advance(VirtualTime to, std::vector<ArrivalDate>& dates) {
  while (next_event() <= to && next_event() != VirtualTime::never()) {
    // Of one date, what happens comes before the question whether it did.
    const bool happens = events_.next() <= said_.next();
    const Event event = happens ? events_.pop() : said_.pop();
    now_ = event.date;
    handle(event, dates);
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
    case EventKind::processor_done: return processor_done(event.subject);
    case EventKind::bus_done: return bus_done(event.subject);
    case EventKind::link_done: return link_done(event.subject);
    case EventKind::fragment_here: return fragment_here(event.subject);
    case EventKind::noticed: {
      const std::uint32_t host = messages_[event.subject].transfer.destination_host;
      return submit(nics_[host].host, EventKind::host_done, host,
                    {event.subject, JobKind::receive, times_.host_receive, now_});
    }
    case EventKind::said_arrival: return check(event, dates);
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
  if (done == EventKind::processor_done && hook_ && !begin_hook(host)) return;
  events_.add(now_ + server.current.duration, done, host);
}

/// Begins the next job, if there is one.
Job MyrinetStations::end_job(Server& server, EventKind done, std::uint32_t host) {
  const Job job = server.current;
  server.use.busy += job.duration;
  if (keeps_use_over_time()) {
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
  say(event.subject, std::max(events_.next(), earliest_arrival(message)), dates);
}

/// What is left for the sender to do, in order, and what comes after it, undisturbed.
VirtualTime MyrinetStations::earliest_arrival(const Message& message) const {
  const Transfer& transfer = message.transfer;
  const Nic& sender = nics_[transfer.source_host];
  VirtualDuration left = message.work_until - sender.work_done;
  if (left <= VirtualDuration::zero()) return now_;
  VirtualTime from = now_;
  if (sender.link_is_sending) {
    // `work_done` counts whole fragments: what is sent now ends at `link_free`.
    from = sender.link_free;
    left -= times_.link(sender.link_fragment_bytes);
  } else if (sender.waits_for_link) {
    const Link& link = links_[sender.link_waited_for];
    const VirtualDuration others = sender.link_work_before - link.work_done - link.holder_work;
    from = now_ + std::max(VirtualDuration::zero(), others);
  }
  return from + left +
         times_.after_link(transfer.source_host, transfer.destination_host, transfer.size_bytes);
}

}  // namespace orrery::detail
