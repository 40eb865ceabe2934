// What the arguments of a compiler mean, as far as `orrery cc` must know.
#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>

#include <orrery/network_model/usage_error.hpp>

#include "compile.hpp"

namespace orrery::cli {
namespace {

constexpr std::array<std::string_view, 45> options_with_value{
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-G",
    "-F",
    "-include",
    "-imacros",
    "-iprefix",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-aux-info",
    "-dumpdir",
    "-dumpbase",
    "-dumpbase-ext",
    "-wrapper",
    "--param",
    "-target",
    "-mllvm",
    "-arch",
    "--sysroot",
    "--output",
    "--include",
    "--entry",
    "-h",
};
constexpr std::array<std::string_view, 10> stop_early{
    "-c",        "-S",         "-E",           "-M",       "-MM", "-fsyntax-only",
    "--compile", "--assemble", "--preprocess", "-emit-ast"};
constexpr std::array<std::string_view, 6> link_otherwise{
    "-shared", "--shared", "-r", "-nostartfiles", "-nostdlib", "--relocatable"};
constexpr std::array<std::string_view, 2> static_sanitizers{"-static-libasan", "-static-libsan"};
constexpr int response_depth_max = 20;

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// As the compiler reads a response file: words between white space, with quotes and backslashes.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool is_in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      is_in_word = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      is_in_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (is_in_word) words.push_back(std::move(word));
      word.clear();
      is_in_word = false;
    } else {
      word += c;
      is_in_word = true;
    }
  }
  if (is_in_word) words.push_back(std::move(word));
  return words;
}

void expand(const std::vector<std::string>& arguments, int depth, std::vector<std::string>& all) {
  for (const std::string& argument : arguments) {
    std::ifstream file;
    if (argument.size() > 1 && argument.front() == '@') file.open(argument.substr(1));
    if (!file.is_open() || depth == response_depth_max) {
      all.push_back(argument);
      continue;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    expand(words_of(text), depth + 1, all);
  }
}

struct Summary {
  bool has_input = false;
  bool stops_early = false;
  bool links_otherwise = false;
  bool is_static = false;
  bool has_build_id = false;
  bool uses_sanitizer = false;
  std::string static_sanitizer;  ///< the flag that asks for it
};

Summary summary_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  expand(arguments, 0, all);
  Summary summary;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view argument = all[i];
    if (is_one_of(options_with_value, argument)) {
      ++i;
      continue;
    }
    summary.has_input |=
        !argument.starts_with('-') || argument == "-" || argument.starts_with("-l");
    summary.stops_early |= is_one_of(stop_early, argument);
    summary.links_otherwise |= is_one_of(link_otherwise, argument);
    summary.is_static |= argument == "-static" || argument == "-static-pie";
    summary.has_build_id |= argument.find("--build-id") != std::string_view::npos;
    summary.uses_sanitizer |= argument.starts_with("-fsanitize=");
    if (is_one_of(static_sanitizers, argument)) summary.static_sanitizer = argument;
  }
  return summary;
}

CompileTask task_of(const Summary& summary) {
  if (!summary.has_input) return CompileTask::information;
  if (summary.stops_early) return CompileTask::translate;
  return summary.links_otherwise ? CompileTask::library : CompileTask::program;
}

void add_link(std::vector<std::string>& result, const CompilePaths& paths,
              const std::string& start_file) {
  // A shared object that can also be executed: it starts by itself, and it can be loaded many
  // times.  `-x none`: what follows is not in the language that the user may have named last.
  const std::string library = "-L" + paths.library_directory.string();
  for (const std::string& one : std::initializer_list<std::string>{
           "-x", "none", "-shared", start_file, paths.start_object.string(), "-Wl,-e,_start",
           // Each copy binds to its own definitions, never to those of whoever loads it.
           "-Wl,-Bsymbolic", "-Wl,-z,defs",
           // Programs without a call of MPI start where there is no MPI at all.
           library, "-Wl,--push-state,--as-needed", "-lmpi", "-Wl,--pop-state"}) {
    result.push_back(one);
  }
}

}  // namespace

CompileTask compile_task(const std::vector<std::string>& arguments) {
  return task_of(summary_of(arguments));
}

std::vector<std::string> compiler_arguments(const std::vector<std::string>& arguments,
                                            const CompilePaths& paths, const CompilerFiles& files) {
  const Summary summary = summary_of(arguments);
  const CompileTask task = task_of(summary);
  if (task == CompileTask::information) return arguments;
  if (task == CompileTask::program && summary.is_static) {
    throw UsageError("a static program cannot be loaded for each rank", "orrery cc: -static",
                     "leave -static out; -static-libgcc and -static-libstdc++ work");
  }
  if (task == CompileTask::program && !summary.static_sanitizer.empty()) {
    throw UsageError(
        "a sanitizer's runtime cannot be a part of a program that is loaded many times",
        "orrery cc: " + summary.static_sanitizer, "leave " + summary.static_sanitizer + " out");
  }
  // A frame is touched page by page, so that none steps over the guard below a rank's stack.
  std::vector<std::string> result{"-I" + paths.include_directory.string(),
                                  "-fstack-clash-protection"};
  if (task == CompileTask::program && !summary.has_build_id) {
    result.emplace_back("-Wl,--build-id=sha1");
  }
  result.insert(result.end(), arguments.begin(), arguments.end());
  if (task == CompileTask::program) add_link(result, paths, files.start_file);
  if (task == CompileTask::program && files.is_clang && summary.uses_sanitizer) {
    result.emplace_back("-shared-libsan");  // as gcc does for every shared object
    // Not in a place where the loader looks, as gcc's are.
    if (!files.sanitizer_directory.empty()) {
      result.push_back("-Wl,-rpath," + files.sanitizer_directory);
    }
  }
  // Last, so that -fPIE, -fno-pic and the like before it do not count.
  result.emplace_back("-fPIC");
  return result;
}

}  // namespace orrery::cli
