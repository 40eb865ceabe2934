#include <string>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/crew_object.hpp>
#include <orrery/sim_runtime/world.hpp>

namespace orrery {
namespace {

std::string part_of(std::string_view name, std::string_view part) {
  return name.empty() ? std::string() : fmt::format("{}, {}", name, part);
}

}  // namespace

// --- tapes ------------------------------------------------------------------------------------

CrewTask CrewTask::start() {
  if (mode_ == CrewMode::record) return {tape_->started.emplace_back(), mode_};
  if (next_started_ == tape_->started.end()) {
    throw UsageError("the recorded task started no more tasks", "CrewTask::start",
                     "replay the program that was recorded");
  }
  return {*next_started_++, mode_};
}

std::uint64_t CrewTask::next() {
  if (is_at_end()) {
    throw UsageError("the tape ends here", "CrewTask::next",
                     "replay the program that was recorded");
  }
  return tape_->numbers[place_++];
}

// --- the procedures, as the paper prints them -------------------------------------------------

CrewProtocol::CrewProtocol(World& world, std::string_view name)
    : lock_(world, part_of(name, "lock")),
      version_(world, 0, part_of(name, "version")),
      total_readers_(world, 0, part_of(name, "total readers")),
      active_readers_(world, 0, part_of(name, "active readers")) {}

void CrewProtocol::reader_entry(CrewTask& task, SourceLocation where) {
  if (task.mode() == CrewMode::record) {
    lock_.lock(where);
    active_readers_.fetch_add(1, MemoryOrder::seq_cst, where);
    lock_.unlock(where);
    // Outside of the lock: no writer comes in while a reader is active.
    task.put(version_.load(MemoryOrder::seq_cst, where));
  } else {
    const std::uint64_t recorded = task.next();
    while (version_.load(MemoryOrder::seq_cst, where) != recorded) this_task::yield(where);
  }
}

void CrewProtocol::reader_exit(SourceLocation where) {
  // First counted, then gone: a writer that finds nobody active has everybody counted.
  total_readers_.fetch_add(1, MemoryOrder::seq_cst, where);
  active_readers_.fetch_sub(1, MemoryOrder::seq_cst, where);
}

void CrewProtocol::writer_entry(CrewTask& task, SourceLocation where) {
  if (task.mode() == CrewMode::record) {
    lock_.lock(where);
    while (active_readers_.load(MemoryOrder::seq_cst, where) != 0) this_task::yield(where);
    task.put(version_.load(MemoryOrder::seq_cst, where));
    task.put(total_readers_.load(MemoryOrder::seq_cst, where));
  } else {
    const std::uint64_t recorded = task.next();
    while (version_.load(MemoryOrder::seq_cst, where) != recorded) this_task::yield(where);
    const std::uint64_t readers = task.next();
    while (total_readers_.load(MemoryOrder::seq_cst, where) < readers) this_task::yield(where);
  }
}

void CrewProtocol::writer_exit(const CrewTask& task, SourceLocation where) {
  // Before the version: in a replay readers of the next one come in at once, and are counted.
  total_readers_.store(0, MemoryOrder::seq_cst, where);
  version_.fetch_add(1, MemoryOrder::seq_cst, where);
  if (task.mode() == CrewMode::record) lock_.unlock(where);
}

// --- polls ------------------------------------------------------------------------------------

void CrewProtocol::poll_entry(CrewTask& task, SourceLocation where) {
  if (task.mode() == CrewMode::replay) return reader_entry(task, where);
  lock_.lock(where);
  active_readers_.fetch_add(1, MemoryOrder::seq_cst, where);
  lock_.unlock(where);
}

void CrewProtocol::poll_exit(CrewTask& task, bool is_last, SourceLocation where) {
  if (task.mode() == CrewMode::record && is_last) {
    task.put(version_.load(MemoryOrder::seq_cst, where));
  }
  if (is_last) return reader_exit(where);
  active_readers_.fetch_sub(1, MemoryOrder::seq_cst, where);
  this_task::yield(where);
}

}  // namespace orrery
