#include "compile.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <set>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {
namespace {

constexpr int cannot_execute = 127;
constexpr int killed_by_signal = 128;

/// A child of which one of the streams is read here.
struct Child {
  pid_t process = -1;
  int stream = -1;
};

Child start(const std::vector<std::string>& command, int stream) {
  std::vector<char*> pointers;
  for (const std::string& argument : command)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  int ends[2] = {};
  if (pipe(ends) != 0) throw UsageError(std::strerror(errno), "pipe", "close some files");
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], stream);
    close(ends[0]);
    close(ends[1]);
    execvp(pointers[0], pointers.data());
    _exit(cannot_execute);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    throw UsageError(std::strerror(errno), "fork", "end some processes");
  }
  return {process, ends[0]};
}

/// Calls `take` with what the child writes, as it comes; returns the child's exit status.
template <typename Take>
int follow(const Child& child, const Take& take) {
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(child.stream, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    take(std::string_view(buffer, static_cast<std::size_t>(count)));
  }
  close(child.stream);
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : killed_by_signal + WTERMSIG(status);
}

std::vector<std::string> compiler_command(Language language) {
  const bool is_c = language == Language::c;
  const char* const chosen = std::getenv(is_c ? "ORRERY_CC" : "ORRERY_CXX");
  std::istringstream words(chosen != nullptr ? chosen : "");
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  if (command.empty()) command.emplace_back(is_c ? "gcc" : "g++");
  return command;
}

UsageError no_compiler(const std::vector<std::string>& command, Language language) {
  const char* const variable = language == Language::c ? "ORRERY_CC" : "ORRERY_CXX";
  return UsageError("the compiler cannot be started", command.front(),
                    std::string("install it, or name another one in ") + variable);
}

/// What the compiler answers to a question such as `-print-file-name=Scrt1.o`; empty: it cannot.
std::string answer(std::vector<std::string> command, const char* question) {
  command.emplace_back(question);
  std::string text;
  const int status =
      follow(start(command, STDOUT_FILENO), [&text](std::string_view more) { text += more; });
  if (status != 0) return {};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

CompilerFiles files_of(const std::vector<std::string>& command, Language language) {
  CompilerFiles files;
  files.start_file = answer(command, "-print-file-name=Scrt1.o");
  if (files.start_file.empty()) throw no_compiler(command, language);
  files.is_clang = command.back().find("clang") != std::string::npos;
  if (files.is_clang) files.sanitizer_directory = answer(command, "-print-runtime-dir");
  return files;
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
  if (messages.find("recompile with -fPIC") != std::string::npos) {
    std::fputs(
        "orrery: an object or a static library was not compiled with orrery cc: compile it "
        "with orrery cc too, or with -fPIC\n",
        stderr);
  }
}

}  // namespace

CompilePaths compile_paths(const std::filesystem::path& command) {
  const auto runtime = command.parent_path().parent_path() / "lib" / "orrery";
  CompilePaths paths{runtime / "include", runtime, runtime / "program_start.o"};
  for (const auto& file : {paths.include_directory / "mpi.h", paths.start_object,
                           paths.library_directory / "libmpi.so"}) {
    if (std::filesystem::exists(file)) continue;
    throw UsageError("a part of Orrery is missing", file.string(),
                     "build or install Orrery again; the command expects it in ../lib/orrery");
  }
  return paths;
}

int compile(Language language, const std::vector<std::string>& arguments,
            const CompilePaths& paths) {
  std::vector<std::string> command = compiler_command(language);
  const bool is_program = compile_task(arguments) == CompileTask::program;
  const CompilerFiles files = is_program ? files_of(command, language) : CompilerFiles{};
  const UsageError missing = no_compiler(command, language);
  // Its messages come through a pipe, where it would leave out its colours.
  if (writes_colors()) command.emplace_back("-fdiagnostics-color=always");
  for (std::string& one : compiler_arguments(arguments, paths, files)) {
    command.push_back(std::move(one));
  }
  std::string messages;
  const int status = follow(start(command, STDERR_FILENO), [&messages](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    messages += text;
  });
  if (status == cannot_execute && messages.empty()) throw missing;
  if (status != 0) explain(messages);
  return status;
}

}  // namespace orrery::cli
