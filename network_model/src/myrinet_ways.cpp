// A message's way: out of its host in fragments, over the links, and into the other host.
#include <algorithm>

#include "myrinet_stations.hpp"

namespace orrery::detail {

MyrinetStations::Nic& MyrinetStations::sender_of(const Fragment& fragment) {
  return nics_[messages_[fragment.message].transfer.source_host];
}

MyrinetStations::Nic& MyrinetStations::receiver_of(const Fragment& fragment) {
  return nics_[messages_[fragment.message].transfer.destination_host];
}

// --- The way out ---

void MyrinetStations::give_to_host(std::uint32_t message) {
  const std::uint32_t host = messages_[message].transfer.source_host;
  --nics_[host].tokens;
  submit(nics_[host].host, EventKind::host_done, host,
         {message, JobKind::send, times_.host_send, now_});
}

void MyrinetStations::host_done(std::uint32_t host, std::vector<ArrivalDate>& dates) {
  const Job job = end_job(nics_[host].host, EventKind::host_done, host);
  if (job.kind == JobKind::receive) return arrive(job.subject, dates);
  events_.add(now_ + times_.doorbell, EventKind::doorbell_rung, job.subject);
}

/// Lets the processor cut one more fragment, if there is one, and a buffer for it.
void MyrinetStations::cut_next(std::uint32_t host) {
  Nic& nic = nics_[host];
  if (nic.processor_has_send || nic.send_buffers == 0) return;
  if (!nic.is_cutting) {
    if (nic.to_cut.empty() || nic.in_progress == parameters_.messages_in_progress) return;
    nic.cutting = nic.to_cut.pop();
    nic.is_cutting = true;
    ++nic.in_progress;
  }
  --nic.send_buffers;
  nic.processor_has_send = true;
  Message& message = messages_[nic.cutting];
  const std::uint64_t bytes = std::min(message.uncut_bytes, parameters_.fragment_bytes);
  const bool is_first = !message.cut_begun;
  message.cut_begun = true;
  if (is_first) nic.work_done += times_.before_link_alone(message.transfer.size_bytes);
  message.uncut_bytes -= bytes;
  nic.is_cutting = message.uncut_bytes > 0;
  const std::uint32_t fragment = fragments_.take(
      {nic.cutting, static_cast<std::uint32_t>(bytes), 0, is_first, !nic.is_cutting});
  submit(nic.processor, EventKind::processor_done, host,
         {fragment, JobKind::send, times_.processor_send(is_first), now_});
}

void MyrinetStations::processor_done(std::uint32_t host) {
  Nic& nic = nics_[host];
  flush(host, nic.processor.current.dma_bytes);  // before the next job wants room
  const Job job = end_job(nic.processor, EventKind::processor_done, host);
  if (job.kind == JobKind::finalize) return;
  const Fragment& fragment = fragments_[job.subject];
  const bool is_send = job.kind == JobKind::send;
  const VirtualDuration bus_time =
      is_send ? times_.bus_read(fragment.bytes) : times_.bus_write(fragment.bytes);
  submit(nic.bus, EventKind::bus_done, host, {job.subject, job.kind, bus_time, now_});
  if (is_send) {
    nic.processor_has_send = false;
    cut_next(host);
  } else if (fragment.is_last) {
    return_token(messages_[fragment.message].transfer.source_host);
  }
}

void MyrinetStations::return_token(std::uint32_t host) {
  Nic& nic = nics_[host];
  ++nic.tokens;
  if (!nic.without_token.empty()) give_to_host(nic.without_token.pop());
}

// --- Links ---

MyrinetStations::Way MyrinetStations::way(std::uint32_t source, std::uint32_t destination) const {
  const std::uint32_t width = parameters_.hosts_per_switch;
  const std::uint32_t last = host_count_ + destination;
  if (source / width == destination / width) return {{source, last, 0}, 2};
  // The link up to the upper switch has no other sender than `source`: it needs no queue.
  return {{source, 2 * host_count_ + destination / width * width + source % width, last}, 3};
}

/// Takes one link after the other, holding those behind, until one is not free.
void MyrinetStations::take_links(std::uint32_t index) {
  Fragment& fragment = fragments_[index];
  const Transfer& transfer = messages_[fragment.message].transfer;
  const Way path = way(transfer.source_host, transfer.destination_host);
  const VirtualDuration work = times_.link(fragment.bytes);
  for (; fragment.links_held < path.length; ++fragment.links_held) {
    Link& link = links_[path.links[fragment.links_held]];
    if (link.held) return wait_for_link(index, path.links[fragment.links_held]);
    hold(link, work);
    link.work_given += work;
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
  if (fragment.links_held > 0) {
    Nic& sender = sender_of(fragment);
    sender.waits_for_link = true;
    sender.link_waited_for = link_index;
    sender.link_work_before = link.work_given;
  }
  link.work_given += times_.link(fragment.bytes);
}

void MyrinetStations::reach_receiver(std::uint32_t index) {
  const Transfer& transfer = messages_[fragments_[index].message].transfer;
  Nic& receiver = nics_[transfer.destination_host];
  if (receiver.receive_buffers > 0) return transmit(index);
  // The one who holds the last link: nobody else can wait here.
  receiver.fragment_is_blocked = true;
  receiver.blocked = index;
}

void MyrinetStations::transmit(std::uint32_t index) {
  const Fragment& fragment = fragments_[index];
  --receiver_of(fragment).receive_buffers;
  Nic& sender = sender_of(fragment);
  sender.link_is_sending = true;
  sender.link_fragment_bytes = fragment.bytes;
  sender.link_free = now_ + times_.link(fragment.bytes);
  events_.add(sender.link_free, EventKind::link_done, index);
}

void MyrinetStations::link_done(std::uint32_t index) {
  const Fragment fragment = fragments_[index];
  const Transfer transfer = messages_[fragment.message].transfer;
  Nic& sender = nics_[transfer.source_host];
  sender.link_is_sending = false;
  sender.work_done += times_.link(fragment.bytes);
  ++sender.send_buffers;
  const auto count = [&fragment](Traffic& traffic) {
    ++traffic.fragments;
    traffic.bytes += fragment.bytes;
    if (fragment.is_last) ++traffic.messages;
  };
  count(sender.sent);
  events_.add(now_ + times_.fabric(transfer.source_host, transfer.destination_host),
              EventKind::fragment_here, index);
  if (fragment.is_last) --sender.in_progress;
  const Way path = way(transfer.source_host, transfer.destination_host);
  for (std::uint32_t i = path.length; i-- > 0;) {
    count(links_[path.links[i]].statistics.traffic);
    release_link(path.links[i]);
  }
  cut_next(transfer.source_host);
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
  if (fragment.links_held > 0) sender_of(fragment).waits_for_link = false;
  hold(link, times_.link(fragment.bytes));
  ++fragment.links_held;
  take_links(next.fragment);
}

// --- The way in ---

void MyrinetStations::fragment_here(std::uint32_t index) {
  const Fragment& fragment = fragments_[index];
  const std::uint32_t host = messages_[fragment.message].transfer.destination_host;
  submit(nics_[host].processor, EventKind::processor_done, host,
         {index, JobKind::receive, times_.processor_receive(fragment.is_last), now_});
}

void MyrinetStations::bus_done(std::uint32_t host) {
  Nic& nic = nics_[host];
  const Job job = end_job(nic.bus, EventKind::bus_done, host);
  if (job.kind == JobKind::send) return take_links(job.subject);
  if (job.kind == JobKind::flush) return flushed(host, job.dma_bytes);
  const Fragment fragment = fragments_[job.subject];
  fragments_.give_back(job.subject);
  ++nic.received.fragments;
  nic.received.bytes += fragment.bytes;
  ++nic.receive_buffers;
  if (nic.fragment_is_blocked) {
    nic.fragment_is_blocked = false;
    transmit(nic.blocked);
  }
  if (!fragment.is_last) return;
  ++nic.received.messages;
  events_.add(now_ + times_.notice, EventKind::noticed, fragment.message);
}

}  // namespace orrery::detail
