#include "image_surroundings.hpp"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "raw_system_calls.hpp"

namespace orrery::detail {
namespace {

constexpr char deleted_mark[] = " (deleted)";
constexpr std::size_t path_bytes_max = 4096;

std::uint64_t read_number(const char*& next, unsigned base) {
  std::uint64_t value = 0;
  for (;; ++next) {
    unsigned digit = base;
    if (*next >= '0' && *next <= '9') digit = static_cast<unsigned>(*next - '0');
    if (*next >= 'a' && *next <= 'f') digit = static_cast<unsigned>(*next - 'a') + 10;
    if (digit >= base) return value;
    value = value * base + digit;
  }
}

bool is(const char* text, std::size_t bytes, const char* other) {
  return bytes == std::strlen(other) && std::memcmp(text, other, bytes) == 0;
}

bool begins_with(const char* text, std::size_t bytes, const char* other) {
  return bytes >= std::strlen(other) && std::memcmp(text, other, std::strlen(other)) == 0;
}

bool is_deleted(const char* path, std::size_t bytes) {
  constexpr std::size_t mark_bytes = sizeof deleted_mark - 1;
  return bytes >= mark_bytes &&
         std::memcmp(path + bytes - mark_bytes, deleted_mark, mark_bytes) == 0;
}

/// The layouts of the kernel's `struct stat` and of the C library's are one.
bool stat_path(const char* path, struct stat& result) {
  return raw_system_call(SYS_newfstatat, AT_FDCWD, as_argument(path), as_argument(&result), 0) == 0;
}

std::int64_t modified_ns(const struct stat& status) {
  return status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
}

/// Calls `found` with the number of each open descriptor.
template <typename Found>
bool for_each_descriptor(const Found& found) {
  const long directory = raw_system_call(SYS_openat, AT_FDCWD, as_argument("/proc/self/fd"),
                                         O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return false;
  alignas(8) char entries[2048];
  for (;;) {
    const long bytes =
        raw_system_call(SYS_getdents64, directory, as_argument(entries), sizeof entries);
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      std::uint16_t entry_bytes = 0;
      std::memcpy(&entry_bytes, entries + at + 16, sizeof entry_bytes);
      const char* name = entries + at + 19;
      if (*name != '.') {
        const auto number = static_cast<int>(read_number(name, 10));
        if (number != directory) found(number);
      }
      at += entry_bytes;
    }
  }
  raw_system_call(SYS_close, directory);
  return true;
}

}  // namespace

Surroundings::Surroundings(WorkingMemory& memory)
    : maps_(memory.take<char>(text_bytes_max)),
      mappings_(memory, mappings_max),
      objects_(memory, mappings_max),
      are_shared_(memory, mappings_max),
      files_(memory, files_max),
      descriptors_(memory, descriptors_max),
      text_(memory, text_bytes_max),
      encoded_(memory, 2 * text_bytes_max) {}

bool Surroundings::read(std::span<const int> own_descriptors) {
  mappings_.clear();
  objects_.clear();
  are_shared_.clear();
  files_.clear();
  descriptors_.clear();
  text_.clear();
  const long maps =
      raw_system_call(SYS_openat, AT_FDCWD, as_argument("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  std::size_t bytes = 0;
  for (;;) {
    const long count = raw_system_call(SYS_read, maps, as_argument(maps_ + bytes),
                                       static_cast<long>(text_bytes_max - 1 - bytes));
    if (count <= 0) break;
    bytes += static_cast<std::size_t>(count);
  }
  raw_system_call(SYS_close, maps);
  maps_[bytes] = '\0';
  for (const char* line = maps_; *line != '\0';) {
    const char* const end = std::strchr(line, '\n');
    if (end == nullptr) return false;
    read_line(line, end);
    line = end + 1;
  }
  const bool has_descriptors = for_each_descriptor([&](int number) {
    if (std::find(own_descriptors.begin(), own_descriptors.end(), number) ==
        own_descriptors.end()) {
      read_descriptor(number);
    }
  });
  return has_descriptors && !mappings_.has_overflown() && !files_.has_overflown() &&
         !descriptors_.has_overflown() && !text_.has_overflown();
}

void Surroundings::add_mapping(const MappingRecord& mapping, std::uint64_t object, bool is_shared) {
  mappings_.push_back(mapping);
  objects_.push_back(object);
  are_shared_.push_back(is_shared);
}

// BEGIN-END rwxp OFFSET DEVICE INODE   PATH
void Surroundings::read_line(const char* line, const char* end) {
  MappingRecord mapping{};
  mapping.begin = read_number(line, 16);
  mapping.end = read_number(++line, 16);
  ++line;
  if (line[0] == 'r') mapping.protection |= PROT_READ;
  if (line[1] == 'w') mapping.protection |= PROT_WRITE;
  if (line[2] == 'x') mapping.protection |= PROT_EXEC;
  const bool is_shared = line[3] == 's';
  line += 5;
  mapping.offset = read_number(line, 16);
  const std::uint64_t major = read_number(++line, 16);
  const std::uint64_t minor = read_number(++line, 16);
  const std::uint64_t inode = read_number(++line, 10);
  while (line < end && *line == ' ') ++line;
  const auto bytes = static_cast<std::size_t>(end - line);
  if (begins_with(line, bytes, "[vsyscall]")) return;  // every process has it
  if (begins_with(line, bytes, "[vdso]") || begins_with(line, bytes, "[vvar")) {
    mapping.kind = MappingKind::kernel_range;
    return add_mapping(mapping, 0, false);
  }
  if (inode == 0 && !is_shared) {
    mapping.kind = is(line, bytes, "[stack]") ? MappingKind::stack : MappingKind::memory;
    return add_mapping(mapping, 0, false);
  }
  const bool can_differ = is_shared && (mapping.protection & PROT_WRITE) != 0;
  if (!can_differ && !is_deleted(line, bytes) && add_file(mapping, line, bytes)) {
    mapping.kind = MappingKind::file;
    return add_mapping(mapping, 0, false);
  }
  mapping.kind = MappingKind::kept;
  const std::uint64_t object = (major << 52U ^ minor << 32U ^ inode) * 0x9e37'79b9'7f4a'7c15U | 1U;
  add_mapping(mapping, object, is_shared);
}

bool Surroundings::add_file(MappingRecord& mapping, const char* path, std::size_t bytes) {
  if (files_.size() > 0) {
    const FileRecord& last = files_.back();
    if (bytes == last.path_bytes &&
        std::memcmp(text_.begin() + last.path_offset, path, bytes) == 0) {
      mapping.file = files_.size() - 1;
      return true;
    }
  }
  if (bytes == 0 || bytes >= path_bytes_max || path[0] != '/') return false;
  char name[path_bytes_max];
  std::memcpy(name, path, bytes);
  name[bytes] = '\0';
  struct stat status {};
  if (!stat_path(name, status) || !S_ISREG(status.st_mode)) return false;
  FileRecord file{};
  file.bytes = static_cast<std::uint64_t>(status.st_size);
  file.modified_ns = modified_ns(status);
  file.path_offset = static_cast<std::uint32_t>(text_.size());
  file.path_bytes = static_cast<std::uint32_t>(bytes);
  for (std::size_t i = 0; i <= bytes; ++i) text_.push_back(name[i]);
  mapping.file = files_.size();
  files_.push_back(file);
  return true;
}

// What was open for reading is opened again; all else leads nowhere.
void Surroundings::read_descriptor(int number) {
  const long flags = raw_system_call(SYS_fcntl, number, F_GETFL);
  if (flags < 0) return;
  DescriptorRecord record{};
  record.number = number;
  const long own_flags = raw_system_call(SYS_fcntl, number, F_GETFD);
  const unsigned close_on_exec = (own_flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0;
  record.flags = static_cast<std::uint32_t>(O_RDWR) | close_on_exec;
  char link[32] = "/proc/self/fd/";
  char digits[12];
  std::size_t count = 0;
  for (int rest = number; rest > 0 || count == 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  char* next = link + std::strlen(link);
  while (count > 0) *next++ = digits[--count];
  *next = '\0';
  char path[path_bytes_max];
  const long bytes = raw_system_call(SYS_readlinkat, AT_FDCWD, as_argument(link), as_argument(path),
                                     sizeof path - 1);
  struct stat status {};
  const bool is_read = (flags & O_ACCMODE) != O_WRONLY && (flags & O_PATH) == 0;
  if (is_read && bytes > 0 && !is_deleted(path, static_cast<std::size_t>(bytes))) {
    path[bytes] = '\0';
    const bool is_file =
        stat_path(path, status) && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    if (is_file) {
      record.flags = static_cast<std::uint32_t>(flags & (O_NONBLOCK | O_DIRECTORY)) | close_on_exec;
      record.offset = raw_system_call(SYS_lseek, number, 0, 1);  // SEEK_CUR
      record.path_offset = static_cast<std::uint32_t>(text_.size());
      record.path_bytes = static_cast<std::uint32_t>(bytes);
      for (long i = 0; i <= bytes; ++i) text_.push_back(path[i]);
    }
  }
  descriptors_.push_back(record);
}

std::span<const std::byte> Surroundings::encoded() {
  encoded_.clear();
  const auto append = [this](std::span<const std::byte> bytes) {
    std::memcpy(encoded_.end(), bytes.data(), bytes.size());
    encoded_.grow(bytes.size());
  };
  const SurroundingsHeader header{
      static_cast<std::uint32_t>(mappings_.size()), static_cast<std::uint32_t>(files_.size()),
      static_cast<std::uint32_t>(descriptors_.size()), static_cast<std::uint32_t>(text_.size())};
  append(std::as_bytes(std::span(&header, 1)));
  append(mappings_.bytes());
  append(files_.bytes());
  append(descriptors_.bytes());
  append(text_.bytes());
  return encoded_.bytes();
}

void read_signals(ImageHeader& header) {
  for (int signal = 1; signal <= signals; ++signal) {
    raw_system_call(SYS_rt_sigaction, signal, 0, as_argument(&header.signal_actions[signal - 1]),
                    sizeof(std::uint64_t));
  }
  raw_system_call(SYS_sigaltstack, 0, as_argument(&header.signal_stack));
}

std::size_t count_threads() {
  struct stat status {};
  return stat_path("/proc/self/task", status) && status.st_nlink > 2 ? status.st_nlink - 2 : 1;
}

}  // namespace orrery::detail
