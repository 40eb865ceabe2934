// A firmware hook at the output ports of the switches: its processor there, and the way out of what
// it keeps.
#include <string>

#include <orrery/network_model/usage_error.hpp>

#include "myrinet_stations.hpp"

namespace orrery::detail {

void MyrinetStations::load_at_ports(const FirmwareHook& hook) {
  if (fabric_) {
    throw UsageError(
        "the network is made of a platform's links: it has no switches that code could "
        "run on",
        "load_firmware", "use a Myrinet by its name, as in --platform myrinet-pcixd");
  }
  const MyrinetParameters& parameters = cards_.front().parameters();
  const std::uint64_t room = parameters.port_memory_bytes;
  const std::uint64_t code = hook.code_sram_bytes();
  if (code > room || hook.buffer_bytes() > room - code) {
    throw UsageError("a port of a switch has " + std::to_string(room) +
                         " bytes of memory: not enough for " + std::to_string(code) +
                         " of code and " + std::to_string(hook.buffer_bytes()) +
                         " to keep things in",
                     "FirmwareHook",
                     code < room ? "keep at most " + std::to_string(room - code) + " bytes"
                                 : "use switches with a larger port_memory");
  }
  const std::uint32_t width = parameters.hosts_per_switch;
  ports_.resize(host_count_);
  monitors_.resize((std::size_t{host_count_} + width - 1) / width);
}

/// Messages are dated as they come to the card: the cable from the port is as long for all.
void MyrinetStations::reach_port(std::uint32_t index) {
  const std::uint32_t host = fragments_[index].destination;
  Server& processor = ports_[host].processor;
  const Job job{index, JobKind::receive, VirtualDuration::zero(), now_};
  if (processor.busy) return submit(processor, EventKind::port_done, host, job);
  // What takes no time goes on at once, as if no port were there.
  processor.busy = true;
  processor.current = job;
  if (!begin_hook(host)) return;
  if (processor.current.duration == VirtualDuration::zero()) return port_done(host);
  events_.add(now_ + processor.current.duration, EventKind::port_done, host);
}

void MyrinetStations::port_done(std::uint32_t host) {
  Server& processor = ports_[host].processor;
  flush(host, processor.current.dma_bytes);  // before the next job wants room
  const Job job = end_job(processor, EventKind::port_done, host);
  if (job.kind != JobKind::finalize) enter_card(job.subject);
}

void MyrinetStations::monitor_done(std::uint32_t switch_index) {
  const Job job = end_job(monitors_[switch_index], EventKind::monitor_done, switch_index);
  flushed(job.subject, job.dma_bytes);
}

}  // namespace orrery::detail
