// `mpicc` and `mpicxx`, as Open MPI and MPICH have taught build systems to talk to them.
#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "console.hpp"
#include "finding_text.hpp"
#include "mpi_names.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

constexpr std::string_view binary_interface = "4.1.4";  // Open MPI's version in Debian 12

/// What a compiler needs to be told for a program of MPI.
struct Needs {
  std::string command;
  std::string include_directory;
  std::string library_directory;

  [[nodiscard]] std::string compile() const { return "-I" + include_directory; }
  [[nodiscard]] std::string link() const { return "-L" + library_directory + " -lmpi"; }
};

Needs needs_of(Language language, const CompilePaths& paths) {
  return {own_path() + (language == Language::c ? " cc" : " c++"), paths.include_directory.string(),
          paths.library_directory.string()};
}

std::string whole_command(const Needs& needs, const std::vector<std::string>& words) {
  std::string text = needs.command + " " + needs.compile();
  for (const std::string& word : words) text += " " + shell_word(word);
  const CompileTask task = compile_task(words);
  const bool links = task != CompileTask::object && task != CompileTask::translate;
  return links ? text + " " + needs.link() : text;
}

std::string showme_help(const std::string& name) {
  return name +
         ": orrery's compiler with what programs of MPI need.  Of itself it says, with --showme:\n"
         "  --showme           the whole command, with the arguments that are given (also -show)\n"
         "  --showme:command   the compiler\n"
         "  --showme:compile   its flags for compiling (also -compile-info, with the compiler)\n"
         "  --showme:link      its flags for linking (also -link-info, with the compiler)\n"
         "  --showme:incdirs, --showme:libdirs, --showme:libs   directories and libraries alone\n"
         "  --showme:version   what it is\n";
}

/// The text that answers a question about the command itself; nothing: it is none.
std::optional<std::string> answer(std::string_view question, const std::string& name,
                                  Language language, const Needs& needs,
                                  const std::vector<std::string>& others) {
  if (question.starts_with("--")) question.remove_prefix(1);
  if (question == "-showme" || question == "-show") return whole_command(needs, others);
  if (question == "-compile-info" || question == "-compile_info") {
    return needs.command + " " + needs.compile();
  }
  if (question == "-link-info" || question == "-link_info") {
    return needs.command + " " + needs.link();
  }
  constexpr std::string_view beginning = "-showme:";
  if (!question.starts_with(beginning)) return std::nullopt;
  const std::string_view what = question.substr(beginning.size());
  if (what == "command") return needs.command;
  if (what == "compile") return needs.compile();
  if (what == "link") return needs.link();
  if (what == "incdirs") return needs.include_directory;
  if (what == "libdirs") return needs.library_directory;
  if (what == "libs") return "mpi";
  if (what == "version") {
    return fmt::format("{}: Orrery {}, with the binary interface of Open MPI {} (Language: {})",
                       name, ORRERY_VERSION, binary_interface,
                       language == Language::c ? "C" : "C++");
  }
  if (what == "help") return showme_help(name);
  throw UsageError(fmt::format("there is no question '{}'", what), name,
                   name + " --showme:help lists them");
}

bool is_own(std::string_view compiler) {
  return compiler.find("orrery") != std::string_view::npos ||
         compiler.find("mpi") != std::string_view::npos;
}

/// Other MPIs' ways to name the compiler behind the name, where ours is not used.
void choose_compiler(Language language, std::vector<std::string>& words) {
  const bool is_c = language == Language::c;
  const char* const ours = is_c ? "ORRERY_CC" : "ORRERY_CXX";
  const std::string_view flag = is_c ? "-cc=" : "-cxx=";
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (!word->starts_with(flag)) continue;
    setenv(ours, word->substr(flag.size()).c_str(), 1);
    words.erase(word);
    return;
  }
  if (std::getenv(ours) != nullptr) return;
  const std::array<const char*, 2> theirs{is_c ? "OMPI_CC" : "OMPI_CXX",
                                          is_c ? "MPICH_CC" : "MPICH_CXX"};
  for (const char* const variable : theirs) {
    const char* const value = std::getenv(variable);
    // `OMPI_CC="orrery cc"` makes another MPI's mpicc ours, and would have us call ourselves.
    if (value == nullptr || *value == '\0' || is_own(value)) continue;
    setenv(ours, value, 1);
    return;
  }
}

}  // namespace

int run_mpi_compiler(Language language, const std::string& name,
                     const std::vector<std::string>& words) {
  const CompilePaths paths = compile_paths(own_path());
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::vector<std::string> others = words;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto text = answer(words[i], name, language, needs_of(language, paths), others);
    if (!text) continue;
    print_out(*text + (text->ends_with('\n') ? "" : "\n"));
    return status_clean;
  }
  std::vector<std::string> arguments = words;
  choose_compiler(language, arguments);
  return compile(language, arguments, paths);
}

}  // namespace orrery::cli
