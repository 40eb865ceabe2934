#include "command_line.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>

#include "command.hpp"
#include "compile.hpp"
#include "finding_text.hpp"
#include "mpi_names.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;
using Commands = std::vector<std::unique_ptr<Command>>;

/// Every subcommand but the two compilers, in the order of --help.
Commands all_commands() {
  Commands commands;
  commands.push_back(make_run_command());
  commands.push_back(make_explore_command());
  commands.push_back(make_record_command());
  commands.push_back(make_replay_command());
  commands.push_back(make_shrink_command());
  commands.push_back(make_show_command());
  commands.push_back(make_list_command());
  commands.push_back(make_env_command());
  return commands;
}

std::string help_text(const Commands& commands) {
  std::string text =
      "Orrery runs concurrent programs on a simulated cluster, searches what could happen, and\n"
      "replays what did.\n\n";
  const auto line = [&text](std::string_view name, std::string_view operands,
                            std::string_view summary) {
    text += fmt::format("  orrery {:<8} {:<26} {}\n", name, operands, summary);
  };
  line("cc, c++", "ARGS...", "compile as gcc and g++ do, for Orrery");
  for (const auto& command : commands) {
    const std::string_view operands = command->operands();
    line(command->name(), operands.size() > 26 ? "WHAT" : operands, command->summary());
  }
  text +=
      "\nEverywhere: --json (one object on standard output), --quiet, --no-color, --help.\n"
      "PROGRAM is a scenario (orrery list scenarios) or a program that orrery cc built; what\n"
      "follows it belongs to the program.  Durations: 250ns, 1.5us, 20ms, 3s.\n"
      "Exit status: 0 no finding, 1 a finding, 2 a mistake of the caller, 3 stopped at a limit.\n";
  return text;
}

void declare_everywhere(CLI::App& app, Console& console) {
  Flags flags(app);
  flags.toggle("--json", console.is_json, "print one JSON object on standard output");
  flags.toggle("--quiet", console.is_quiet, "say only what was found");
  flags.toggle("--no-color", console.no_color, "no colours, on terminals either");
}

[[noreturn]] void refuse_flag(const CLI::App& app, const std::string& given,
                              const std::string& command) {
  const std::string flag = given.substr(0, given.find('='));
  Words names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  const std::string nearest = nearest_name(flag, names);
  throw UsageError("there is no flag '" + flag + "'", "orrery " + command,
                   nearest.empty() ? "orrery " + command + " --help lists them"
                                   : "did you mean '" + nearest + "'?");
}

/// CLI11's own message is `--flag: what is wrong`.
UsageError mistake(const CLI::ParseError& error, const std::string& command) {
  const std::string text = error.what();
  const std::string hint = "orrery " + command + " --help says what it takes";
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return UsageError(text, "orrery " + command, hint);
  return UsageError(text.substr(colon + 2), text.substr(0, colon), hint);
}

/// Reads the flags and returns the operands.
Operands read_flags(CLI::App& app, const Command& command, Words words) {
  const std::string name(command.name());
  // What follows `--` is never a flag of ours.
  const auto mark = std::find(words.begin(), words.end(), "--");
  const Words after(mark == words.end() ? mark : mark + 1, words.end());
  const bool has_mark = mark != words.end();
  words.erase(mark, words.end());
  std::reverse(words.begin(), words.end());  // as CLI11 wants it
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::ParseError& error) {
    throw mistake(error, name);
  }
  Operands operands = app.remaining();
  const auto is_flag = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  for (const std::string& word : operands) {
    if (is_flag(word)) refuse_flag(app, word, name);
    if (command.takes_program()) break;
  }
  const bool mark_is_the_programs = has_mark && command.takes_program() && !operands.empty();
  if (mark_is_the_programs) operands.emplace_back("--");
  operands.insert(operands.end(), after.begin(), after.end());
  return operands;
}

int run_command(Command& command, const Words& words, Console& console) {
  const std::string name(command.name());
  CLI::App app(std::string(command.summary()),
               "orrery " + name + " [FLAGS] " + std::string(command.operands()));
  app.allow_extras();
  app.prefix_command(command.takes_program());
  Flags flags(app);
  command.declare(flags);
  declare_everywhere(app, console);
  Operands operands;
  try {
    operands = read_flags(app, command, words);
  } catch (const CLI::CallForHelp&) {
    std::string help = app.help();
    constexpr std::string_view doubled = " [OPTIONS]";  // CLI11's own word for our [FLAGS]
    if (const auto at = help.find(doubled); at != std::string::npos) help.erase(at, doubled.size());
    print_out(help);
    return status_clean;
  } catch (const UsageError&) {
    // The flag may stand behind the one at fault, where it was not read.
    console.is_json =
        console.is_json || std::find(words.begin(), words.end(), "--json") != words.end();
    throw;
  }
  return command.run(console, operands);
}

int run_named(const Words& words, Console& console) {
  const Commands commands = all_commands();
  auto word = words.begin();
  for (; word != words.end() && word->starts_with("-"); ++word) {
    if (*word == "--json")
      console.is_json = true;
    else if (*word == "--quiet")
      console.is_quiet = true;
    else if (*word == "--no-color")
      console.no_color = true;
    else
      break;
  }
  if (word == words.end()) {
    throw UsageError("no command is given", "", "orrery --help lists them");
  }
  const Words rest(word + 1, words.end());
  if (*word == "--help" || *word == "-h" || *word == "help") {
    print_out(help_text(commands));
    return status_clean;
  }
  if (*word == "--version") {
    print_out("orrery " ORRERY_VERSION "\n");
    return status_clean;
  }
  if (*word == "cc") return compile(Language::c, rest, compile_paths(own_path()));
  if (*word == "c++") return compile(Language::cplusplus, rest, compile_paths(own_path()));
  Words names{"cc", "c++", "--help", "--version"};
  for (const auto& command : commands) {
    if (command->name() == *word) return run_command(*command, rest, console);
    names.emplace_back(command->name());
  }
  const bool is_flag = word->starts_with("-");
  throw UsageError(fmt::format("there is no {} '{}'", is_flag ? "flag" : "command", *word), "",
                   nearest_name(*word, names).empty() ? "orrery --help lists the commands"
                                                      : name_hint(*word, names));
}

}  // namespace

const std::string& only_operand(const Operands& operands, std::string_view command,
                                std::string_view what) {
  const std::string place = fmt::format("orrery {}", command);
  if (operands.empty()) {
    throw UsageError(fmt::format("{} is not given", what), place, place + " --help says more");
  }
  if (operands.size() > 1) {
    throw UsageError("there is one name too many: '" + operands[1] + "'", place,
                     fmt::format("give {} alone", what));
  }
  return operands.front();
}

int run_started_as(const std::string& name, const std::vector<std::string>& words) {
  try {
    if (const auto status = run_as_mpi_name(name, words)) return *status;
  } catch (const UsageError& error) {
    return print_error({}, error);
  }
  return run_command_line(words);
}

int run_command_line(const std::vector<std::string>& words) {
  Console console;
  console.words = words;
  std::string command = "orrery";
  for (const std::string& word : words) command += " " + shell_word(word);
  detail::set_invariant_command(command);
  try {
    return run_named(words, console);
  } catch (const UsageError& error) {
    return print_error(console, error);
  }
}

}  // namespace orrery::cli
