#include "search_state.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <orrery/network_model/usage_error.hpp>

#include "files.hpp"
#include "finding_json.hpp"
#include "keyed_draw.hpp"
#include "recording.hpp"

namespace orrery::detail {

using nlohmann::json;

/// Between a tally and a file: JSON for what is small, bytes for what is not.
struct TallyFile {
  static json to_json(const Tally& tally, std::string& bytes);
  static Tally from_json(const json& value, std::string_view bytes);
};

namespace {

constexpr int format_version = 2;

void append(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

/// Takes pieces off the front of the bytes that follow the JSON line.
class Pieces {
 public:
  explicit Pieces(std::string_view bytes) : bytes_(bytes) {}
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) throw std::out_of_range("the file is shorter than it says");
    const std::string_view piece = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return piece;
  }
  [[nodiscard]] std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

Schedule schedule_of(std::string_view piece) {
  return schedule_from({reinterpret_cast<const std::byte*>(piece.data()), piece.size()});
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  for (const char byte : bytes) hash = mix64(hash + static_cast<unsigned char>(byte));
  return hash;
}

/// What must be equal for a search to be the same one.
json fingerprint(const ExploreOptions& options, const Strategy& strategy) {
  const SimulationOptions& machine = options.simulation;
  const auto& builds = options.program.build_ids;
  return {{"name", options.name},
          {"strategy", strategy.text()},
          {"seed", options.seed},
          {"window_ps", machine.window.picoseconds()},
          {"step_limit", machine.step_limit},
          {"virtual_limit_ps", machine.virtual_limit.picoseconds()},
          {"eager_threshold_bytes", machine.eager_threshold_bytes},
          {"spurious_wakeups", machine.spurious_wakeups},
          {"faults", text(machine.faults)},
          {"check_determinism", options.check_determinism},
          {"build", builds.empty() ? "" : builds.front().hex},
          {"arguments", options.program.arguments},
          {"ranks", options.program.ranks},
          {"platform", options.program.platform},
          {"preempt", std::string(text(machine.preemption))},
          {"mpi_checks", std::string(text(machine.mpi_checks))},
          {"expected_output", machine.expected_output.value_or("")},
          {"memory_limit_bytes", machine.memory_limit_bytes},
          {"snapshot_at", options.snapshot ? options.snapshot->name : ""},
          {"detector", options.detector}};
}

/// The first entry of the fingerprints that differs, for the error message.
std::string difference(const json& saved, const json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (!saved.contains(key) || saved[key] != value) {
      return key + " is " + value.dump() + ", the file's is " + saved.value(key, json()).dump();
    }
  }
  return "it has other fields";
}

}  // namespace

json TallyFile::to_json(const Tally& tally, std::string& bytes) {
  json found = json::array();
  for (const auto& [key, run] : tally.found_) {
    const auto schedule = to_bytes(run.schedule);
    append(bytes, schedule.data(), schedule.size());
    std::vector<Finding> all = {run.finding};
    all.insert(all.end(), run.others.begin(), run.others.end());
    found.push_back({{"key", key},
                     {"index", run.run_index},
                     {"findings", detail::to_json(all)},
                     {"output", run.output},
                     {"bytes", schedule.size()}});
  }
  json limited = json::array();
  for (const auto& [limit, run] : tally.limited_) {
    const auto schedule = to_bytes(run.schedule);
    append(bytes, schedule.data(), schedule.size());
    limited.push_back({{"limit", limit}, {"index", run.run_index}, {"bytes", schedule.size()}});
    if (run.at) limited.back()["at"] = detail::to_json(*run.at);
  }
  const std::vector<std::uint64_t> schedules = tally.schedules_.values();
  append(bytes, schedules.data(), schedules.size() * sizeof(std::uint64_t));
  return {{"runs", tally.runs_},
          {"steps", tally.steps_},
          {"abandoned", tally.abandoned_},
          {"longest_ns", tally.longest_ns_},
          {"suppressed_by", tally.suppressed_},
          {"counts", tally.counts_},
          {"limit_counts", tally.limit_counts_},
          {"found", std::move(found)},
          {"limited", std::move(limited)},
          {"schedules", schedules.size()},
          {"first_output", tally.first_output_},
          {"faults_possible", tally.faults_.possible},
          {"faults_fired", tally.faults_.fired},
          {"runs_without_fault", tally.runs_without_fault_}};
}

Tally TallyFile::from_json(const json& value, std::string_view bytes) {
  Tally tally;
  Pieces pieces(bytes);
  value.at("runs").get_to(tally.runs_);
  value.at("steps").get_to(tally.steps_);
  value.at("abandoned").get_to(tally.abandoned_);
  value.at("longest_ns").get_to(tally.longest_ns_);
  value.at("faults_possible").get_to(tally.faults_.possible);
  value.at("faults_fired").get_to(tally.faults_.fired);
  value.at("runs_without_fault").get_to(tally.runs_without_fault_);
  tally.suppressed_ = value.value("suppressed_by", tally.suppressed_);
  value.at("counts").get_to(tally.counts_);
  value.at("limit_counts").get_to(tally.limit_counts_);
  tally.first_output_ = value.value("first_output", "");
  for (const json& one : value.at("found")) {
    FoundRun run;
    std::vector<Finding> all = findings_from_json(one.at("findings"));
    run.finding = all.at(0);
    run.others.assign(all.begin() + 1, all.end());
    one.at("index").get_to(run.run_index);
    one.at("output").get_to(run.output);
    run.schedule = schedule_of(pieces.take(one.at("bytes")));
    tally.found_.emplace(one.at("key"), std::move(run));
  }
  for (const json& one : value.at("limited")) {
    LimitedRuns run;
    run.limit = static_cast<Limit>(one.at("limit").get<std::uint32_t>());
    one.at("index").get_to(run.run_index);
    run.schedule = schedule_of(pieces.take(one.at("bytes")));
    if (one.contains("at")) run.at = place_from_json(one.at("at"));
    tally.limited_.emplace(one.at("limit"), std::move(run));
  }
  for (std::uint64_t left = value.at("schedules"); left > 0; --left) {
    std::uint64_t hash = 0;
    std::memcpy(&hash, pieces.take(sizeof hash).data(), sizeof hash);
    tally.schedules_.add(hash);
  }
  return tally;
}

std::string save_path_of(const ExploreOptions& options) {
  if (!options.save_path.empty()) return options.save_path;
  std::string file;
  for (const char letter : options.name) {
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9') || letter == '-' || letter == '.';
    file += is_plain ? letter : '_';
  }
  const char* const directory = std::getenv("ORRERY_LOGS");
  const std::string prefix =
      directory == nullptr || *directory == '\0' ? "" : std::string(directory) + "/";
  return prefix + file + ".orr";
}

std::string state_path_of(const ExploreOptions& options) {
  return save_path_of(options) + ".search";
}

void save_search_state(const ExploreOptions& options, const Strategy& strategy,
                       std::span<const std::byte> walk, const SearchState& state) {
  std::string bytes;
  json head = {{"orrery_search", format_version},
               {"search", fingerprint(options, strategy)},
               {"tally", TallyFile::to_json(state.tally, bytes)},
               {"walk_ended", state.has_walk_ended}};
  const std::size_t walk_bytes = walk.empty() ? 0 : strategy.walk_bytes_used(walk);
  head["walk_bytes"] = walk_bytes;
  bytes.insert(0, reinterpret_cast<const char*>(walk.data()), walk_bytes);
  head["checksum"] = checksum(bytes);
  write_file(state_path_of(options),
             head.dump(-1, ' ', false, json::error_handler_t::replace) + "\n" + bytes);
}

std::optional<SearchState> load_search_state(const ExploreOptions& options,
                                             const Strategy& strategy, std::span<std::byte> walk) {
  const std::string path = state_path_of(options);
  const auto file = read_file(path);
  if (!file) return std::nullopt;
  const std::size_t end = file->find('\n');
  const json head = json::parse(file->substr(0, end), nullptr, false);
  const char* const advice = "remove it, or search without resuming";
  if (end == std::string::npos || !head.is_object() || !head.contains("orrery_search")) {
    throw UsageError("is not the file of a stopped search", path, advice);
  }
  if (head["orrery_search"] != format_version) {
    throw UsageError("was written by another version of Orrery", path, advice);
  }
  const json wanted = fingerprint(options, strategy);
  if (head.value("search", json()) != wanted) {
    throw UsageError(
        "is of another search: " + difference(head.value("search", json::object()), wanted), path,
        advice);
  }
  try {
    Pieces pieces(std::string_view(*file).substr(end + 1));
    if (head.at("checksum") != checksum(pieces.rest())) {
      throw std::out_of_range("its checksum does not fit");
    }
    const std::string_view walk_bytes = pieces.take(head.at("walk_bytes"));
    if (walk_bytes.size() > walk.size()) throw std::out_of_range("its walk is too long");
    if (!walk_bytes.empty()) std::memcpy(walk.data(), walk_bytes.data(), walk_bytes.size());
    return SearchState{TallyFile::from_json(head.at("tally"), pieces.rest()),
                       head.at("walk_ended")};
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(std::string("is damaged: ") + error.what(), path, advice);
  }
}

}  // namespace orrery::detail
