// Firmware hooks: their cycles on the NIC's processor, their bytes in its memory and on its bus.
#include <algorithm>
#include <string>
#include <utility>

#include <orrery/network_model/usage_error.hpp>

#include "myrinet_stations.hpp"

namespace orrery::detail {

namespace {

void check_memory(const MyrinetParameters& card, const FirmwareHook& hook) {
  constexpr std::uint64_t most = 8'388'608;  // that goes over the bus at once
  if (hook.buffer_bytes() > most || hook.code_sram_bytes() > most) {
    throw UsageError("a firmware hook wants more than 8 MB of a card's memory", "FirmwareHook",
                     "give less as buffer_bytes and code_sram_bytes");
  }
  const std::uint64_t buffers =
      (std::uint64_t{card.send_buffers} + card.receive_buffers) * card.fragment_bytes;
  const std::uint64_t room = card.sram_bytes - card.firmware_sram_bytes - buffers;
  const std::uint64_t code = hook.code_sram_bytes();
  if (code <= room && hook.buffer_bytes() <= room - code) return;
  throw UsageError("a card has " + std::to_string(card.sram_bytes) + " bytes of memory, of which " +
                       std::to_string(room) + " are left beside its firmware and " +
                       std::to_string(card.send_buffers + card.receive_buffers) +
                       " buffers: not enough for " + std::to_string(code) + " of code and " +
                       std::to_string(hook.buffer_bytes()) + " to keep things in",
                   "FirmwareHook",
                   code < room ? "keep at most " + std::to_string(room - code) + " bytes"
                               : "use a card with a larger sram");
}

}  // namespace

void MyrinetStations::load(std::shared_ptr<FirmwareHook> hook) {
  if (hook_) {
    throw UsageError("the cards have a firmware hook already", "load_firmware",
                     "have one hook do both");
  }
  if (hook->place() == HookPlace::switch_ports) {
    load_at_ports(*hook);
  } else {
    for (const MyrinetTimes& one : cards_) check_memory(one.parameters(), *hook);
  }
  hook_ = std::move(hook);
  reset();
}

void MyrinetStations::finalize(std::uint32_t host, VirtualTime now,
                               std::vector<ArrivalDate>& dates) {
  ensure(host < host_count_, "the host that is done exists", host);
  advance(now, dates);
  if (!hook_) return;
  if (is_at_ports()) {
    // A word from the card that no message has to wait for.
    const MyrinetTimes& times = card(host);
    const VirtualDuration cable = from_ns(times.parameters().nic_to_nic_ns / 2);
    events_.add(now_ + times.doorbell + cable, EventKind::port_told, host);
    return;
  }
  submit(nics_[host].processor, EventKind::processor_done, host,
         {0, JobKind::finalize, VirtualDuration::zero(), now_, 0});
}

void MyrinetStations::request(std::uint32_t host, const FirmwareRequest& request, VirtualTime now,
                              std::vector<ArrivalDate>& dates) {
  ensure(host < host_count_, "the host that asks exists", host);
  advance(now, dates);
  if (!hook_ || is_at_ports()) {
    throw UsageError("a host asks its card for something, and the card has no firmware hook",
                     "MyrinetNetwork::request", "give the network a FirmwareHook");
  }
  ++under_way_;
  Message message;
  message.transfer = {request.id, host, host, 0};
  message.is_request = true;
  message.word = request.word;
  const std::uint32_t index = messages_.take(message);
  requests_[static_cast<std::uint64_t>(request.id)] = index;
  say(index, now + card(host).host_send + card(host).doorbell, dates);
  submit(nics_[host].host, EventKind::host_done, host,
         {index, JobKind::request, card(host).host_send, now_});
}

/// The current job of a card is over: what its hook wanted then.
void MyrinetStations::end_hook(std::uint32_t host, std::vector<ArrivalDate>& dates) {
  Nic& nic = nics_[host];
  flush(host, nic.processor.current.dma_bytes);
  for (const FirmwarePacket& packet : nic.hook.packets) send_packet(host, packet);
  for (const TransferId request : nic.hook.answers) answer(host, request, dates);
  nic.hook.packets.clear();
  nic.hook.answers.clear();
}

void MyrinetStations::send_packet(std::uint32_t host, const FirmwarePacket& packet) {
  const std::uint64_t most = card(host).parameters().fragment_bytes;
  if (packet.destination_host >= host_count_ || packet.destination_host == host ||
      packet.size_bytes > most) {
    throw UsageError("a firmware hook of host " + std::to_string(host) + " sends " +
                         std::to_string(packet.size_bytes) + " bytes to host " +
                         std::to_string(packet.destination_host),
                     "FirmwareWork::packets",
                     "send to another host, at most " + std::to_string(most) + " bytes");
  }
  const std::uint32_t index =
      small_packet(PacketKind::firmware, host, packet.destination_host, packet.size_bytes);
  fragments_[index].message = hook_packets_.take(packet);
  take_links(index);
}

/// Tells the host, by a word that the card writes to its memory.
void MyrinetStations::answer(std::uint32_t host, TransferId request,
                             std::vector<ArrivalDate>& dates) {
  const auto found = requests_.find(static_cast<std::uint64_t>(request));
  if (found == requests_.end() || messages_[found->second].transfer.source_host != host) {
    throw UsageError("a firmware hook answers request " +
                         std::to_string(static_cast<std::uint64_t>(request)) + ", which host " +
                         std::to_string(host) + " has not open",
                     "FirmwareWork::answers", "answer each request once, on the card of its host");
  }
  const std::uint32_t index = found->second;
  requests_.erase(found);
  constexpr std::uint64_t word_bytes = 8;
  const MyrinetTimes& times = card(host);
  const VirtualDuration write = times.bus_write(word_bytes);
  say(index, now_ + write + times.notice + times.host_receive, dates);
  submit(nics_[host].bus, EventKind::bus_done, host, {index, JobKind::answer, write, now_});
}

/// The processor turns to its current job.  False: it waits for room in the hook's buffer first.
bool MyrinetStations::begin_hook(std::uint32_t host) {
  HookState& state = hook_state(host);
  Job& job = hook_processor(host).current;
  FirmwareWork work = hook_work(host, job);
  if (is_at_ports() && !(work.packets.empty() && work.answers.empty())) {
    throw UsageError("a firmware hook at the ports of switches sends packets or answers",
                     "FirmwareHook", "have it run on the cards");
  }
  charge(host, work.cycles);
  job.dma_bytes = work.dma_bytes;
  state.packets = std::move(work.packets);
  state.answers = std::move(work.answers);
  const std::uint64_t room = hook_->buffer_bytes() - state.kept_bytes;
  if (work.kept_bytes <= room) {
    keep(state, work.kept_bytes);
    return true;
  }
  if (work.kept_bytes > hook_->buffer_bytes()) {
    throw UsageError("a firmware hook keeps " + std::to_string(work.kept_bytes) +
                         " bytes at once in a buffer of " + std::to_string(hook_->buffer_bytes()),
                     "FirmwareHook", "give a larger buffer_bytes");
  }
  state.waits_for_room = true;
  state.waits_since = now_;
  state.wanted_bytes = work.kept_bytes;
  make_room(host);
  return false;
}

void MyrinetStations::keep(HookState& hook, std::uint64_t bytes) {
  hook.kept_bytes += bytes;
  hook.use.kept_bytes += bytes;
}

FirmwareWork MyrinetStations::hook_work(std::uint32_t host, const Job& job) {
  const FirmwareCall call = hook_call(host);
  if (job.kind == JobKind::finalize) return hook_->on_finalize(call);
  if (job.kind == JobKind::request) {
    const Message& message = messages_[job.subject];
    return hook_->on_request(call, {message.transfer.id, message.word});
  }
  const Fragment& fragment = fragments_[job.subject];
  if (job.kind == JobKind::packet) {
    const FirmwarePacket packet = hook_packets_[fragment.message];
    hook_packets_.give_back(fragment.message);
    return hook_->on_packet(call, fragment.source, packet);
  }
  if (job.kind != JobKind::send && job.kind != JobKind::receive) return {};
  if (fragment.kind != PacketKind::data) return {};  // past a port
  const Transfer& transfer = messages_[fragment.message].transfer;
  if (job.kind == JobKind::send) {
    return fragment.is_first ? hook_->on_send(call, transfer) : FirmwareWork{};
  }
  return fragment.is_last ? hook_->on_receive(call, transfer) : FirmwareWork{};
}

FirmwareCall MyrinetStations::hook_call(std::uint32_t host) {
  const HookState& hook = hook_state(host);
  return {host, now_, hook.kept_bytes - hook.flushing_bytes};
}

/// Makes the current job of the hook's processor longer.
void MyrinetStations::charge(std::uint32_t host, std::uint64_t cycles) {
  constexpr std::uint64_t most = 8'000'000;
  if (cycles > most) {
    throw UsageError("a firmware hook takes " + std::to_string(cycles) + " cycles at once",
                     "FirmwareHook", "give at most " + std::to_string(most));
  }
  hook_state(host).use.cycles += cycles;
  const MyrinetTimes& times = card(host);
  hook_processor(host).current.duration +=
      is_at_ports() ? times.port_cycles(cycles) : times.cycles(cycles);
}

void MyrinetStations::make_room(std::uint32_t host) {
  const FirmwareWork work = hook_->on_buffer_full(hook_call(host));
  charge(host, work.cycles);
  flush(host, work.dma_bytes);
  if (hook_state(host).flushing_bytes > 0) return;
  throw UsageError("a firmware hook's buffer is full and stays so", "FirmwareHook::on_buffer_full",
                   "give dma_bytes of 1 or more");
}

/// Begins to write away what is kept: at most what is not on its way yet.
void MyrinetStations::flush(std::uint32_t host, std::uint64_t bytes) {
  if (bytes == 0) return;
  HookState& hook = hook_state(host);
  const std::uint64_t flushed = std::min(bytes, hook.kept_bytes - hook.flushing_bytes);
  if (flushed == 0) return;
  hook.flushing_bytes += flushed;
  if (is_at_ports()) {
    const std::uint32_t at = host / cards_.front().parameters().hosts_per_switch;
    return submit(monitors_[at], EventKind::monitor_done, at,
                  {host, JobKind::flush, card(host).to_monitor(flushed), now_, flushed});
  }
  submit(nics_[host].bus, EventKind::bus_done, host,
         {host, JobKind::flush, card(host).bus_write(flushed), now_, flushed});
}

void MyrinetStations::flushed(std::uint32_t host, std::uint64_t bytes) {
  HookState& hook = hook_state(host);
  hook.flushing_bytes -= bytes;
  hook.kept_bytes -= bytes;
  hook.use.dma_bytes += bytes;
  ++hook.use.interrupts;
  if (!is_at_ports()) {
    hook.use.interrupt_time += card(host).host_interrupt;
    submit(nics_[host].host, EventKind::host_done, host,
           {0, JobKind::interrupt, card(host).host_interrupt, now_});
  }
  if (!hook.waits_for_room) return;
  if (hook.wanted_bytes <= hook_->buffer_bytes() - hook.kept_bytes) {
    hook.waits_for_room = false;
    hook.use.waited_for_room += now_ - hook.waits_since;
    keep(hook, hook.wanted_bytes);
    events_.add(now_ + hook_processor(host).current.duration, hook_done(), host);
  } else if (hook.flushing_bytes == 0) {
    make_room(host);
  }
}

}  // namespace orrery::detail
