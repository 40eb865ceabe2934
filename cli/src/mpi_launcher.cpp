// `mpirun`: what build systems start their tests with.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "become.hpp"
#include "console.hpp"
#include "files.hpp"
#include "mpi_names.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

enum class Meaning {
  ranks,
  directory,     ///< to start in
  variable,      ///< NAME=VALUE, or NAME, which the program has anyway
  name_value,    ///< two words: a variable and its value
  wall_limit,    ///< seconds
  nothing,       ///< of real machines only
  nothing_of_1,  ///< the same, with a value
  nothing_of_2,
};

struct Option {
  std::string_view name;  ///< without its one or two dashes
  Meaning meaning;
};

// Of Open MPI's, and MPICH's where they differ.
constexpr std::array<Option, 42> options{{
    {"n", Meaning::ranks},
    {"np", Meaning::ranks},
    {"c", Meaning::ranks},
    {"wdir", Meaning::directory},
    {"wd", Meaning::directory},
    {"x", Meaning::variable},
    {"env", Meaning::name_value},
    {"genv", Meaning::name_value},
    {"timeout", Meaning::wall_limit},
    {"oversubscribe", Meaning::nothing},
    {"nooversubscribe", Meaning::nothing},
    {"allow-run-as-root", Meaning::nothing},
    {"use-hwthread-cpus", Meaning::nothing},
    {"report-bindings", Meaning::nothing},
    {"bind-to-none", Meaning::nothing},
    {"bind-to-core", Meaning::nothing},
    {"bynode", Meaning::nothing},
    {"byslot", Meaning::nothing},
    {"nolocal", Meaning::nothing},
    {"quiet", Meaning::nothing},
    {"q", Meaning::nothing},
    {"genvall", Meaning::nothing},
    {"envall", Meaning::nothing},
    {"bind-to", Meaning::nothing_of_1},
    {"map-by", Meaning::nothing_of_1},
    {"rank-by", Meaning::nothing_of_1},
    {"host", Meaning::nothing_of_1},
    {"hosts", Meaning::nothing_of_1},
    {"H", Meaning::nothing_of_1},
    {"hostfile", Meaning::nothing_of_1},
    {"machinefile", Meaning::nothing_of_1},
    {"f", Meaning::nothing_of_1},
    {"npernode", Meaning::nothing_of_1},
    {"ppn", Meaning::nothing_of_1},
    {"perhost", Meaning::nothing_of_1},
    {"cpus-per-proc", Meaning::nothing_of_1},
    {"cpus-per-rank", Meaning::nothing_of_1},
    {"launcher", Meaning::nothing_of_1},
    {"prefix", Meaning::nothing_of_1},
    {"am", Meaning::nothing_of_1},
    {"mca", Meaning::nothing_of_2},
    {"gmca", Meaning::nothing_of_2},
}};

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word;
}

/// The command line of a launcher, read.
class Launch {
 public:
  Launch(std::string name, const std::vector<std::string>& words)
      : name_(std::move(name)), words_(&words) {
    while (at_ < words.size() && words[at_].starts_with('-')) read_option();
    program_ = {words.begin() + static_cast<std::ptrdiff_t>(at_), words.end()};
    check_program();
  }

  [[nodiscard]] std::vector<std::string> command() const {
    std::vector<std::string> command{own_path(), "run", "--quiet", "-n", ranks_};
    if (!wall_limit_.empty()) command.insert(command.end(), {"--wall-limit", wall_limit_ + "s"});
    // What a build system's way to start programs has no words for: --platform, --seed, ...
    const char* const more = std::getenv("ORRERY_RUN_FLAGS");
    std::istringstream flags(more != nullptr ? more : "");
    for (std::string flag; flags >> flag;) command.push_back(flag);
    command.insert(command.end(), program_.begin(), program_.end());
    command[command.size() - program_.size()] = place_of(program_.front());
    return command;
  }

 private:
  std::string next(const std::string& option) {
    if (at_ < words_->size()) return (*words_)[at_++];
    throw UsageError("a value is missing", name_ + " " + option, "give it behind the option");
  }

  void read_option() {
    const std::string word = (*words_)[at_++];
    const auto known = std::find_if(options.begin(), options.end(), [&word](const Option& option) {
      return option.name == without_dashes(word);
    });
    if (known == options.end()) {
      throw UsageError(fmt::format("the option '{}' means nothing to Orrery", word), name_,
                       "leave it out, or start the program with `orrery run`");
    }
    switch (known->meaning) {
      case Meaning::ranks: ranks_ = next(word); break;
      case Meaning::directory: enter(next(word)); break;
      case Meaning::variable: set_variable(next(word)); break;
      case Meaning::name_value: {
        const std::string variable = next(word);
        setenv(variable.c_str(), next(word).c_str(), 1);
        break;
      }
      case Meaning::wall_limit: wall_limit_ = next(word); break;
      case Meaning::nothing: break;
      case Meaning::nothing_of_1: next(word); break;
      case Meaning::nothing_of_2:
        next(word);
        next(word);
        break;
    }
  }

  void enter(const std::string& directory) const {
    if (chdir(directory.c_str()) == 0) return;
    throw UsageError(std::string("cannot be entered: ") + std::strerror(errno), directory,
                     "name a directory that is there");
  }

  static void set_variable(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return;
    setenv(text.substr(0, equals).c_str(), text.substr(equals + 1).c_str(), 1);
  }

  void check_program() const {
    if (program_.empty()) {
      throw UsageError("no program is given", name_, name_ + " -n 4 ./program");
    }
    if (std::find(program_.begin(), program_.end(), ":") == program_.end()) return;
    throw UsageError("several programs in one run (`:`) cannot be had", name_,
                     "start one program, which asks for its rank");
  }

  // A launcher takes programs from where the shell does.
  [[nodiscard]] std::string place_of(const std::string& program) const {
    if (const std::string place = place_in_path(program); !place.empty()) return place;
    if (access(program.c_str(), X_OK) == 0) return "./" + program;
    throw UsageError("there is no such program", program, "give its path");
  }

  std::string name_;
  const std::vector<std::string>* words_;
  std::size_t at_ = 0;
  std::string ranks_ = "1";
  std::string wall_limit_;
  std::vector<std::string> program_;
};

}  // namespace

int run_mpi_launcher(const std::string& name, const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--version" || first == "-V" || first == "-version") {
    print_out(
        fmt::format("{} (Orrery) {}, with the options of Open MPI 4.1\n", name, ORRERY_VERSION));
    return status_clean;
  }
  if (first == "--help" || first == "-h" || first == "-help") {
    std::string text = name +
                       " [OPTIONS] PROGRAM [ARGS...]: becomes `orrery run --quiet -n RANKS PROGRAM "
                       "ARGS...`.\nThe variable ORRERY_RUN_FLAGS has more flags of `orrery run`.  "
                       "Options that count: -n and -np RANKS,\n-wdir DIR, -x NAME=VALUE, -genv "
                       "NAME VALUE, --timeout SECONDS.  Without effect:";
    for (const Option& option : options) {
      if (option.meaning < Meaning::nothing) continue;
      text += fmt::format(" {}{}", option.name.size() == 1 ? "-" : "--", option.name);
    }
    print_out(text + "\n");
    return status_clean;
  }
  become(Launch(name, words).command());
  return status_clean;
}

}  // namespace orrery::cli
