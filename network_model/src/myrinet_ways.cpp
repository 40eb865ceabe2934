// A message's way: out of its host in fragments, over the links, and into the other host.
#include <algorithm>
#include <utility>

#include "myrinet_stations.hpp"

namespace orrery::detail {

// --- The way out ---

void MyrinetStations::give_to_host(std::uint32_t message) {
  const std::uint32_t host = messages_[message].transfer.source_host;
  --nics_[host].tokens;
  submit(nics_[host].host, EventKind::host_done, host,
         {message, JobKind::send, card(host).host_send, now_});
}

void MyrinetStations::host_done(std::uint32_t host, std::vector<ArrivalDate>& dates) {
  const Job job = end_job(nics_[host].host, EventKind::host_done, host);
  if (job.kind == JobKind::interrupt) return;
  if (job.kind == JobKind::receive) return arrive(job.subject, dates);
  if (job.kind == JobKind::request) {
    events_.add(now_ + card(host).doorbell, EventKind::request_rung, job.subject);
    return;
  }
  events_.add(now_ + card(host).doorbell, EventKind::doorbell_rung, job.subject);
}

/// Lets the processor cut one more fragment, if there is one, and a buffer for it.
void MyrinetStations::cut_next(std::uint32_t host) {
  Nic& nic = nics_[host];
  if (nic.processor_has_send || nic.send_buffers == 0) return;
  if (!nic.is_cutting) {
    if (nic.to_cut.empty() || nic.in_progress == card(host).parameters().messages_in_progress) {
      return;
    }
    nic.cutting = nic.to_cut.pop();
    nic.is_cutting = true;
    ++nic.in_progress;
  }
  --nic.send_buffers;
  nic.processor_has_send = true;
  Message& message = messages_[nic.cutting];
  const MyrinetTimes& times = card(host);
  const std::uint64_t bytes = times.first_fragment(message.uncut_bytes);
  const bool is_first = !message.cut_begun;
  message.cut_begun = true;
  if (is_first) nic.work_done += times.before_link_alone(message.transfer.size_bytes);
  message.uncut_bytes -= bytes;
  nic.is_cutting = message.uncut_bytes > 0;
  const std::uint32_t fragment =
      fragments_.take({nic.cutting, host, message.transfer.destination_host,
                       static_cast<std::uint32_t>(bytes), 0, is_first, !nic.is_cutting,
                       PacketKind::data, times.link(bytes, message.path), message.path.flight});
  submit(nic.processor, EventKind::processor_done, host,
         {fragment, JobKind::send, times.processor_send(is_first), now_});
}

void MyrinetStations::processor_done(std::uint32_t host, std::vector<ArrivalDate>& dates) {
  Nic& nic = nics_[host];
  if (hook_ && !is_at_ports()) end_hook(host, dates);  // before the next job wants room
  const Job job = end_job(nic.processor, EventKind::processor_done, host);
  if (job.kind == JobKind::finalize || job.kind == JobKind::request) return;
  if (job.kind == JobKind::acknowledge) return take_links(job.subject);
  const Fragment fragment = fragments_[job.subject];
  if (job.kind == JobKind::acknowledged || job.kind == JobKind::packet) {
    fragments_.give_back(job.subject);
    if (job.kind == JobKind::acknowledged) return_token(host);
    return;
  }
  const bool is_send = job.kind == JobKind::send;
  const VirtualDuration bus_time =
      is_send ? card(host).bus_read(fragment.bytes) : card(host).bus_write(fragment.bytes);
  submit(nic.bus, EventKind::bus_done, host, {job.subject, job.kind, bus_time, now_});
  if (is_send) {
    nic.processor_has_send = false;
    cut_next(host);
  } else if (fragment.is_last) {
    acknowledge(fragment);
  }
}

/// A message is in this card: the processor says so to the other card when it has the time.
void MyrinetStations::acknowledge(const Fragment& last) {
  const std::uint32_t host = last.destination;
  const MyrinetTimes& times = card(host);
  const std::uint32_t packet = small_packet(PacketKind::acknowledgement, host, last.source,
                                            times.parameters().acknowledgement_bytes);
  submit(nics_[host].processor, EventKind::processor_done, host,
         {packet, JobKind::acknowledge, times.acknowledgement, now_});
}

/// One that goes from card to card alone.
std::uint32_t MyrinetStations::small_packet(PacketKind kind, std::uint32_t source,
                                            std::uint32_t destination, std::uint64_t bytes) {
  const MyrinetPath there = path(source, destination);
  Fragment packet;
  packet.source = source;
  packet.destination = destination;
  packet.bytes = static_cast<std::uint32_t>(bytes);
  packet.kind = kind;
  packet.link_time = card(source).link(bytes, there);
  packet.flight = there.flight;
  return fragments_.take(packet);
}

void MyrinetStations::return_token(std::uint32_t host) {
  Nic& nic = nics_[host];
  ++nic.tokens;
  if (!nic.without_token.empty()) give_to_host(nic.without_token.pop());
}

// --- Links ---

MyrinetPath MyrinetStations::path(std::uint32_t source, std::uint32_t destination) {
  if (source == destination) {
    const MyrinetParameters& own = card(source).parameters();
    // Out of its interface and in again: past all switches, unless these are to see it.
    return {own.link_bytes_per_second,
            from_ns(own.nic_to_nic_ns + (is_at_ports() ? own.switch_hop_ns : 0))};
  }
  if (fabric_) return fabric_->path(source, destination);
  const MyrinetParameters& p = cards_.front().parameters();
  const bool at_one_switch = source / p.hosts_per_switch == destination / p.hosts_per_switch;
  return {p.link_bytes_per_second,
          from_ns(p.nic_to_nic_ns + p.switch_hop_ns * (at_one_switch ? 1 : 3))};
}

MyrinetStations::Way MyrinetStations::way(const Fragment& fragment) const {
  const auto [source, destination] = std::pair(fragment.source, fragment.destination);
  if (fabric_ || (source == destination && !is_at_ports())) return {{source}, 1};
  const std::uint32_t width = cards_.front().parameters().hosts_per_switch;
  const std::uint32_t last = host_count_ + destination;
  if (source / width == destination / width) return {{source, last, 0}, 2};
  // The link up to the upper switch has no other sender than `source`: it needs no queue.
  return {{source, 2 * host_count_ + destination / width * width + source % width, last}, 3};
}

/// Takes one link after the other, holding those behind, until one is not free.
void MyrinetStations::take_links(std::uint32_t index) {
  Fragment& fragment = fragments_[index];
  const Way links = way(fragment);
  for (; fragment.links_held < links.length; ++fragment.links_held) {
    Link& link = links_[links.links[fragment.links_held]];
    if (link.held) return wait_for_link(index, links.links[fragment.links_held]);
    hold(link, fragment.link_time);
    link.work_given += fragment.link_time;
  }
  reach_receiver(index);
}

void MyrinetStations::hold(Link& link, VirtualDuration work) {
  link.held = true;
  link.since = now_;
  link.holder_work = work;
}

void MyrinetStations::wait_for_link(std::uint32_t index, std::uint32_t link_index) {
  const Fragment& fragment = fragments_[index];
  Link& link = links_[link_index];
  link.waiting.push({index, now_});
  StationUse& use = link.statistics.use;
  use.longest_queue = std::max<std::uint64_t>(use.longest_queue, link.waiting.size());
  // While a small packet waits, the steps before the link go on.
  if (fragment.links_held > 0 && fragment.kind == PacketKind::data) {
    Nic& sender = nics_[fragment.source];
    sender.waits_for_link = true;
    sender.link_waited_for = link_index;
    sender.link_work_before = link.work_given;
  }
  link.work_given += fragment.link_time;
}

void MyrinetStations::reach_receiver(std::uint32_t index) {
  const Fragment& fragment = fragments_[index];
  Nic& receiver = nics_[fragment.destination];
  // A small packet is looked at and forgotten: it has a place of its own.
  if (receiver.receive_buffers > 0 || fragment.kind != PacketKind::data) return transmit(index);
  receiver.without_buffer.push(index);
}

void MyrinetStations::transmit(std::uint32_t index) {
  const Fragment& fragment = fragments_[index];
  if (fragment.kind == PacketKind::data) {
    --nics_[fragment.destination].receive_buffers;
    Nic& sender = nics_[fragment.source];
    sender.link_is_sending = true;
    sender.link_time = fragment.link_time;
    sender.link_free = now_ + fragment.link_time;
  }
  if (!fabric_ || fragment.source == fragment.destination) {
    events_.add(now_ + fragment.link_time, EventKind::link_done, index);
    return;
  }
  const std::uint64_t overhead = card(fragment.source).parameters().packet_overhead_bytes;
  fabric_->start(index, fragment.source, fragment.destination, fragment.bytes + overhead, now_);
}

void MyrinetStations::link_done(std::uint32_t index, VirtualTime lands) {
  const Fragment fragment = fragments_[index];
  events_.add(lands, EventKind::fragment_here, index);
  const Way links = way(fragment);
  const auto count = [&fragment](Traffic& traffic) {
    ++traffic.fragments;
    traffic.bytes += fragment.bytes;
    if (fragment.is_last) ++traffic.messages;
  };
  Nic& sender = nics_[fragment.source];
  if (fragment.kind == PacketKind::data) {
    sender.link_is_sending = false;
    sender.work_done += fragment.link_time;
    ++sender.send_buffers;
    if (fragment.is_last) --sender.in_progress;
    const bool is_local = fragment.source == fragment.destination;
    if (!is_local) count(sender.sent);
    for (std::uint32_t i = 0; i < links.length && !is_local; ++i) {
      count(links_[links.links[i]].statistics.traffic);
    }
  }
  for (std::uint32_t i = links.length; i-- > 0;) release_link(links.links[i]);
  if (fragment.kind == PacketKind::data) cut_next(fragment.source);
}

void MyrinetStations::release_link(std::uint32_t index) {
  Link& link = links_[index];
  link.statistics.use.busy += now_ - link.since;
  if (keeps_use_over_time()) use_over_time_[link_number(index)].add(link.since, now_);
  link.work_done += link.holder_work;
  link.held = false;
  if (link.waiting.empty()) return;
  const Link::Waiter next = link.waiting.pop();
  StationUse& use = link.statistics.use;
  use.longest_wait = std::max(use.longest_wait, now_ - next.since);
  Fragment& fragment = fragments_[next.fragment];
  if (fragment.links_held > 0) nics_[fragment.source].waits_for_link = false;
  hold(link, fragment.link_time);
  ++fragment.links_held;
  take_links(next.fragment);
}

// --- The way in ---

void MyrinetStations::fragment_here(std::uint32_t index) {
  if (is_at_ports()) return reach_port(index);
  enter_card(index);
}

void MyrinetStations::enter_card(std::uint32_t index) {
  const Fragment& fragment = fragments_[index];
  const std::uint32_t host = fragment.destination;
  const MyrinetTimes& times = card(host);
  Job job{index, JobKind::receive, times.processor_receive(fragment.is_first), now_};
  if (fragment.kind != PacketKind::data) {
    const bool is_hooks = fragment.kind == PacketKind::firmware;
    job = {index, is_hooks ? JobKind::packet : JobKind::acknowledged, times.acknowledgement, now_};
  }
  submit(nics_[host].processor, EventKind::processor_done, host, job);
}

void MyrinetStations::bus_done(std::uint32_t host) {
  Nic& nic = nics_[host];
  const Job job = end_job(nic.bus, EventKind::bus_done, host);
  if (job.kind == JobKind::send) return take_links(job.subject);
  if (job.kind == JobKind::flush) return flushed(host, job.dma_bytes);
  if (job.kind == JobKind::answer) {
    events_.add(now_ + card(host).notice, EventKind::noticed, job.subject);
    return;
  }
  const Fragment fragment = fragments_[job.subject];
  fragments_.give_back(job.subject);
  if (fragment.source != fragment.destination) {
    ++nic.received.fragments;
    nic.received.bytes += fragment.bytes;
    if (fragment.is_last) ++nic.received.messages;
  }
  ++nic.receive_buffers;
  if (!nic.without_buffer.empty()) transmit(nic.without_buffer.pop());
  if (!fragment.is_last) return;
  events_.add(now_ + card(host).notice, EventKind::noticed, fragment.message);
}

}  // namespace orrery::detail
