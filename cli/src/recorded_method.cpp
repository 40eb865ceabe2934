#include "recorded_method.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/memory_groups.hpp>
#include <orrery/replay_core/recorders.hpp>

#include "files.hpp"

namespace orrery::cli {
namespace {

constexpr std::string_view of_jobs = "wildcards";
constexpr std::string_view of_threads = "lamport-order";

/// Does it name an MPI library among those that it needs?
bool is_linked_with_mpi(const std::filesystem::path& program) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(program, error)) return false;
  std::ifstream file(program, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return content.find("libmpi.so") != std::string::npos ||
         content.find("libmpich.so") != std::string::npos;
}

bool is_of_a_job(const std::string& command) {
  const std::filesystem::path place = place_in_path(command);
  constexpr std::array launchers = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
  const std::string name = place.filename().string();
  return std::ranges::find(launchers, name) != launchers.end() || is_linked_with_mpi(place);
}

/// The method of that kind, without options.
RecordedMethod plainly(const RecorderKind& kind) {
  return {.name = kind.name,
          .is_of_threads = kind.records_real == RealPrograms::of_threads,
          .follows_memory = follows_memory(kind.name)};
}

bool is_yes(const NameWithOptions& given, std::string_view key) {
  const std::string text = given.text(key).value_or("no");
  if (text == "yes" || text == "no") return text == "yes";
  throw UsageError("cannot be '" + text + "'", "--method",
                   fmt::format("write {0}=yes or {0}=no", key));
}

std::string names_of(RealPrograms programs) {
  std::vector<std::string_view> names;
  for (const RecorderKind& kind : recorders()) {
    if (kind.records_real == programs) names.push_back(kind.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string recorded_methods_text() {
  return fmt::format("{} (of MPI jobs); {} (of threads)", names_of(RealPrograms::jobs_of_mpi),
                     names_of(RealPrograms::of_threads));
}

RecordedMethod recorded_method(const std::optional<std::string>& asked_for,
                               const std::string& command) {
  if (!asked_for) {
    const bool is_left_over = command.empty();
    return plainly(recorder_kind(is_left_over || is_of_a_job(command) ? of_jobs : of_threads));
  }
  const auto given = NameWithOptions::parse(*asked_for, "--method");
  const RecorderKind& kind = recorder_kind(given.name());
  if (kind.records_real == RealPrograms::none) {
    throw UsageError("the method '" + *asked_for + "' is for simulated runs", "--method",
                     "use " + recorded_methods_text() + "; a replay can record by another one");
  }
  kind.check_options(given, RecordedOn::real_cores);
  RecordedMethod method = plainly(kind);
  method.keeps_objects = is_yes(given, "objects");
  method.protected_list = given.text("protected");
  method.groups = given.text("group");
  static_cast<void>(MemoryGroups::asked_for(given));
  return method;
}

}  // namespace orrery::cli
