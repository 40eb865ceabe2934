#include "compile_arguments.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string_view>

namespace orrery::cli {
namespace {

template <std::size_t N>
using WordList = std::array<std::string_view, N>;

constexpr WordList<33> options_with_value{
    "-I",        "-D",         "-U",           "-T",
    "-u",        "-z",         "-e",           "-A",
    "-B",        "-G",         "-F",           "-h",
    "-include",  "-imacros",   "-iprefix",     "-isystem",
    "-iquote",   "-idirafter", "-iwithprefix", "-iwithprefixbefore",
    "-isysroot", "-imultilib", "-Xassembler",  "-Xpreprocessor",
    "-Xclang",   "-wrapper",   "--param",      "-target",
    "-mllvm",    "-arch",      "--sysroot",    "--include",
    "--entry"};
// Their files are written by the first compilation.
constexpr WordList<8> first_only_with_value{"-MF",       "-MT",      "-MQ",       "-MJ",
                                            "-aux-info", "-dumpdir", "-dumpbase", "-dumpbase-ext"};
constexpr WordList<12> first_only{"-MD",
                                  "-MMD",
                                  "-MP",
                                  "-MG",
                                  "--coverage",
                                  "-gsplit-dwarf",
                                  "-fprofile-arcs",
                                  "-ftest-coverage",
                                  "-fstack-usage",
                                  "-coverage",
                                  "-ftime-trace",
                                  "-ftime-report"};
constexpr WordList<9> first_only_beginnings{"-save-temps",
                                            "--save-temps",
                                            "-fdump-",
                                            "-fprofile-",
                                            "-fcallgraph-info",
                                            "-fopt-info",
                                            "-fauto-profile",
                                            "-foptimization-record-file",
                                            "-fsave-optimization-record"};
constexpr WordList<9> stop_early{
    "-S",         "-E",           "-M",        "-MM",      "-fsyntax-only",
    "--assemble", "--preprocess", "-emit-ast", "--analyze"};
constexpr WordList<2> static_sanitizers{"-static-libasan", "-static-libsan"};
constexpr WordList<20> source_endings{".c",   ".i",   ".ii", ".cc",  ".cp",  ".cxx", ".cpp",
                                      ".CPP", ".c++", ".C",  ".s",   ".S",   ".sx",  ".m",
                                      ".mi",  ".mm",  ".M",  ".mii", ".f90", ".bc"};
constexpr WordList<8> header_endings{".h", ".H", ".hh", ".hp", ".hxx", ".hpp", ".HPP", ".h++"};
constexpr WordList<5> sanitizers_without_hooks{"address", "kernel-address", "hwaddress", "memory",
                                               "dataflow"};
constexpr int response_depth_max = 20;

template <std::size_t N>
bool is_one_of(const WordList<N>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

template <std::size_t N>
bool begins_with_one_of(const WordList<N>& list, std::string_view text) {
  return std::any_of(list.begin(), list.end(),
                     [text](std::string_view one) { return text.starts_with(one); });
}

template <std::size_t N>
bool ends_with_one_of(const WordList<N>& list, std::string_view text) {
  return std::any_of(list.begin(), list.end(),
                     [text](std::string_view one) { return text.ends_with(one); });
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
    expand(words_of_response(text), depth + 1, all);
  }
}

/// Reads one argument after the other.
class Parser {
 public:
  explicit Parser(std::vector<std::string> words) : words_(std::move(words)) {}

  CompileArguments parse() {
    while (at_ < words_.size()) read_one();
    result_.task = task();
    return std::move(result_);
  }

 private:
  void read_one() {
    const std::string word = words_[at_++];
    if (word == "-" || !word.starts_with('-')) return add_input(word);
    if (add_with_value(word)) return;
    if (is_one_of(first_only, word) || begins_with_one_of(first_only_beginnings, word)) {
      return add(ArgumentKind::first_only, {word}, word);
    }
    if (word == "-c" || word == "--compile" || is_one_of(stop_early, word)) {
      stops_early_ |= is_one_of(stop_early, word);
      makes_object_ |= word == "-c" || word == "--compile";
      return add(ArgumentKind::stop, {word}, word);
    }
    if (word.starts_with("-Wl,")) return add(ArgumentKind::linker_option, {word}, word);
    note_flag(word);
    add(ArgumentKind::option, {word}, word);
  }

  /// Options whose value follows, in the same word or in the next.
  bool add_with_value(const std::string& word) {
    if (word == "-Xlinker") return add_two(ArgumentKind::linker_option, word);
    if (word == "--output") return add_output({word, next()});
    if (word.starts_with("--output=")) return add_output({word}, word.substr(9));
    if (word == "-o") return add_output({word, next()});
    if (word.starts_with("-o") && !word.starts_with("-object")) {
      return add_output({word}, word.substr(2));
    }
    if (word.starts_with("-x")) return add_joined(ArgumentKind::language, word);
    if (word.starts_with("-L")) return add_joined(ArgumentKind::library_directory, word);
    if (word.starts_with("-l")) return add_joined(ArgumentKind::library, word);
    if (is_one_of(first_only_with_value, word)) return add_two(ArgumentKind::first_only, word);
    if (word == "-Xclang") return add_for_clang();
    if (is_one_of(options_with_value, word)) return add_two(ArgumentKind::option, word);
    return false;
  }

  std::string next() { return at_ < words_.size() ? words_[at_++] : std::string(); }

  void add(ArgumentKind kind, std::vector<std::string> words, std::string value) {
    result_.has_build_id |= value.find("--build-id") != std::string::npos;
    result_.all.push_back({kind, std::move(words), std::move(value)});
  }
  bool add_two(ArgumentKind kind, const std::string& word) {
    const std::string value = next();
    add(kind, {word, value}, value);
    return true;
  }
  // A header that was precompiled for the first image; its text comes by another option.
  bool add_for_clang() {
    const std::string value = next();
    const bool names_header = names_header_next_;
    names_header_next_ = value == "-include-pch";
    const bool is_first_only = names_header || names_header_next_;
    add(is_first_only ? ArgumentKind::first_only : ArgumentKind::option, {"-Xclang", value}, value);
    return true;
  }
  bool add_output(std::vector<std::string> words, const std::string& value = {}) {
    result_.output = words.size() == 2 ? words[1] : value;
    add(ArgumentKind::output, std::move(words), result_.output);
    return true;
  }
  bool add_joined(ArgumentKind kind, const std::string& word) {
    constexpr std::size_t letters = 2;  // of `-x`, `-L`, `-l`
    std::vector<std::string> words{word};
    if (word.size() == letters) words.push_back(next());
    const std::string value = words.size() == 2 ? words[1] : word.substr(letters);
    has_input_ |= kind == ArgumentKind::library;
    if (kind == ArgumentKind::language) language_ = value == "none" ? "" : value;
    add(kind, std::move(words), value);
    return true;
  }

  void add_input(const std::string& file) {
    has_input_ = true;
    const bool is_header =
        language_.empty() ? ends_with_one_of(header_endings, file) : language_.ends_with("-header");
    if (is_header) {
      has_header_ = true;
      result_.has_source = true;
      return add(ArgumentKind::header, {file}, file);
    }
    if (language_.empty() && !ends_with_one_of(source_endings, file)) {
      return add(ArgumentKind::link_input, {file}, file);
    }
    result_.has_source = true;
    result_.sources.push_back(file);
    add(ArgumentKind::source, {file}, file);
  }

  void note_flag(const std::string& word) {
    is_shared_ |= word == "-shared" || word == "--shared";
    is_relocatable_ |= word == "-r" || word == "--relocatable";
    is_bare_ |= word == "-nostartfiles" || word == "-nostdlib";
    result_.is_static |= word == "-static" || word == "-static-pie";
    result_.has_own_cxx_library |= word == "-static-libstdc++";
    constexpr std::string_view linker = "-fuse-ld=";
    if (word.starts_with(linker)) result_.linker = word.substr(linker.size());
    if (is_one_of(static_sanitizers, word)) result_.static_sanitizer = word;
    result_.excludes_hooks |= word == "-m32" || word == "-mx32";
    constexpr std::string_view sanitize = "-fsanitize=";
    if (!word.starts_with(sanitize)) return;
    result_.uses_sanitizer = true;
    std::string_view rest = std::string_view(word).substr(sanitize.size());
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      result_.excludes_hooks |= is_one_of(sanitizers_without_hooks, rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  [[nodiscard]] CompileTask task() const {
    if (!has_input_) return CompileTask::information;
    if (stops_early_ || has_header_) return CompileTask::translate;
    if (makes_object_) return CompileTask::object;
    if (is_relocatable_) return CompileTask::relocatable;
    if (is_shared_) return CompileTask::library;
    return is_bare_ ? CompileTask::bare : CompileTask::program;
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::string language_;
  bool has_input_ = false;
  bool has_header_ = false;
  bool names_header_next_ = false;  ///< the next `-Xclang` has the file of a precompiled header
  bool stops_early_ = false;
  bool makes_object_ = false;
  bool is_shared_ = false;
  bool is_relocatable_ = false;
  bool is_bare_ = false;
  CompileArguments result_;
};

}  // namespace

CompileArguments parse_arguments(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  expand(words, 0, all);
  return Parser(std::move(all)).parse();
}

CompileTask compile_task(const std::vector<std::string>& arguments) {
  return parse_arguments(arguments).task;
}

}  // namespace orrery::cli
