#include "recorded_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/second_image.hpp>
#include <orrery/replay_core/memory_spool.hpp>
#include <orrery/replay_core/rank_spool.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/thread_spool.hpp>
#include <orrery/replay_core/write_all.hpp>

#include "broken_pipes.hpp"
#include "compile_elf.hpp"
#include "files.hpp"
#include "fixed_addresses.hpp"
#include "forwarded_input.hpp"
#include "program_lookup.hpp"
#include "protected_accesses.hpp"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = "lock";

/// What is preloaded.
std::string layer(const RecordedMethod& method) {
  const fs::path command = own_path();
  const char* const library =
      method.is_of_threads ? "liborrery_record_threads.so" : "liborrery_record_mpi.so";
  const std::string path =
      (command.parent_path().parent_path() / "lib" / "orrery" / library).string();
  if (access(path.c_str(), R_OK) == 0) return path;
  throw UsageError("the library that records is not there", path,
                   "install Orrery again, with its lib/orrery");
}

std::string_view name(InputKeeping keeping) {
  return keeping == InputKeeping::hash   ? "hash"
         : keeping == InputKeeping::none ? "none"
                                         : "content";
}

void set_environment(const RecordedStart& start, const std::string& library) {
  const char* const before = std::getenv("LD_PRELOAD");
  const bool has_others = before != nullptr && *before != '\0';
  setenv("LD_PRELOAD", (has_others ? library + ":" + before : library).c_str(), 1);
  setenv("ORRERY_RECORD_DIRECTORY", start.spool_directory.c_str(), 1);
  // Of threads one process is recorded, which is this one for now.
  if (start.method.is_of_threads) {
    setenv("ORRERY_RECORD_PROCESS", fmt::format("{}", getpid()).c_str(), 1);
  }
  if (start.method.keeps_objects) setenv(thread_spool::objects_variable, "yes", 1);
  if (start.method.name == instant_replay_method) {
    setenv(thread_spool::versions_variable, "yes", 1);
  }
  setenv("ORRERY_RECORD_INPUT", std::string(name(start.inputs.keeping)).c_str(), 1);
  setenv("ORRERY_RECORD_REDACT", fmt::format("{}", fmt::join(start.inputs.redacted, ",")).c_str(),
         1);
  if (!start.delays) return;
  setenv("ORRERY_RECORD_DELAYS",
         fmt::format("{}:{}", start.delays->max_ns, start.delays->seed).c_str(), 1);
}

/// A file that runs in the place of a program.
struct ProgramInPlace {
  std::string path;
  std::string program;
  std::string build_id;  ///< of the program
};

/// The content of its note, in hexadecimal; empty: it has none.
std::string build_id_of(std::span<const std::byte> file) {
  const ElfSections sections(file);
  const auto note = sections.content(sections.find(".note.gnu.build-id"));
  constexpr std::size_t head_bytes = 16;
  std::string text;
  for (std::size_t i = head_bytes; i < note.size(); ++i) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(note[i]));
  }
  return text;
}

/// For the recorder, and for the log.
void write_sites(const AccessRecords::SwitchedOff& off, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const auto put = [&](std::uint64_t number) {
    file.write(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (const auto* const sites : {&off.accesses, &off.orders}) {
    put(sites->size());
    std::ranges::for_each(*sites, put);
  }
  file.close();
  if (!file) throw UsageError("what is switched off cannot be written", path, "is the disk full?");
}

/// Takes out of an image what the list says that need not be followed.
void switch_off(const RecordedStart& start, const std::string& build_id, Bytes& image) {
  if (!start.method.protected_list) return;
  const std::string& path = *start.method.protected_list;
  const auto list = ProtectedAccesses::read(path, "--method stride:protected");
  list.check_build(build_id, path);
  AccessRecords::SwitchedOff off = list.switch_off(image, path);
  // Of a group's writes some may be in no order that locks give them.
  if (start.method.groups) off.orders.clear();
  write_sites(off, start.spool_directory + "/" + memory_spool::protected_sites_file);
}

/// The program's second image, as a file; nothing where the first one is to run.
std::optional<ProgramInPlace> write_image(const RecordedStart& start) {
  if (!start.method.follows_memory) return std::nullopt;
  const std::string place = place_in_path(start.command.front());
  // Who starts it is told why not.
  if (place.empty() || fs::is_directory(place)) return std::nullopt;
  const fs::path program = fs::absolute(place);
  const Bytes file = read_bytes(program);
  const auto images = images_in(file);
  if (images.empty()) {
    throw UsageError("its accesses to memory are not seen, as --method " +
                         std::string(start.method.name) + " wants",
                     program.string(),
                     "build it with orrery cc (orrery c++), or record it with --method "
                     "lamport-order");
  }
  const std::string path = start.spool_directory + "/" + memory_spool::image_file;
  const std::string build_id = build_id_of(file);
  Bytes content(images.front().begin(), images.front().end());
  switch_off(start, build_id, content);
  std::ofstream image(path, std::ios::binary);
  image.write(reinterpret_cast<const char*>(content.data()),
              static_cast<std::streamsize>(content.size()));
  image.close();
  if (!image) {
    throw UsageError("its second image cannot be written", path, "is the disk full?");
  }
  fs::permissions(path, fs::perms::owner_all);
  return ProgramInPlace{path, program.string(), build_id};
}

/// In the child: becomes the command, or writes why not into `complaints`.
[[noreturn]] void become_command(const RecordedStart& start, const std::string& library,
                                 const std::optional<ProgramInPlace>& image, int input, int output,
                                 int complaints) {
  if (input >= 0) dup2(input, STDIN_FILENO);
  if (output >= 0) dup2(output, STDOUT_FILENO);
  set_environment(start, library);
  // A replay has the program there, too.
  place_nothing_at_random();
  std::vector<char*> words;
  for (const std::string& word : start.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (image) {
    setenv(memory_spool::method_variable, std::string(start.method.name).c_str(), 1);
    if (start.method.groups) setenv(memory_spool::groups_variable, start.method.groups->c_str(), 1);
    setenv(rank_spool::program_variable, image->program.c_str(), 1);
    setenv(rank_spool::build_id_variable, image->build_id.c_str(), 1);
    execv(image->path.c_str(), words.data());
  } else {
    execvp(words.front(), words.data());
  }
  const int error = errno;
  static_cast<void>(write(complaints, &error, sizeof error) == 0);
  _exit(127);
}

pid_t running_command = 0;
volatile std::sig_atomic_t was_passed_on = 0;

/// Whoever ends the recorder ends the command, and the log is still written.
void pass_on(int signal) {
  if (running_command > 0) kill(running_command, signal);
  was_passed_on = 1;
}

/// Signals while the command runs: an interrupt of the terminal reaches it anyway.
class SignalsPassedOn {
 public:
  explicit SignalsPassedOn(pid_t command) {
    running_command = command;
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, &interrupt_);
    action.sa_handler = pass_on;
    sigaction(SIGTERM, &action, &terminate_);
    sigaction(SIGHUP, &action, &hang_up_);
  }
  ~SignalsPassedOn() {
    running_command = 0;
    sigaction(SIGINT, &interrupt_, nullptr);
    // Whoever has asked for an end may ask once more, as timeout(1) does: the log is still written.
    if (was_passed_on != 0) return;
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGHUP, &hang_up_, nullptr);
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
  struct sigaction hang_up_ {};
};

/// What comes until the end; `passed_on`: each part of it.
template <typename PassedOn>
std::string read_to_end(int file, const PassedOn& passed_on) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t length = read(file, part.data(), part.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return text;
    const std::string_view bytes(part.data(), static_cast<std::size_t>(length));
    text += bytes;
    if (!passed_on(bytes)) return text;
  }
}
bool nowhere(std::string_view /*part*/) {
  return true;
}

/// Until the command ends, or nobody reads any further what is passed on: then it is told so by the
/// system, as if it had written there itself.
std::string output_of_command(int file, RecordedOutput output) {
  if (output == RecordedOutput::given_back) return read_to_end(file, nowhere);
  survive_broken_pipes();
  return read_to_end(file, [](std::string_view part) { return write_all(STDOUT_FILENO, part); });
}

int wait_for(pid_t command) {
  int status = 0;
  while (waitpid(command, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int signal_base = 128;
  return WIFSIGNALED(status) ? signal_base + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Two ends of a pipe, closed in what is started.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) == 0) return ends;
  throw UsageError(std::string("no pipe can be made: ") + std::strerror(errno), "orrery record",
                   "raise the limit on open files: ulimit -n");
}

}  // namespace

SpoolDirectory::SpoolDirectory(const std::string& log_path, bool keeps_old)
    : path_(fs::absolute(log_path).lexically_normal().string() + ".ranks") {
  std::error_code error;
  fs::create_directory(path_, error);
  const std::string lock = path_ + "/" + lock_name;
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) {
    throw UsageError(std::string("the ranks cannot write there: ") + std::strerror(errno), path_,
                     "write the log somewhere else");
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    throw UsageError("another orrery record is writing this log", log_path,
                     "wait until it has ended, or give -o another file");
  }
  if (keeps_old) return;
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().filename() != lock_name) fs::remove(entry.path(), error);
  }
}

SpoolDirectory::~SpoolDirectory() {
  if (lock_ >= 0) close(lock_);
}

void SpoolDirectory::remove() {
  std::error_code error;
  fs::remove_all(path_, error);
}

/// What to do where there is no such command.
static std::string missing_hint(const RecordedStart& start) {
  if (start.method.is_of_threads) return "is it there, and in PATH?";
  return "is it installed, and in PATH?  On Debian: apt-get install openmpi-bin";
}

RecordedEnd run_recorded(const RecordedStart& start) {
  const std::string library = layer(start.method);
  std::optional<ForwardedInput> input;
  if (start.method.is_of_threads) {
    input.emplace(start.spool_directory + "/" + rank_spool::standard_input_file);
  }
  const std::optional<ProgramInPlace> image = write_image(start);
  const std::array<int, 2> complaints = make_pipe();
  const bool gives_back = start.output != RecordedOutput::untouched;
  const std::array<int, 2> output = gives_back ? make_pipe() : std::array<int, 2>{-1, -1};
  const auto started_at = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    become_command(start, library, image, input ? input->program_end() : -1, output[1],
                   complaints[1]);
  }
  close(complaints[1]);
  if (gives_back) close(output[1]);
  if (child < 0) {
    throw UsageError(std::string("no process can be made: ") + std::strerror(errno),
                     "orrery record", "raise the limit on processes: ulimit -u");
  }
  if (input) input->begin();
  const SignalsPassedOn signals(child);
  const std::string complaint = read_to_end(complaints[0], nowhere);
  close(complaints[0]);
  RecordedEnd end;
  if (gives_back) {
    end.output = output_of_command(output[0], start.output);
    close(output[0]);
  }
  end.status = wait_for(child);
  end.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started_at).count();
  if (complaint.empty()) return end;
  int error = 0;
  std::memcpy(&error, complaint.data(), std::min(complaint.size(), sizeof error));
  throw UsageError(std::string("cannot be started: ") + std::strerror(error), start.command.front(),
                   error == ENOENT ? missing_hint(start) : "see whether it starts by itself");
}

}  // namespace orrery::cli
