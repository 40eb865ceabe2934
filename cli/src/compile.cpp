#include "compile.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/second_image.hpp>

#include "compile_children.hpp"
#include "compile_commands.hpp"
#include "compile_elf.hpp"

namespace orrery::cli {
namespace {

std::vector<std::string> compiler_words(Language language) {
  const bool is_c = language == Language::c;
  const char* const chosen = std::getenv(is_c ? "ORRERY_CC" : "ORRERY_CXX");
  std::istringstream words(chosen != nullptr ? chosen : "");
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  if (command.empty()) command.emplace_back(is_c ? "gcc" : "g++");
  return command;
}

UsageError no_compiler(const std::vector<std::string>& words, Language language) {
  const char* const variable = language == Language::c ? "ORRERY_CC" : "ORRERY_CXX";
  return UsageError("the compiler cannot be started", words.front(),
                    std::string("install it, or name another one in ") + variable);
}

/// What it answers to a question such as `-print-file-name=Scrt1.o`; empty: it cannot.
std::string answer(const Compiler& compiler, const char* question) {
  std::vector<std::string> words = compiler.words;
  words.emplace_back(question);
  return answer_of(words);
}

Compiler compiler_for(Language language, CompileTask task) {
  Compiler compiler;
  compiler.words = compiler_words(language);
  compiler.is_clang = std::any_of(
      compiler.words.begin(), compiler.words.end(), [](const std::filesystem::path& word) {
        return word.filename().string().find("clang") != std::string::npos;
      });
  if (task != CompileTask::program) return compiler;
  compiler.start_file = answer(compiler, "-print-file-name=Scrt1.o");
  if (compiler.start_file.empty()) throw no_compiler(compiler.words, language);
  if (compiler.is_clang) compiler.sanitizer_directory = answer(compiler, "-print-runtime-dir");
  return compiler;
}

bool writes_colors() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

/// What the compiler's messages mean to a user of Orrery.
void explain(const std::string& messages) {
  static const std::regex missing(
      "(?:undefined reference to|undefined symbol:|undeclared identifier) "
      "?[`'\"\u2018]*(P?MPI_\\w+)|"
      "(P?MPI_\\w+)[^\\n]{0,8} was not declared");
  std::set<std::string> names;
  for (std::sregex_iterator match(messages.begin(), messages.end(), missing), end; match != end;
       ++match) {
    names.insert((*match)[1].matched ? (*match)[1].str() : (*match)[2].str());
  }
  for (const std::string& name : names) {
    std::fprintf(stderr, "orrery: this MPI has no %s yet: see docs/mpi.md\n", name.c_str());
  }
  static const std::regex old_cplusplus(
      "\\bMPI\\b[^\\n]{0,8} has not been declared|undeclared identifier 'MPI'");
  if (std::regex_search(messages, old_cplusplus)) {
    std::fputs(
        "orrery: the C++ bindings of MPI-2 (MPI::) are not there, as MPI 3.0 has none: call the "
        "functions of the C binding\n",
        stderr);
  }
  if (messages.find("recompile with -fPIC") != std::string::npos) {
    std::fputs(
        "orrery: an object or a static library was not compiled with orrery cc: compile it "
        "with orrery cc too, or with -fPIC\n",
        stderr);
  }
}

bool is_fortran(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 10> endings{".f",   ".F",   ".for", ".FOR", ".f90",
                                                     ".F90", ".f95", ".F95", ".f03", ".f08"};
  return std::find(endings.begin(), endings.end(), file.extension().string()) != endings.end();
}

void check_languages(const CompileArguments& arguments) {
  for (const Argument& argument : arguments.all) {
    const bool is_file =
        argument.kind == ArgumentKind::source || argument.kind == ArgumentKind::link_input;
    if (!is_file || !is_fortran(argument.value)) continue;
    throw UsageError("Fortran programs cannot be built for Orrery", "orrery cc: " + argument.value,
                     "its compilers are for C and C++, and its MPI has the C binding only");
  }
}

void check(const CompileArguments& arguments) {
  check_languages(arguments);
  if (arguments.task != CompileTask::program) return;
  if (arguments.is_static) {
    throw UsageError("a static program cannot be loaded for each rank", "orrery cc: -static",
                     "leave -static out; -static-libgcc and -static-libstdc++ work");
  }
  if (!arguments.static_sanitizer.empty()) {
    throw UsageError(
        "a sanitizer's runtime cannot be a part of a program that is loaded many times",
        "orrery cc: " + arguments.static_sanitizer, "leave " + arguments.static_sanitizer + " out");
  }
}

/// One call of `orrery cc`.
class Compilation {
 public:
  Compilation(const CompileArguments& arguments, const CompilePaths& paths,
              const Compiler& compiler)
      : arguments_(&arguments),
        compiler_word_count_(compiler.words.size()),
        writer_(arguments, paths, compiler),
        inputs_(arguments, scratch_) {}

  ChildResult run() {
    plan();
    std::vector<ChildCommand> commands{{in_one_line(writer_.first()), input_, false}};
    for (const Second& second : seconds_) {
      commands.push_back({in_one_line(second.words), input_, true});
    }
    if (!with_symbols_.empty()) {
      commands.push_back({in_one_line(writer_.first_with_symbols(with_symbols_)), input_, true});
    }
    const auto results = finish(commands);
    if (results[0].status != 0) return results[0];
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      if (results[i + 1].status == 0) {
        embed(seconds_[i]);
      } else {
        say_missing(seconds_[i], results[i + 1].messages);
      }
    }
    return results[0];
  }

 private:
  /// A second image: how it is made, where it lies, and what it is added to.
  struct Second {
    std::vector<std::string> words;
    std::filesystem::path image;
    std::filesystem::path output;
  };

  // What is there with one image only looks as if it were done.
  [[nodiscard]] std::vector<ChildResult> finish(const std::vector<ChildCommand>& commands) const {
    try {
      return run_side_by_side(commands);
    } catch (const Interrupted&) {
      std::error_code ignored;
      for (const Second& second : seconds_) std::filesystem::remove(second.output, ignored);
      throw;
    }
  }

  [[nodiscard]] bool links() const {
    return arguments_->task == CompileTask::program || arguments_->task == CompileTask::library;
  }

  // The same for both compilations, which read it at the same time.
  void keep_standard_input() {
    if (std::count(arguments_->sources.begin(), arguments_->sources.end(), "-") == 0) return;
    input_ = scratch_.another("input");
    std::ofstream file(input_, std::ios::binary);
    char buffer[65536];
    for (ssize_t count = 0; (count = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
      file.write(buffer, count);
    }
  }

  void plan() {
    if (arguments_->excludes_hooks) return;
    const CompileTask task = arguments_->task;
    if (task == CompileTask::object) {
      keep_standard_input();
      for (std::size_t i = 0; i < arguments_->sources.size(); ++i) {
        const std::filesystem::path source = arguments_->sources[i];
        const auto output =
            arguments_->output.empty()
                ? std::filesystem::path(source == "-" ? "-.o" : source.stem().string() + ".o")
                : std::filesystem::path(arguments_->output);
        if (!is_regular_output(output)) continue;
        const auto image = scratch_.another(output);
        seconds_.push_back({writer_.second_object(i, image), image, output});
      }
    } else if (links() || task == CompileTask::relocatable) {
      keep_standard_input();
      const std::filesystem::path output =
          arguments_->output.empty() ? "a.out" : arguments_->output;
      if (!is_regular_output(output)) return;
      const auto image = scratch_.another(output);
      seconds_.push_back({writer_.second_link(inputs_, image), image, output});
      if (links() && strips_symbols(*arguments_)) with_symbols_ = scratch_.another(output);
    }
  }

  static bool is_regular_output(const std::filesystem::path& output) {
    std::error_code error;
    const auto status = std::filesystem::status(output, error);
    return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  }

  /// What no command line has room for goes into a response file.
  std::vector<std::string> in_one_line(std::vector<std::string> words) {
    constexpr std::size_t size_max = 100'000;
    std::size_t size = 0;
    for (const std::string& word : words) size += word.size() + 1;
    if (size < size_max) return words;
    const auto file = scratch_.another("arguments");
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(compiler_word_count_);
    std::ofstream(file) << response_of({begin, words.end()});
    words.erase(begin, words.end());
    words.push_back("@" + file.string());
    return words;
  }

  void embed(const Second& second) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(second.output, error)) return;
    const bool is_object = !links();
    if (is_object) {
      add_sections(second.output,
                   {{std::string(instrumented_section), framed(read_bytes(second.image)), true}});
      return;
    }
    add_sections(second.image,
                 {{std::string(guards_section), guard_addresses(read_bytes(second.image)), false}});
    std::string names;
    for (const std::string& name : inputs_.foreign()) {
      std::fprintf(stderr,
                   "orrery: %s was not built with orrery cc: what it does with memory that threads "
                   "share is not seen\n",
                   name.c_str());
      names += name + "\n";
    }
    const auto* const begin = reinterpret_cast<const std::byte*>(names.data());
    std::error_code missing;
    const auto& symbols =
        std::filesystem::exists(with_symbols_, missing) ? with_symbols_ : second.output;
    add_sections(second.output,
                 {{std::string(instrumented_section), framed(read_bytes(second.image)), false},
                  {std::string(guards_section), guard_addresses(read_bytes(symbols)), false},
                  {std::string(foreign_section), Bytes(begin, begin + names.size()), false}});
  }

  static void say_missing(const Second& second, const std::string& messages) {
    std::fprintf(
        stderr,
        "orrery: %s has no second image, since the compiler fails on it where memory "
        "accesses are watched: it can be run, but without --detect and --preempt shared\n%s",
        second.output.c_str(), messages.c_str());
  }

  const CompileArguments* arguments_;
  std::size_t compiler_word_count_;
  ScratchDirectory scratch_;
  CommandWriter writer_;
  SecondInputs inputs_;
  std::filesystem::path input_;
  std::vector<Second> seconds_;
  std::filesystem::path with_symbols_;  ///< of what is linked without; else empty
};

}  // namespace

CompilePaths compile_paths(const std::filesystem::path& command) {
  const auto runtime = command.parent_path().parent_path() / "lib" / "orrery";
  CompilePaths paths{runtime / "include",
                     runtime,
                     runtime / "program_start.o",
                     runtime / "liborrery_hooks.a",
                     runtime / "orrery_atomics.h",
                     runtime / "orrery_memory.h",
                     runtime / "orrery_strings.h",
                     runtime / "liborrery_memory_hooks.a",
                     runtime / "wrapped.list",
                     runtime / "liborrery_blocks_hooks.a",
                     runtime / "liborrery_cxx_hooks.a",
                     runtime / "wrapped_cxx.list"};
  for (const auto& file :
       {paths.include_directory / "mpi.h", paths.start_object,
        paths.library_directory / "libmpi.so", paths.hooks_archive, paths.atomics_header,
        paths.memory_header, paths.strings_header, paths.memory_archive, paths.wrapped_list,
        paths.blocks_archive, paths.cxx_archive, paths.wrapped_cxx_list}) {
    if (std::filesystem::exists(file)) continue;
    throw UsageError("a part of Orrery is missing", file.string(),
                     "build or install Orrery again; the command expects it in ../lib/orrery");
  }
  return paths;
}

int compile(Language language, const std::vector<std::string>& words, const CompilePaths& paths) {
  const CompileArguments arguments = parse_arguments(words);
  check(arguments);
  Compiler compiler = compiler_for(language, arguments.task);
  const UsageError missing = no_compiler(compiler.words, language);
  // Its messages come through a pipe, where it would leave out its colours.
  if (writes_colors()) compiler.words.emplace_back("-fdiagnostics-color=always");
  const SignalsHeld held;
  try {
    const ChildResult result = Compilation(arguments, paths, compiler).run();
    if (result.status == cannot_execute && result.messages.empty()) throw missing;
    if (result.status != 0) explain(result.messages);
    return result.status;
  } catch (const Interrupted&) {
    return EXIT_FAILURE;
  }
}

}  // namespace orrery::cli
