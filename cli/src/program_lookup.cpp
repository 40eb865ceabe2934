#include "program_lookup.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include <unistd.h>

#include <orrery/explorers/death.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/foreign_program.hpp>
#include <orrery/program_host/hosted_program.hpp>
#include <orrery/program_host/taken_process.hpp>
#include <orrery/scenarios/scenarios.hpp>

#include "detectors.hpp"
#include "fixed_addresses.hpp"
#include "preloading.hpp"
#include "sanitizer_preload.hpp"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

FoundProgram from_scenario(const scenarios::NamedProgram& named, const MachineFlags& flags) {
  if (flags.ranks) {
    throw UsageError("'" + named.name + "' is a built-in scenario, which makes its own processes",
                     "-n", "leave it out");
  }
  if (flags.computing) {
    throw UsageError(
        "'" + named.name + "' is a built-in scenario, which says itself what it computes",
        "--compute", "leave it out");
  }
  if (flags.preemption) {
    throw UsageError("'" + named.name + "' is a built-in scenario, in which each access is one",
                     "--preempt", "leave it out");
  }
  if (flags.takes_foreign_programs) {
    throw UsageError("'" + named.name + "' is a built-in scenario, which is built for Orrery",
                     "--threads", "leave it out");
  }
  FoundProgram found;
  found.program = named.program();
  found.machine = named.scenario->options;
  found.info.kind = ProgramInfo::Kind::scenario;
  found.info.name = named.name;
  found.search_name = named.name;
  return found;
}

/// Everything that can be said of a file without reading it.
void check_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw UsageError("no such file", path,
                     "give the path of a program, or see orrery list scenarios");
  }
  if (fs::is_directory(status)) {
    throw UsageError("is a directory", path, "give the path of a program that orrery cc built");
  }
  if (access(path.c_str(), R_OK) != 0) {
    throw UsageError("cannot be read", path, "change its permissions: chmod +r " + path);
  }
  if (access(path.c_str(), X_OK) != 0) {
    throw UsageError("is not executable", path,
                     "build it with orrery cc, or change its permissions: chmod +x " + path);
  }
}

/// Hooks at accesses cost time: only who needs them gets them.
ImageKind image_for(Preemption preemption, const Detector* detector) {
  const bool is_wanted =
      preemption != Preemption::sync ||
      (detector != nullptr &&
       detector->interest().has_any(EventMask::accesses() | EventMask::accesses_at_once()));
  return is_wanted ? ImageKind::instrumented : ImageKind::plain;
}

UsageError without_accesses(const std::string& path) {
  const auto sees_accesses = [](const DetectorKind& kind) {
    return make_detector(kind.name)->interest().has_any(EventMask::accesses() |
                                                        EventMask::accesses_at_once());
  };
  return UsageError(
      "its accesses to memory are not seen, as --preempt shared and all and the detectors " +
          detector_names(sees_accesses, "and") + " need them to be",
      path, "build it with `orrery cc` or `orrery c++`");
}

/// What is different about a program that was not built for Orrery.  In the process of the command
/// it does not return: the program becomes that process, and asks again.
std::string remark_on_foreign(const std::string& path, std::uint32_t ranks, ImageKind kind) {
  const ForeignProgram program = foreign_program(path);
  if (ranks != 1) {
    throw UsageError("a program that was not built for Orrery is one process", "-n",
                     "leave it out, or build it with `orrery cc`");
  }
  if (kind == ImageKind::instrumented) throw without_accesses(path);
  if (taken_process() == nullptr) preload_into(program);
  std::string text =
      "orrery: not built with orrery cc: switches happen at synchronisation only, where it calls\n"
      "        functions for it.  Not seen:\n";
  for (const std::string& sentence : program.unseen()) text += "          " + sentence + "\n";
  return text;
}

/// The same of an MPI program, which is loaded as those that are built for Orrery.
std::string remark_on_ordinary(const std::string& path, ImageKind kind) {
  const ForeignProgram program = ordinary_mpi_program(path);
  if (kind == ImageKind::instrumented) throw without_accesses(path);
  std::string text =
      "orrery: not built with orrery cc: switches and checks happen where it calls MPI and the C\n"
      "        library; what it does with memory in between is not seen\n";
  for (const std::string& library : program.libraries) {
    text += "orrery: all ranks have the variables of " + library + " in common\n";
  }
  return text;
}

/// Either it is built for Orrery, or `takes_foreign`.
std::string prepare_for(const std::string& path, std::uint32_t ranks, ImageKind kind,
                        bool takes_foreign) {
  check_file(path);
  fix_addresses();
  if (is_ordinary_mpi_program(path)) return remark_on_ordinary(path, kind);
  if (takes_foreign && !is_built_for_orrery(path)) return remark_on_foreign(path, ranks, kind);
  load_sanitizer_of(path);
  return {};
}

/// How a file is loaded.
struct FileUse {
  std::uint32_t ranks = 1;
  ImageKind kind = ImageKind::plain;
  bool takes_foreign = false;
};

/// What is wrong with the file is told; what is wrong with the network is for `add_network` to say.
FoundProgram from_file(const std::string& path, const std::vector<std::string>& arguments,
                       const FileUse& use, WantedNetwork& network) {
  std::string remark = prepare_for(path, use.ranks, use.kind, use.takes_foreign);
  network.begin();
  const ProgramImageOptions options{.front_end = front_end_beside(own_path()),
                                    .kind = use.kind,
                                    .is_debugged = is_held_by_debugger(),
                                    .stays_loaded = true};
  auto image = std::make_shared<ProgramImage>(path, use.ranks, options);
  FoundProgram found;
  found.remark = std::move(remark);
  found.machine.window = any_order;
  found.machine.stack_bytes = hosted_stack_bytes;
  found.info.kind = ProgramInfo::Kind::binary;
  found.info.name = fs::path(path).filename().string();
  found.info.path = fs::absolute(path).lexically_normal().string();
  found.info.build_ids.push_back({found.info.path, image->build_id()});
  found.info.arguments = arguments;
  found.info.ranks = use.ranks;
  found.info.host = this_host_id();
  found.directory = fs::path(found.info.path).parent_path().string();
  found.search_name = found.info.name;
  found.image = image;
  found.program = hosted_program(std::move(image), arguments);
  return found;
}

[[noreturn]] void refuse_unknown(const std::string& name) {
  const std::vector<std::string> names = scenarios::program_names();
  const std::string nearest = nearest_name(name, names);
  throw UsageError("there is no scenario and no file '" + name + "'", "PROGRAM",
                   nearest.empty() ? "see orrery list scenarios, or give the path of a program"
                                   : "did you mean '" + nearest + "'?");
}

/// Where neither the flags nor a log name a network, a scenario may have one of its own.
void add_network(FoundProgram& found, WantedNetwork& network) {
  found.info.platform = network.text();
  if (network.text().empty()) return;
  found.machine.network = network.factory(found.info.ranks);
}

void check_build(const FoundProgram& found, const ProgramInfo& logged,
                 const std::string& log_path) {
  if (logged.build_ids.empty() || found.info.build_ids.empty()) return;
  if (logged.build_ids.front().hex == found.info.build_ids.front().hex) return;
  throw UsageError(
      "it is not the build that the log was made with (" + log_path + ")", found.info.path,
      "build the same source again, or name the right one with --program; orrery replay "
      "--best-effort shows how far it fits");
}

}  // namespace

std::string own_path() {
  if (const TakenProcess* const taken = taken_process()) return taken->command;
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

FoundProgram find_program(const std::vector<std::string>& operands, const MachineFlags& flags,
                          const Detector* detector) {
  if (operands.empty()) {
    throw UsageError("no program is given", "PROGRAM",
                     "name a scenario (orrery list scenarios) or a program that orrery cc built");
  }
  const std::string& name = operands.front();
  const std::vector<std::string> arguments(operands.begin() + 1, operands.end());
  WantedNetwork network(flags.platform.value_or(""));
  FoundProgram found;
  if (const auto named = scenarios::find_program(name)) {
    if (!arguments.empty()) {
      throw UsageError("the scenario '" + name + "' takes no arguments",
                       "'" + arguments.front() + "'", "flags of orrery come before PROGRAM");
    }
    found = from_scenario(*named, flags);
  } else {
    std::error_code error;
    const bool is_path = name.find('/') != std::string::npos;
    if (!is_path && !fs::exists(name, error)) refuse_unknown(name);
    const Preemption preemption =
        flags.preemption ? parse_preemption(*flags.preemption, "--preempt") : Preemption::sync;
    if (flags.takes_foreign_programs && is_ordinary_mpi_program(name)) {
      static_cast<void>(foreign_program(name));  // which is for programs without MPI
    }
    const FileUse use{static_cast<std::uint32_t>(flags.ranks.value_or(1)),
                      image_for(preemption, detector), flags.takes_foreign_programs};
    found = from_file(name, arguments, use, network);
    if (flags.takes_foreign_programs && found.remark.empty()) {
      found.remark = "orrery: " + name + " was built with orrery cc: --threads is not needed\n";
    }
  }
  add_network(found, network);
  flags.apply_to(found.machine, found.info.ranks);
  return found;
}

FoundProgram find_program_of(const SavedRun& saved, const std::string& log_path,
                             const std::string& path, bool any_build, const MachineFlags& flags,
                             const Detector* detector) {
  const ProgramInfo& logged = saved.program;
  WantedNetwork network(flags.platform.value_or(logged.platform));
  FoundProgram found;
  if (logged.kind == ProgramInfo::Kind::scenario) {
    if (!path.empty()) {
      throw UsageError("the log is of the built-in scenario '" + logged.name + "'", "--program",
                       "leave it out");
    }
    found = from_scenario(scenarios::program(logged.name, log_path), flags);
  } else {
    if (flags.ranks && *flags.ranks != logged.ranks) {
      throw UsageError("the log has " + std::to_string(logged.ranks) + " ranks", "-n",
                       "leave it out");
    }
    if (path.empty() && logged.host != this_host_id()) {
      throw UsageError("the log was made on another machine, by " + logged.path, log_path,
                       "name the program here with --program PATH");
    }
    std::error_code error;
    if (path.empty() && !fs::exists(logged.path, error)) {
      throw UsageError("its program is not there any more: " + logged.path, log_path,
                       "name it where it is now, the same build, with --program PATH");
    }
    // A log of a program that was not built for Orrery was made with --threads.
    const FileUse use{logged.ranks, image_for(saved.settings.preemption, detector), true};
    found = from_file(path.empty() ? logged.path : path, logged.arguments, use, network);
    if (!any_build) check_build(found, logged, log_path);
  }
  add_network(found, network);
  saved.settings.apply_to(found.machine);
  return found;
}

}  // namespace orrery::cli
