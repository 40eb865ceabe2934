#include "event_files.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "console.hpp"
#include "files.hpp"
#include "run_again.hpp"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& where) {
  throw UsageError(std::string("cannot be written: ") + std::strerror(errno), where,
                   "make room, or write somewhere else");
}

std::string make_directory_beside(const std::string& path) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    throw UsageError("'" + path + "' is there already", "-o",
                     "name a directory that is not there yet");
  }
  check_can_write(path, "-o");
  // Whole, since a program may go elsewhere.
  std::string name = fs::absolute(path).string() + ".part-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) fail(path);
  constexpr mode_t usual = S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH;
  chmod(name.c_str(), usual);
  return name;
}

/// A file, or a directory, that has its name when all of it is there; or standard output, which
/// gets nothing before.  What is unfinished goes away with the object.
class ExportTarget {
 public:
  /// Without a path: standard output.  Throws `UsageError` if nothing can be written there.
  ExportTarget(const EventExport& format, const std::optional<std::string>& path);
  ~ExportTarget();
  ExportTarget(const ExportTarget&) = delete;
  ExportTarget& operator=(const ExportTarget&) = delete;

  /// In any process.
  void write(const EventGraph& graph) const;
  /// In this one, when that has been done.
  void finish();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void copy_to(int descriptor, const std::string& where) const;

  const EventExport& format_;
  std::string path_;        ///< empty: standard output
  std::string unfinished_;  ///< the file or directory beside it; empty: a file without a name
  std::unique_ptr<std::FILE, CloseFile> file_;
};

ExportTarget::ExportTarget(const EventExport& format, const std::optional<std::string>& path)
    : format_(format), path_(path.value_or("")) {
  if (format.is_directory()) {
    if (path_.empty()) {
      throw UsageError("this format is a directory of files", "--export",
                       "name the directory with -o");
    }
    unfinished_ = make_directory_beside(path_);
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  const bool is_plain = !path_.empty() && (!fs::exists(status) || fs::is_regular_file(status));
  if (!path_.empty() && (is_plain || fs::is_directory(status))) check_can_write(path_, "-o");
  if (is_plain) {
    unfinished_ = path_ + ".part";
    file_.reset(std::fopen(unfinished_.c_str(), "w+e"));
  } else {
    file_.reset(std::tmpfile());  // what a pipe or a terminal gets is complete, too
  }
  if (file_ == nullptr) {
    unfinished_.clear();
    fail(path_.empty() ? "--export" : path_);
  }
}

ExportTarget::~ExportTarget() {
  if (unfinished_.empty()) return;
  std::error_code error;
  fs::remove_all(unfinished_, error);
}

void ExportTarget::write(const EventGraph& graph) const {
  if (format_.is_directory()) {
    format_.write_directory(graph, unfinished_);
  } else {
    write_export(format_, graph, fileno(file_.get()));
  }
}

void ExportTarget::copy_to(int descriptor, const std::string& where) const {
  std::array<char, std::size_t{1} << 16U> buffer;
  off_t offset = 0;
  for (;;) {
    const ssize_t count = pread(fileno(file_.get()), buffer.data(), buffer.size(), offset);
    if (count < 0) fail("--export");
    if (count == 0) return;
    offset += count;
    for (const char* next = buffer.data(); next != buffer.data() + count;) {
      const ssize_t written = ::write(descriptor, next, buffer.data() + count - next);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(where);
      next += written;
    }
  }
}

void ExportTarget::finish() {
  if (path_.empty()) return copy_to(STDOUT_FILENO, "standard output");
  if (unfinished_.empty()) {
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) fail(path_);
    try {
      copy_to(descriptor, path_);
    } catch (const UsageError&) {
      close(descriptor);
      throw;
    }
    if (close(descriptor) != 0) fail(path_);
    return;
  }
  if (file_ != nullptr && std::fclose(file_.release()) != 0) fail(path_);
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) fail(path_);
  unfinished_.clear();
}

}  // namespace

void export_run(const FoundProgram& program, SavedRun& run, const std::string& path,
                const EventExport& format, const std::optional<std::string>& target_path) {
  ExportTarget target(format, target_path);
  EventGraphObserver watching(format.needs);
  const IsolatedResult result = run_again(
      program, run, path,
      {watching, [&](Simulation& simulation, const std::vector<Finding>* death, Json& more) {
         if (death != nullptr) watching.leave(simulation.clock().now(), *death);
         if (more.contains("parted") && run.method != schedule_method) return;
         target.write(watching.graph());
         more["is_exported"] = true;
       }});
  if (!result.more.contains("is_exported")) {
    throw UsageError("the run could not be exported: it does not come as far as it did", path,
                     "orrery replay shows what it does now");
  }
  target.finish();
}

}  // namespace orrery::cli
