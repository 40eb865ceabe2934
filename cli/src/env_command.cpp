// `orrery env`: the variables by which build systems find our compilers and our MPI.
#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "command.hpp"
#include "json_report.hpp"
#include "mpi_names.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

// Of names that neither a shell nor a makefile reads anything into.
constexpr std::string_view plain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./@,:";

/// The shell splits the words of `eval $(orrery env)` and expands their `*`, and make splits $(CC).
const std::string& checked(const std::string& path) {
  const std::size_t odd = path.find_first_not_of(plain);
  if (odd == std::string::npos) return path;
  throw UsageError(
      fmt::format("build systems cannot start a compiler whose path has a '{}'", path[odd]), path,
      "install Orrery where the path has letters, digits and -_+.,@ only");
}

class EnvCommand : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "env"; }
  [[nodiscard]] std::string_view summary() const override {
    return "set a shell up for building: eval $(orrery env)";
  }
  [[nodiscard]] std::string_view operands() const override { return ""; }
  void declare(Flags&) override {}

  int run(const Console& console, const Operands& operands) override {
    if (!operands.empty()) {
      throw UsageError("it takes no operand", "orrery env '" + operands.front() + "'",
                       "eval $(orrery env)");
    }
    if (console.is_json) {
      throw UsageError("it has no JSON object", "orrery env --json", "leave --json out");
    }
    static_cast<void>(compile_paths(own_path()));  // else there is nothing to build with
    const std::filesystem::path names = checked(mpi_names_directory().string());
    const std::string bin = std::filesystem::path(own_path()).parent_path().string();
    // One line for one assignment, each ended: the shell may make one line of them all.
    const auto line = [](std::string_view variable, const std::string& value) {
      print_out(fmt::format("export {}={};\n", variable, value));
    };
    line("PATH", fmt::format("{}:{}:\"$PATH\"", names.string(), bin));
    for (const char* const variable : {"CC", "MPICC"}) line(variable, (names / "mpicc").string());
    for (const char* const variable : {"CXX", "MPICXX"}) {
      line(variable, (names / "mpicxx").string());
    }
    line("MPI_HOME", names.parent_path().string());
    line("PKG_CONFIG_PATH", fmt::format("{}${{PKG_CONFIG_PATH:+:\"$PKG_CONFIG_PATH\"}}",
                                        (names.parent_path() / "pkgconfig").string()));
    return status_clean;
  }
};

}  // namespace

std::unique_ptr<Command> make_env_command() {
  return std::make_unique<EnvCommand>();
}

}  // namespace orrery::cli
