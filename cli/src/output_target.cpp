#include "output_target.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/write_all.hpp>

#include "files.hpp"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& where) {
  throw UsageError(std::string("cannot be written: ") + std::strerror(errno), where,
                   "make room, or write somewhere else");
}

std::string make_directory_beside(const std::string& path, const std::string& path_flag) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    throw UsageError("'" + path + "' is there already", path_flag,
                     "name a directory that is not there yet");
  }
  check_can_write(path, path_flag);
  // Whole, since a program may go elsewhere.
  std::string name = fs::absolute(path).string() + ".part-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) fail(path);
  constexpr mode_t usual = S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH;
  chmod(name.c_str(), usual);
  return name;
}

}  // namespace

OutputTarget::OutputTarget(Sort sort, const std::optional<std::string>& path, std::string flag,
                           const std::string& path_flag)
    : flag_(std::move(flag)), path_(path.value_or("")) {
  if (sort == Sort::directory) {
    if (path_.empty()) {
      throw UsageError("this format is a directory of files", flag_,
                       "name the directory with " + path_flag);
    }
    unfinished_ = make_directory_beside(path_, path_flag);
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  const bool is_plain = !path_.empty() && (!fs::exists(status) || fs::is_regular_file(status));
  if (!path_.empty() && (is_plain || fs::is_directory(status))) check_can_write(path_, path_flag);
  if (is_plain) {
    unfinished_ = path_ + ".part";
    file_.reset(std::fopen(unfinished_.c_str(), "w+e"));
  } else {
    file_.reset(std::tmpfile());  // what a pipe or a terminal gets is complete, too
  }
  if (file_ == nullptr) {
    unfinished_.clear();
    fail(path_.empty() ? flag_ : path_);
  }
}

OutputTarget::~OutputTarget() {
  if (unfinished_.empty()) return;
  std::error_code error;
  fs::remove_all(unfinished_, error);
}

void OutputTarget::copy_to(int descriptor, const std::string& where) const {
  std::array<char, std::size_t{1} << 16U> buffer;
  off_t offset = 0;
  for (;;) {
    const ssize_t count = pread(fileno(file_.get()), buffer.data(), buffer.size(), offset);
    if (count < 0) fail(flag_);
    if (count == 0) return;
    offset += count;
    if (!write_all(descriptor, {buffer.data(), static_cast<std::size_t>(count)})) fail(where);
  }
}

void OutputTarget::finish() {
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

}  // namespace orrery::cli
