#include "input_notes.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>

#include <orrery/network_model/usage_error.hpp>

#include "system_calls.hpp"

namespace orrery::host {
namespace {

// Room that costs nothing until it is used.
constexpr std::size_t notes_bytes = std::size_t{256} << 20U;

/// Holds off the other processes of a search.
class FileLock {
 public:
  explicit FileLock(int file) : file_(file) { change(F_WRLCK); }
  ~FileLock() { change(F_UNLCK); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  void change(short type) const {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    while (system_calls::bare(SYS_fcntl, file_, F_SETLKW, &lock) != 0 && errno == EINTR) {
    }
  }
  int file_;
};

}  // namespace

struct InputNotes::Header {
  std::atomic<std::uint64_t> used_bytes;
  std::atomic<std::uint64_t> generation;
};

struct InputNotes::Record {
  std::atomic<std::uint32_t> is_whole;
  Kind kind;
  std::uint32_t name_bytes;
  std::uint32_t content_bytes;
};

InputNotes::InputNotes() {
  void* const memory = mmap(nullptr, notes_bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw UsageError(std::strerror(errno), "shared memory", "free some memory");
  }
  header_ = new (memory) Header{};
}

InputNotes::~InputNotes() {
  munmap(header_, notes_bytes);
}

void InputNotes::add(Kind kind, std::string_view name, std::string_view content) {
  if (known_generation_ != header_->generation) {
    known_.clear();
    known_generation_ = header_->generation;
  }
  if (!known_.insert(std::to_string(static_cast<int>(kind)) + std::string(name)).second) return;
  const std::size_t bytes = (sizeof(Record) + name.size() + content.size() + 7) / 8 * 8;
  const std::uint64_t at = header_->used_bytes.fetch_add(bytes);
  if (at + bytes > notes_bytes - sizeof(Header)) return;  // nobody asks for so many
  auto* const place = reinterpret_cast<std::byte*>(header_ + 1) + at;
  auto* const record = new (place) Record{{0},
                                          kind,
                                          static_cast<std::uint32_t>(name.size()),
                                          static_cast<std::uint32_t>(content.size())};
  auto* const text = reinterpret_cast<char*>(record + 1);
  std::memcpy(text, name.data(), name.size());
  if (!content.empty()) {
    std::memcpy(text + name.size(), content.data(), content.size());
  }
  record->is_whole.store(1, std::memory_order_release);
}

std::vector<InputNotes::Note> InputNotes::notes() const {
  std::vector<Note> notes;
  const auto* const begin = reinterpret_cast<const std::byte*>(header_ + 1);
  const std::uint64_t end = header_->used_bytes;
  for (std::uint64_t at = 0; at + sizeof(Record) <= end && end <= notes_bytes - sizeof(Header);) {
    const auto* const record = reinterpret_cast<const Record*>(begin + at);
    // Whoever died in the middle of one leaves the rest unreadable.
    if (record->is_whole.load(std::memory_order_acquire) == 0) break;
    const auto* const text = reinterpret_cast<const char*>(record + 1);
    notes.push_back({record->kind,
                     {text, record->name_bytes},
                     {text + record->name_bytes, record->content_bytes}});
    at += (sizeof(Record) + record->name_bytes + record->content_bytes + 7) / 8 * 8;
  }
  return notes;
}

void InputNotes::clear() {
  header_->used_bytes = 0;
  ++header_->generation;
}

InputTape::InputTape() : descriptor_(system_calls::memory_file("orrery standard input")) {
  if (descriptor_ < 0) {
    throw UsageError(std::strerror(errno), "standard input", "raise the limit on open files");
  }
}

InputTape::~InputTape() {
  system_calls::close(descriptor_);
}

ssize_t InputTape::read(void* into, std::size_t bytes, std::uint64_t offset) {
  if (bytes == 0) return 0;
  const FileLock lock(descriptor_);
  const ssize_t known = system_calls::pread(descriptor_, into, bytes, static_cast<off_t>(offset));
  if (known != 0 || is_set_) return known;
  ssize_t fresh = -1;
  do {
    fresh = system_calls::read(STDIN_FILENO, into, bytes);
  } while (fresh < 0 && errno == EINTR);
  if (fresh > 0) {
    system_calls::pwrite(descriptor_, into, static_cast<std::size_t>(fresh),
                         static_cast<off_t>(offset));
  }
  return fresh;
}

void InputTape::set(std::string_view content) {
  is_set_ = true;
  system_calls::ftruncate(descriptor_, 0);
  system_calls::pwrite(descriptor_, content.data(), content.size(), 0);
}

std::string InputTape::content() const {
  struct stat status {};
  system_calls::fstat(descriptor_, status);
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t bytes = system_calls::pread(descriptor_, content.data(), content.size(), 0);
  content.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
  return content;
}

}  // namespace orrery::host
