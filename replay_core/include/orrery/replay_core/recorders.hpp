// The methods by which a run can be recorded, and replayed from what was recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/replay_core/log.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

class FirmwareHook;
struct SavedRun;

/// A block for a log.
struct RecordedBlock {
  BlockKind kind = BlockKind::choices;
  std::vector<std::byte> content;
};

/// Keeps of a run what its method needs to replay it.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// What has to watch the run.
  [[nodiscard]] virtual Observer& observer() = 0;
  /// What has to run on the cards of the run's network, as `NetworkModel::load_firmware` puts it
  /// there; null: nothing.
  [[nodiscard]] virtual std::shared_ptr<FirmwareHook> firmware() { return nullptr; }
  /// The records of the last run, or of the present one so far; none if there is nothing to keep.
  [[nodiscard]] virtual std::vector<RecordedBlock> blocks() const = 0;
  /// What the run has done that the method does not see, so that it could not be replayed: in
  /// words; empty: nothing.
  [[nodiscard]] virtual std::string blind_spot() const { return {}; }
  /// How much there was, and how much of it was kept, by name (`messages`, `timestamp_bytes`).
  [[nodiscard]] virtual std::vector<std::pair<std::string_view, std::uint64_t>> counts() const {
    return {};
  }
};

/// Makes a run be the one that was recorded: a chooser that constrains, and what it has to see.
class Replayer {
 public:
  virtual ~Replayer() = default;
  [[nodiscard]] virtual Chooser& chooser() = 0;
  /// Has to watch the run; null: nobody.
  [[nodiscard]] virtual Observer* observer() { return nullptr; }
  /// Where the run parted from its log; nothing if it did not (so far).
  [[nodiscard]] virtual const std::optional<Parting>& parted() const = 0;
  /// How much came after the end of a log that was cut, or after the parting: steps, or open calls.
  [[nodiscard]] virtual std::uint64_t steps_beyond() const = 0;
  /// Of a method whose log leaves open what was read from what: finds that out while the run goes,
  /// in which tasks are shown what they have read whatever memory holds.  Its `blocks`, in place of
  /// those of the log, are one of the method `leap`, by which the run is to be replayed.  Null: the
  /// log leaves nothing open.
  [[nodiscard]] virtual Recorder* inference() { return nullptr; }
  /// May a task that slept have gone on by itself, as the machine of real threads' logs lets it?
  [[nodiscard]] virtual bool may_have_woken_by_itself() const { return true; }
  /// Nothing that it admits is to come: does it admit more from now on?
  [[nodiscard]] virtual bool lifts_a_wait() { return false; }
  /// How the run went by its log, in numbers with names.
  [[nodiscard]] virtual std::vector<std::pair<std::string_view, std::uint64_t>> counts() const {
    return {};
  }
  /// The outcome, corrected: see `ScheduleReplayer::judge`.
  [[nodiscard]] virtual Outcome judge(Outcome outcome) const = 0;
};

/// Where runs are recorded: in the simulated machine (`orrery run --record`), or on real cores
/// (`orrery record`).
enum class RecordedOn : std::uint8_t { simulation, real_cores };

/// A `key=value` that a method takes.
struct RecorderOption {
  std::string_view key;
  std::string_view values;  ///< its default, or what there is to choose from
  /// Where it means something; nothing: everywhere.
  std::optional<RecordedOn> where = {};
};

/// What a method records on real cores.
enum class RealPrograms : std::uint8_t { none, jobs_of_mpi, of_threads };

/// One method.  To add one: a source file, a line in the table of recorders.cpp, a test.
struct RecorderKind {
  std::string_view name;
  std::string_view description;
  std::span<const RecorderOption> options;  ///< all that it takes anywhere
  /// Makes one with the options that were given.
  std::unique_ptr<Recorder> (*make)(const NameWithOptions& given);
  /// Makes one with none.
  [[nodiscard]] std::unique_ptr<Recorder> make_recorder() const {
    return make(NameWithOptions::parse(name));
  }
  /// `run` was made by this method; it and `fallback`, which chooses among what the log admits,
  /// must outlive the replayer.
  std::unique_ptr<Replayer> (*make_replayer)(const SavedRun& run, Chooser& fallback,
                                             ReplayMode mode);
  /// What it sees of a run, in words; the rest are its blind spots.
  std::string_view follows = "messages";
  RealPrograms records_real = RealPrograms::none;

  /// `key=values, ...` of those that it takes there; empty: none.
  [[nodiscard]] std::string options_text(RecordedOn where) const;
  /// Refuses what it does not take there.  Throws `UsageError`.
  void check_options(const NameWithOptions& given, RecordedOn where) const;
};

/// The method whose logs name every step: what `explore`, `shrink` and `show` work with.
inline constexpr std::string_view schedule_method = "choices";

/// The method that keeps what messages held; a run by it has intervals, and replays its ranks
/// alone.
inline constexpr std::string_view contents_method = "contents";
/// Are the records of this method those of the intervals, where a run has such?  Then they are not
/// written twice.
[[nodiscard]] bool is_kept_in_intervals(std::string_view method);

/// The method that keeps the versions of objects.
inline constexpr std::string_view instant_replay_method = "instant-replay";
/// The method that keeps the order of accesses of each variable; what others leave open is told as
/// it has it.
inline constexpr std::string_view leap_method = "leap";
/// One order of all writes: see `AccessRecords`.
inline constexpr std::string_view global_writes_method = "global-writes";
/// Does a log by this method say in which order tasks came to one object?  Then no part of it can
/// be replayed by itself.
[[nodiscard]] bool orders_objects(std::string_view method);

/// Does it follow accesses to memory?  Then each of them has to be a step.
[[nodiscard]] bool follows_memory(std::string_view method);

/// All methods, in the order in which `orrery list recorders` prints them.
[[nodiscard]] std::span<const RecorderKind> recorders();
/// The method of that name.  Throws `UsageError` with the nearest name if there is none.
[[nodiscard]] const RecorderKind& recorder_kind(std::string_view name);
/// A recorder of simulated runs by its name with options, `NAME[:key=value,...]`.  Throws
/// `UsageError`, naming `where`, for what does not exist or cannot be.
[[nodiscard]] std::unique_ptr<Recorder> make_recorder(std::string_view text,
                                                      std::string_view where);

}  // namespace orrery
