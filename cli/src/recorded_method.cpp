#include "recorded_method.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/memory_groups.hpp>
#include <orrery/replay_core/recorders.hpp>

#include "files.hpp"

namespace orrery::cli {
namespace {

constexpr std::array methods = {
    RecordedMethod{"wildcards", "liborrery_record_mpi.so", false},
    RecordedMethod{"lamport-order", "liborrery_record_threads.so", true},
    RecordedMethod{"instant-replay", "liborrery_record_threads.so", true},
    RecordedMethod{"leap", "liborrery_record_threads.so", true, true},
    RecordedMethod{"stride", "liborrery_record_threads.so", true, true},
    RecordedMethod{"global-writes", "liborrery_record_threads.so", true, true},
};

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

/// That method, where it was asked for: whether by its rule for objects.
RecordedMethod by_time_stamps(std::string_view asked_for) {
  RecordedMethod method = methods[1];
  const auto given = NameWithOptions::parse(asked_for, "--method");
  given.allow_no_count();
  given.allow_keys({"objects"});
  const std::string objects = given.text("objects").value_or("no");
  if (objects != "yes" && objects != "no") {
    throw UsageError("cannot be '" + objects + "'", "--method", "write objects=yes or objects=no");
  }
  method.keeps_objects = objects == "yes";
  return method;
}

/// The same of `stride`: which accesses need not be followed, and which words are in one group.
RecordedMethod by_stride(std::string_view asked_for) {
  const auto given = NameWithOptions::parse(asked_for, "--method");
  given.allow_no_count();
  given.allow_keys({"group", "protected"});
  RecordedMethod method = *std::ranges::find(methods, given.name(), &RecordedMethod::name);
  method.protected_list = given.text("protected");
  method.groups = given.text("group");
  static_cast<void>(MemoryGroups::asked_for(given));
  return method;
}

}  // namespace

RecordedMethod recorded_method(const std::optional<std::string>& asked_for,
                               const std::string& command) {
  const bool is_left_over = command.empty();
  if (!asked_for) return is_left_over || is_of_a_job(command) ? methods[0] : methods[1];
  const auto* const found = std::ranges::find(methods, *asked_for, &RecordedMethod::name);
  if (found != methods.end()) return *found;
  const std::string name = asked_for->substr(0, asked_for->find(':'));
  if (name == methods[1].name) return by_time_stamps(*asked_for);
  if (name == "stride") return by_stride(*asked_for);
  static_cast<void>(recorder_kind(name));
  if (name != *asked_for) {
    throw UsageError("'" + name + "' takes no options on real cores, as '" + *asked_for + "' has",
                     "--method", "write --method " + name + ", or record a simulated run");
  }
  throw UsageError("the method '" + *asked_for + "' is for simulated runs", "--method",
                   "use 'wildcards' (MPI), or 'lamport-order', 'instant-replay', 'leap', "
                   "'global-writes' or 'stride' "
                   "(threads); a replay "
                   "can record by another one");
}

}  // namespace orrery::cli
