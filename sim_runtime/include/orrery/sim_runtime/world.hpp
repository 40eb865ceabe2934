// What a program of the C++ API sees: processes, threads, time, chance.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/sim_runtime/communicator.hpp>
#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/random.hpp>
#include <orrery/sim_runtime/source_location.hpp>
#include <orrery/sim_runtime/thread.hpp>

namespace orrery {

namespace detail {
class Machine;
}

/// What the body of a process gets: its own rank and the way to the others.
using ProcessBody = std::function<void(Communicator&)>;

/// The simulated world of one run.  Handed to the program; lives as long as the run.  All members
/// may be called from any task of the run, and from nowhere else.
///
///     auto program = [](orrery::World& world) {
///       auto server = world.process("server", [](orrery::Communicator& comm) {
///         int question = comm.receive<int>().value;
///         comm.send(1, 0, question + 1);
///       });
///       auto client = world.process("client", [](orrery::Communicator& comm) {
///         comm.send(0, 0, 41);
///         orrery::check(comm.receive<int>(0).value == 42);
///       });
///     };                                           // handles join when they go out of scope
class World {
 public:
  explicit World(detail::Machine& machine);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Starts a process on the host that `SimulationOptions::placement` says: by default one of its
  /// own. Its rank is the number of processes made before it. Processes that are made one after the
  /// other, with no operation between, start together: each sees all of them. The handle joins the
  /// process' first thread when it is destroyed.
  [[nodiscard]] Thread process(std::string name, ProcessBody body,
                               SourceLocation where = SourceLocation::current());
  /// The same on this host, which is named as the platform names it, or by its number.  Throws
  /// `UsageError` if there is none.
  [[nodiscard]] Thread process_on(std::string_view host, std::string name, ProcessBody body,
                                  SourceLocation where = SourceLocation::current());
  /// Starts `count` processes `rank 0` .. with one body, and waits until all have ended.
  void ranks(std::uint32_t count, const ProcessBody& body,
             SourceLocation where = SourceLocation::current());
  /// Starts a thread in the calling task's process.
  [[nodiscard]] Thread thread(std::string name, std::function<void()> body,
                              SourceLocation where = SourceLocation::current());

  /// As the clock of the calling process' host shows it: all alike, but for the fault `clock_skew`.
  [[nodiscard]] VirtualTime now() const;
  void sleep_for(VirtualDuration duration, SourceLocation where = SourceLocation::current());
  void sleep_until(VirtualTime date, SourceLocation where = SourceLocation::current());
  /// Computes: takes as long as a core of the calling process' host needs for so many operations,
  /// and waits for a core first if all are busy.  Cores serve in the order of the calls, each to
  /// its end. How many there are and how fast says the platform; built-in networks have one of 1
  /// Gflop/s. Throws `UsageError` for what is negative, not a number, or 2^63 or more.
  void compute(double flops, SourceLocation where = SourceLocation::current());
  /// Lets others go first: parks until something else has happened.
  void yield(SourceLocation where = SourceLocation::current());

  /// Draws that are choices: recorded, replayed, explored, shrunk.
  [[nodiscard]] Random random();
  /// A stream for bulk data: depends on the seed and the calling task alone, and is no choice.
  [[nodiscard]] BulkRandom bulk_random();

  /// If `holds` is false, the run ends with a finding of kind `assertion`.
  void check(bool holds, std::string_view message = "check failed",
             SourceLocation where = SourceLocation::current());
  /// Text that belongs to the run: shown by `orrery run`, kept with a finding.
  void write(std::string_view text, SourceLocation where = SourceLocation::current());

  [[nodiscard]] detail::Machine& machine() { return *machine_; }

 private:
  detail::Machine* machine_;
};

/// `World::check` for the run that the calling thread is inside of.
void check(bool holds, std::string_view message = "check failed",
           SourceLocation where = SourceLocation::current());

namespace this_task {
/// A clock in the standard's sense, reading the virtual time of the calling task's run.
struct clock {
  using rep = std::int64_t;
  using period = std::pico;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<clock>;
  static constexpr bool is_steady = true;
  static time_point now();
};
void sleep_for(VirtualDuration duration, SourceLocation where = SourceLocation::current());
void yield(SourceLocation where = SourceLocation::current());
[[nodiscard]] TaskId id();
[[nodiscard]] std::string_view name();
}  // namespace this_task

}  // namespace orrery
