// Events in plain words.
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "timeline.hpp"

namespace orrery {
namespace {

std::string rank_text(std::int32_t peer) {
  return peer < 0 ? std::string("any rank") : fmt::format("rank {}", peer);
}

std::string tag_text(std::int32_t tag) {
  return tag < 0 ? std::string("any tag") : fmt::format("tag {}", tag);
}

std::string bytes_text(std::uint64_t bytes) {
  return bytes == 1 ? std::string("1 byte") : fmt::format("{} bytes", bytes);
}

// The bits of a variable, whose type nobody kept: small numbers of either sign are shown as such.
std::string value_text(std::uint64_t bits, std::uint64_t size_bytes) {
  if (size_bytes == 0 || size_bytes > 8) return {};
  const auto unused = static_cast<unsigned>(64 - 8 * size_bytes);
  const auto value = static_cast<std::int64_t>(bits << unused) >> unused;
  constexpr std::int64_t plain_max = std::int64_t{1} << 40U;
  if (value > -plain_max && value < plain_max) return fmt::format(" {}", value);
  return fmt::format(" {:#x}", bits);
}

std::string message_words(const Event& event) {
  switch (event.kind) {
    case OperationKind::send:
      return fmt::format("sends {} to {} ({})", tag_text(event.tag), rank_text(event.peer),
                         bytes_text(event.size_bytes));
    case OperationKind::receive:
      if (event.timed_out) return "gives up receiving: its time is over";
      if (event.matched == OperationId{}) return "receives nothing: the connection is broken";
      return fmt::format("receives {} from {} ({})", tag_text(event.tag), rank_text(event.peer),
                         bytes_text(event.size_bytes));
    case OperationKind::post_receive:
      return fmt::format("starts to receive {} from {}", tag_text(event.tag),
                         rank_text(event.peer));
    case OperationKind::deliver:
      return fmt::format("a message with {} reaches {} ({})", tag_text(event.tag),
                         rank_text(event.peer), bytes_text(event.size_bytes));
    case OperationKind::transfer:
      return fmt::format("a part of a large send with {} arrives", tag_text(event.tag));
    case OperationKind::probe:
      return fmt::format("sees that a message with {} from {} is there", tag_text(event.tag),
                         rank_text(event.peer));
    case OperationKind::try_probe:
      return fmt::format("looks for a message with {} from {}: {}", tag_text(event.tag),
                         rank_text(event.peer), event.matched == OperationId{} ? "none" : "there");
    case OperationKind::cancel: return "cancels a request";
    default: break;
  }
  if (event.timed_out) return "gives up waiting for a request: its time is over";
  if (event.kind == OperationKind::test && event.matched == OperationId{}) {
    return "tests a request: not complete";
  }
  if (event.matched == OperationId{}) {
    return "finds a request at its end: cancelled, or the connection is broken";
  }
  if (event.peer < 0) return "finds a request complete";
  return fmt::format("completes a receive of {} from {} ({})", tag_text(event.tag),
                     rank_text(event.peer), bytes_text(event.size_bytes));
}

std::string memory_words(const Event& event, const std::string& object) {
  const std::string value = value_text(event.payload_hash, event.size_bytes);
  if (event.kind == OperationKind::write) return fmt::format("writes{} to {}", value, object);
  if (event.kind == OperationKind::read) return fmt::format("reads{} from {}", value, object);
  return fmt::format("changes {} to{}", object, value.empty() ? " something" : value);
}

std::string lock_words(const Event& event, const std::string& object) {
  const char* const tried = event.payload_hash != 0 ? "gets" : "does not get";
  switch (event.kind) {
    case OperationKind::mutex_lock:
      return event.timed_out ? fmt::format("gives up locking {}: its time is over", object)
                             : fmt::format("locks {}", object);
    case OperationKind::mutex_unlock: return fmt::format("unlocks {}", object);
    case OperationKind::shared_lock: return fmt::format("locks {} to read", object);
    case OperationKind::shared_unlock: return fmt::format("unlocks {} after reading", object);
    case OperationKind::condition_notify:
      return fmt::format("notifies {}{}", object,
                         event.matched == OperationId{} ? "" : ", somebody wakes");
    case OperationKind::condition_wait:
      if (event.timed_out) return fmt::format("gives up waiting for {}: its time is over", object);
      return event.payload_hash != 0 ? fmt::format("wakes from waiting for {}", object)
                                     : fmt::format("waits for {}", object);
    case OperationKind::semaphore_acquire:
      return event.timed_out ? fmt::format("gives up acquiring {}: its time is over", object)
                             : fmt::format("acquires {}", object);
    case OperationKind::semaphore_release: return fmt::format("releases {}", object);
    case OperationKind::barrier_arrive: return fmt::format("arrives at {}", object);
    case OperationKind::barrier_wait: return fmt::format("passes {}", object);
    case OperationKind::latch_count_down: return fmt::format("counts down {}", object);
    case OperationKind::latch_wait: return fmt::format("passes {}", object);
    case OperationKind::once_begin: return fmt::format("enters {}", object);
    case OperationKind::once_end: return fmt::format("leaves {}", object);
    default: return fmt::format("tries {} and {} it", object, tried);
  }
}

std::string_view fault_words(FaultKind kind) {
  switch (kind) {
    case FaultKind::loss: return "this message is lost";
    case FaultKind::duplicate: return "this message will arrive twice";
    case FaultKind::corrupt: return "a bit of this message is turned over";
    case FaultKind::delay: return "this message is late";
    case FaultKind::partition: return "the hosts are parted in two groups";
    case FaultKind::link_down: return "the link of this host is down";
    case FaultKind::nic_stall: return "the NIC of this host stands still";
    case FaultKind::sram_full: return "the NIC of this host has no buffer left";
    case FaultKind::crash: return "this host crashes";
    case FaultKind::clock_skew: return "the clock of the new process' host is ahead";
    default: return "unknown";
  }
}

std::string_view recovery_words(FaultKind kind) {
  switch (kind) {
    case FaultKind::partition: return "the hosts reach each other again";
    case FaultKind::link_down: return "the link is up again";
    case FaultKind::nic_stall: return "the NIC goes on";
    case FaultKind::sram_full: return "the NIC has buffers again";
    case FaultKind::crash: return "the host starts again";
    default: return "unknown";
  }
}

std::string task_words(const Event& event, const Names& names) {
  switch (event.kind) {
    case OperationKind::task_start: return "starts";
    case OperationKind::task_end: return "ends";
    case OperationKind::spawn:
      return fmt::format("starts {}",
                         names.task(TaskId{static_cast<std::uint32_t>(event.payload_hash)}));
    case OperationKind::join:
      return event.matched == OperationId{}
                 ? std::string("joins")
                 : fmt::format("joins {}", names.task(event.matched.task));
    case OperationKind::sleep: return "wakes from sleeping";
    case OperationKind::yield: return "lets others go first";
    case OperationKind::compute: return "computes";
    case OperationKind::random: return fmt::format("draws {}", event.payload_hash);
    case OperationKind::output: return "writes text";
    case OperationKind::fence: return "fences";
    case OperationKind::fault:
      return fmt::format("FAULT: {}", fault_words(static_cast<FaultKind>(event.payload_hash)));
    case OperationKind::recover:
      return std::string(recovery_words(static_cast<FaultKind>(event.payload_hash)));
    case OperationKind::disk_write: return fmt::format("writes to {}", names.object(event.object));
    case OperationKind::disk_read: return fmt::format("reads from {}", names.object(event.object));
    case OperationKind::disk_flush:
      return fmt::format("flushes {} ({} written)", names.object(event.object), event.payload_hash);
    default: return std::string(name(event.kind));
  }
}

}  // namespace

std::string words(const Event& event, const Names& names) {
  const OperationKind kind = event.kind;
  if (kind >= OperationKind::send && kind <= OperationKind::transfer &&
      kind != OperationKind::timeout) {
    return message_words(event);
  }
  if (kind >= OperationKind::read && kind <= OperationKind::read_modify_write) {
    return memory_words(event, names.object(event.object));
  }
  if (kind >= OperationKind::mutex_lock && kind <= OperationKind::once_end) {
    return lock_words(event, names.object(event.object));
  }
  return task_words(event, names);
}

}  // namespace orrery
