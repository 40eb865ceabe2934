#include "lock_profile.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/symbolizer.hpp>

#include "access_sites.hpp"
#include "files.hpp"
#include "protected_accesses.hpp"

namespace orrery::cli {
namespace {

constexpr const char* profile_flag = "--profile-locks";
constexpr const char* told_key = "protection";

/// Can the call that returns there be switched off?  What a function of the C library accesses it
/// tells by itself.
bool is_call_of_hook(std::uintptr_t return_address, Symbolizer& symbolizer) {
  constexpr unsigned char call = 0xe8;
  constexpr std::uintptr_t call_bytes = 5;
  const auto* const code = reinterpret_cast<const unsigned char*>(return_address - call_bytes);
  if (*code != call) return false;
  std::int32_t distance = 0;
  std::memcpy(&distance, code + 1, sizeof distance);
  return is_access_hook(symbolizer.function_at(
      return_address + static_cast<std::uintptr_t>(std::intptr_t{distance})));
}

}  // namespace

void LockProfile::declare(Flags& flags) {
  flags.text(profile_flag, path_, "FILE",
             "add to this file which accesses to memory the run's locks and the like order");
}

void LockProfile::check() const {
  if (!path_) return;
  if (std::filesystem::exists(*path_))
    static_cast<void>(ProtectedAccesses::read(*path_, profile_flag));
  check_can_write(*path_, profile_flag);
}

void LockProfile::set(MachineFlags& machine) const {
  if (path_ && !machine.preemption) machine.preemption = "all";
}

void LockProfile::watch(IsolatedRun& request) {
  if (!path_) return;
  protection_ = std::make_unique<AccessProtection>();
  request.observers.push_back(protection_.get());
}

void LockProfile::conclude(Json& more) const {
  if (protection_ == nullptr) return;
  Symbolizer symbolizer;
  Json told = Json::array();
  for (const AccessProtection::Site& site : protection_->sites()) {
    const SourcePlace& place = symbolizer.resolve(site.counter);
    if (place.object_base == 0 && place.object.empty()) continue;
    const std::uint64_t number = site.counter - place.object_base;
    const SourceFrame frame = place.innermost();
    if (!is_call_of_hook(site.counter, symbolizer)) continue;
    told.push_back({{"site", number},
                    {"protection", static_cast<int>(site.protection)},
                    {"file", frame.file},
                    {"line", frame.line},
                    {"function", frame.function}});
  }
  more[told_key] = std::move(told);
}

void LockProfile::save(const FoundProgram& program, IsolatedResult& result) const {
  if (!path_) return;
  const auto found = result.more.find(told_key);
  if (found == result.more.end()) {
    throw UsageError("the run has not come to its end, so nothing is known of its accesses",
                     profile_flag, "profile a run that does");
  }
  ProtectedAccesses list;
  if (!program.info.build_ids.empty()) list.build_id = program.info.build_ids.front().hex;
  for (const Json& one : *found) {
    ProtectedAccesses::Entry entry;
    entry.protection = static_cast<Protection>(one.at("protection").get<int>());
    entry.site = one.at("site").get<std::uint64_t>();
    entry.file = one.at("file").get<std::string>();
    entry.line = one.at("line").get<unsigned>();
    entry.function = one.at("function").get<std::string>();
    if (entry.line == 0) entry.file.clear();
    list.entries.push_back(std::move(entry));
  }
  result.more.erase(told_key);
  if (list.build_id.empty()) {
    throw UsageError("the program has no build id, by which its list would be known", profile_flag,
                     "link it with -Wl,--build-id");
  }
  ProtectedAccesses whole;
  if (std::filesystem::exists(*path_)) {
    whole = ProtectedAccesses::read(*path_, profile_flag);
    whole.check_build(list.build_id, *path_);
  }
  whole.build_id = list.build_id;
  whole.add(list);
  std::ofstream file(*path_, std::ios::trunc);
  file << whole.text();
  file.close();
  if (!file) throw UsageError("the list cannot be written", *path_, "is the disk full?");
}

}  // namespace orrery::cli
