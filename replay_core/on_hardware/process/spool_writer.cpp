#include "spool_writer.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cancellation.hpp"
#include "next_function.hpp"

namespace orrery::on_hardware {
namespace {

// Room is taken before it is used: a full disk is an error here, and would be SIGBUS there.
constexpr std::uint64_t first_window_bytes = std::uint64_t{16} << 10U;
constexpr std::uint64_t window_bytes = std::uint64_t{1} << 20U;

thread_local bool is_asking __attribute__((tls_model("initial-exec"))) = false;

/// SIGXFSZ would end the program because it is recorded.  One that comes meanwhile is taken away.
class FileSizeSignalHeld {
 public:
  FileSizeSignalHeld() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGXFSZ);
    set_mask(SIG_BLOCK, &signals_, &before_);
  }
  ~FileSizeSignalHeld() {
    const timespec at_once{0, 0};
    if (sigismember(&before_, SIGXFSZ) == 0) {
      next<&::sigtimedwait>("sigtimedwait")(&signals_, nullptr, &at_once);
    }
    set_mask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
  FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;

 private:
  // Not the program's own functions, which are recorded.
  static void set_mask(int how, const sigset_t* set, sigset_t* before) {
    next<&::pthread_sigmask>("pthread_sigmask")(how, set, before);
  }

  sigset_t signals_{};
  sigset_t before_{};
};

/// 0, or what went wrong.
int take_room(int file, std::uint64_t offset, std::uint64_t bytes) {
  const NotCancelled whole;  // sigtimedwait would be where it is
  const FileSizeSignalHeld held;
  int error = 0;
  do {
    error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (error == EINTR);
  return error;
}

// Past our own functions, which take it for a file of the program's.
int open_directly(const char* path, int flags) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | flags, 0600));
}
void close_directly(int file) {
  syscall(SYS_close, file);
}

}  // namespace

bool SpoolWriter::open(const char* directory, const char* prefix, std::uint32_t number) {
  std::snprintf(path_.data(), path_.size(), "%s/%s%u", directory, prefix, number);
  const int file = open_directly(path_.data(), O_CREAT | O_EXCL);
  if (file < 0) return false;
  int error = take_room(file, 0, rank_spool::header_bytes);
  void* mapped = MAP_FAILED;
  if (error == 0) {
    mapped = mmap(nullptr, rank_spool::header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) error = errno;
  }
  close_directly(file);
  errno = error;
  if (mapped == MAP_FAILED) return false;
  header_ = static_cast<rank_spool::Header*>(mapped);
  header_->rank = number;
  header_->magic_number = rank_spool::magic;
  return true;
}

void SpoolWriter::cut(rank_spool::Cut reason, int system_error) {
  std::uint32_t none = 0;
  if (!__atomic_compare_exchange_n(&header_->cut, &none, static_cast<std::uint32_t>(reason), false,
                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    return;
  }
  header_->system_error = system_error;
}

bool SpoolWriter::grow() {
  if (header_->cut != 0) return false;
  const std::uint64_t offset = window_offset_ + static_cast<std::uint64_t>(window_end_ - window_);
  const std::uint64_t bytes = offset == 0 ? first_window_bytes : window_bytes;
  is_asking = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool has_room = map_window(offset, bytes);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  is_asking = false;
  return has_room;
}

bool SpoolWriter::asks_for_room() {
  return is_asking;
}

bool SpoolWriter::map_window(std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t place = rank_spool::header_bytes + offset;
  const int file = open_directly(path_.data(), 0);
  int error = file < 0 ? errno : take_room(file, place, bytes);
  void* mapped = MAP_FAILED;
  if (error == 0) {
    mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(place));
    if (mapped == MAP_FAILED) error = errno;
  }
  if (file >= 0) close_directly(file);
  if (mapped == MAP_FAILED) {
    cut(rank_spool::Cut::disk, error);
    return false;
  }
  if (window_ != nullptr) munmap(window_, static_cast<std::size_t>(window_end_ - window_));
  window_ = next_ = static_cast<std::uint8_t*>(mapped);
  window_end_ = window_ + bytes;
  window_offset_ = offset;
  return true;
}

}  // namespace orrery::on_hardware
