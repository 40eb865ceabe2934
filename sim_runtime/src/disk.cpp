#include "disk.hpp"

#include <algorithm>

#include <orrery/sim_runtime/world.hpp>

#include "faults.hpp"
#include "machine.hpp"

namespace orrery {

Disk::Disk(World& world, std::string_view name)
    : SynchronizationObject(world.machine(), "disk", name) {
  machine_->faults().add_disk(*this);
}

Disk::~Disk() {
  machine_->faults().remove_disk(*this);
}

bool Disk::announce(OperationKind kind, std::uint64_t value, const SourceLocation& where) {
  Operation operation;
  operation.kind = kind;
  operation.object = id();
  operation.value = value;
  operation.where = &where;
  machine_->announce(operation);
  if (machine_->is_unwinding()) return false;
  machine_->faults().before_operation();
  if (machine_->is_unwinding()) return false;
  host_ = machine_->process_at(machine_->running().process).host;
  machine_->told(operation, {}, value);
  return true;
}

void Disk::write_bytes(std::string_view key, std::span<const std::byte> bytes,
                       SourceLocation where) {
  if (!announce(OperationKind::disk_write, detail::payload_hash(bytes), where)) return;
  written_.emplace_back(std::string(key), Bytes(bytes.begin(), bytes.end()));
}

std::optional<std::vector<std::byte>> Disk::read_bytes(std::string_view key, SourceLocation where) {
  if (!announce(OperationKind::disk_read, 0, where)) return std::nullopt;
  const auto last = std::find_if(written_.rbegin(), written_.rend(),
                                 [key](const auto& entry) { return entry.first == key; });
  if (last != written_.rend()) return last->second;
  const auto found = flushed_.find(key);
  return found == flushed_.end() ? std::nullopt : std::optional(found->second);
}

void Disk::flush(SourceLocation where) {
  if (!announce(OperationKind::disk_flush, written_.size(), where)) return;
  for (auto& [key, bytes] : written_) flushed_.insert_or_assign(std::move(key), std::move(bytes));
  written_.clear();
}

void Disk::host_crashed(std::uint32_t host) {
  if (host != host_ || written_.empty()) return;
  const std::uint64_t kept = machine_->choose_value(ChoiceKind::value, 0, written_.size());
  for (std::uint64_t i = 0; i < kept; ++i) {
    auto& [key, bytes] = written_[static_cast<std::size_t>(i)];
    flushed_.insert_or_assign(std::move(key), std::move(bytes));
  }
  written_.clear();
}

}  // namespace orrery
