// What a host still has after it has crashed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/communicator.hpp>
#include <orrery/sim_runtime/source_location.hpp>
#include <orrery/sim_runtime/synchronization_object.hpp>

namespace orrery {

class World;

/// Storage that survives the fault `crash`: everything else that a process has is lost with it.
/// Made outside of the processes that use it; belongs to the host of the process that used it last.
/// What was written is safe once `flush` has returned.  Of what was not, a crash leaves the first
/// so many writes, and how many is a choice (undisturbed: none).  Values are what messages may
/// hold.  Each use is a visible operation.
///
///     orrery::Disk disk(world, "ledger");
///     auto bank = world.process("bank", [&](orrery::Communicator& comm) {
///       int balance = disk.read<int>("balance").value_or(0);   // 0, or what it was before a crash
///       disk.write("balance", balance + comm.receive<int>().value);
///       disk.flush();
///     });
class Disk final : public detail::SynchronizationObject {
 public:
  explicit Disk(World& world, std::string_view name = {});
  ~Disk() override;

  template <typename T>
  void write(std::string_view key, const T& value,
             SourceLocation where = SourceLocation::current()) {
    write_bytes(key, detail::Payload<T>::bytes(value), where);
  }
  /// What was written last under `key`, flushed or not; nothing if that is gone or never was.
  template <typename T>
  [[nodiscard]] std::optional<T> read(std::string_view key,
                                      SourceLocation where = SourceLocation::current()) {
    const auto bytes = read_bytes(key, where);
    if (!bytes) return std::nullopt;
    return detail::Payload<T>::value(*bytes);
  }
  void flush(SourceLocation where = SourceLocation::current());

  void write_bytes(std::string_view key, std::span<const std::byte> bytes, SourceLocation where);
  [[nodiscard]] std::optional<std::vector<std::byte>> read_bytes(std::string_view key,
                                                                 SourceLocation where);

  [[nodiscard]] bool is_enabled(const Operation&, TaskId) const override { return true; }
  /// For the machine: the host loses what was not flushed.
  void host_crashed(std::uint32_t host);

 private:
  using Bytes = std::vector<std::byte>;
  /// False if the run of the task is over.
  bool announce(OperationKind kind, std::uint64_t value, const SourceLocation& where);

  std::uint32_t host_ = 0;
  std::map<std::string, Bytes, std::less<>> flushed_;
  std::vector<std::pair<std::string, Bytes>> written_;  ///< since the last flush, in order
};

}  // namespace orrery
