// Directories: a program sees the names in their order, with what its run has made and taken away.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <dirent.h>

#include "files/told_answers.hpp"
#include "files/user_files.hpp"
#include "memory/given_blocks.hpp"
#include "memory/program_memory.hpp"
#include "ranks/next_function.hpp"

using orrery::host::answered;
using orrery::host::FilesCall;
using orrery::host::given;
using orrery::host::has_told_contents;
using orrery::host::HostScope;
using orrery::host::is_host;
using orrery::host::original;
using orrery::host::programs_heap;
using orrery::host::told_answer;
using orrery::host::told_bytes;

/// What a program holds as a DIR*.
struct orrery_directory {
  std::unique_ptr<orrery::host::UserFiles::Listing> names;
  std::size_t next;
  int number;
  dirent entry;
};

namespace {

constexpr std::size_t pointer_bytes = sizeof(void*);

orrery_directory* own(DIR* directory) {
  return reinterpret_cast<orrery_directory*>(directory);
}

DIR* open_listed(const FilesCall& call, int number) {
  const orrery::host::OpenFile* const file = call.own().at(number);
  auto names = call.files().list(file->directory_path());
  if (names == nullptr) return nullptr;
  const auto has_dots = [](const auto& one) { return one.first == ".."; };
  if (std::ranges::none_of(*names, has_dots)) {
    names->insert(names->begin(), {{".", true}, {"..", true}});
  }
  return reinterpret_cast<DIR*>(new orrery_directory{std::move(names), 0, number, {}});
}

dirent* next_entry(orrery_directory& listed) {
  if (listed.next >= listed.names->size()) return nullptr;
  const auto& [name, is_directory] = (*listed.names)[listed.next++];
  dirent& entry = listed.entry;
  entry = {};
  entry.d_ino = orrery::hash_input(name) | 1U;
  entry.d_off = static_cast<off_t>(listed.next);
  entry.d_reclen = sizeof entry;
  entry.d_type = is_directory ? DT_DIR : DT_UNKNOWN;
  std::strncpy(entry.d_name, name.c_str(), sizeof entry.d_name - 1);
  return &entry;
}

/// The entry that real threads found there, and not `found`.
dirent* told_entry(const dirent* found, dirent& entry) {
  if (found == nullptr) entry = {};
  const int error = errno;
  const long name_bytes = told_answer(static_cast<long>(std::strlen(entry.d_name)));
  if (name_bytes <= 0) return nullptr;
  errno = error;
  std::uint64_t number = entry.d_ino;
  auto place = static_cast<std::uint64_t>(entry.d_off);
  std::uint64_t shape = entry.d_type | std::uint64_t{entry.d_reclen} << 8U;
  told_bytes({&number, sizeof number});
  told_bytes({&place, sizeof place});
  told_bytes({&shape, sizeof shape});
  const auto length = std::min(static_cast<std::size_t>(name_bytes), sizeof entry.d_name - 1);
  told_bytes({entry.d_name, length});
  entry.d_name[length] = '\0';
  entry.d_ino = number;
  entry.d_off = static_cast<off_t>(place);
  entry.d_type = static_cast<unsigned char>(shape);
  entry.d_reclen = static_cast<unsigned short>(shape >> 8U);
  return &entry;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_directories;
const char orrery_interposed_directories = 0;

DIR* opendir(const char* path) {
  if (is_host()) return original<&opendir>("opendir")(path);
  const FilesCall call;
  const std::string whole = call.files().absolute(AT_FDCWD, path);
  auto file = whole.empty() ? nullptr : call.files().open(whole, O_RDONLY | O_DIRECTORY, 0);
  if (file == nullptr) return nullptr;
  const int number = call.own().add(std::move(file), true);
  return number < 0 ? nullptr : open_listed(call, number);
}

DIR* fdopendir(int number) {
  if (is_host()) return original<&fdopendir>("fdopendir")(number);
  const auto file = orrery::host::open_file(number);
  if (file == nullptr) return nullptr;
  if (*file->directory_path() == '\0') {
    errno = ENOTDIR;
    return nullptr;
  }
  const FilesCall call;
  return open_listed(call, number);
}

dirent* readdir(DIR* directory) {
  if (is_host()) return original<&readdir>("readdir")(directory);
  dirent* const entry = next_entry(*own(directory));
  return has_told_contents() ? told_entry(entry, own(directory)->entry) : entry;
}

int closedir(DIR* directory) {
  if (is_host()) return original<&closedir>("closedir")(directory);
  const int number = own(directory)->number;
  {
    const FilesCall call;
    delete own(directory);
  }
  return close(number);
}

int dirfd(DIR* directory) noexcept {
  if (is_host()) return original<&dirfd>("dirfd")(directory);
  return own(directory)->number;
}

void rewinddir(DIR* directory) noexcept {
  if (is_host()) return original<&rewinddir>("rewinddir")(directory);
  own(directory)->next = 0;
}

long telldir(DIR* directory) noexcept {
  if (is_host()) return original<&telldir>("telldir")(directory);
  return answered(static_cast<long>(own(directory)->next));
}

void seekdir(DIR* directory, long place) noexcept {
  if (is_host()) return original<&seekdir>("seekdir")(directory, place);
  own(directory)->next = static_cast<std::size_t>(place);
}

int scandir(const char* path, dirent*** result, int (*wants)(const dirent*),
            int (*compare)(const dirent**, const dirent**)) {
  if (is_host()) return original<&scandir>("scandir")(path, result, wants, compare);
  DIR* const directory = opendir(path);
  if (directory == nullptr) return -1;
  std::vector<dirent> found;
  while (const dirent* const entry = readdir(directory)) {
    const HostScope ours;
    found.push_back(*entry);
  }
  closedir(directory);
  auto** const list =
      static_cast<dirent**>(given(programs_heap().allocate((found.size() + 1) * pointer_bytes)));
  std::size_t count = 0;
  for (const dirent& entry : found) {
    if (wants != nullptr && wants(&entry) == 0) continue;
    list[count] = static_cast<dirent*>(given(programs_heap().allocate(sizeof(dirent))));
    *list[count++] = entry;
  }
  if (compare != nullptr) {
    std::qsort(list, count, pointer_bytes,
               reinterpret_cast<int (*)(const void*, const void*)>(compare));
  }
  {
    const HostScope ours;
    found = {};
  }
  *result = list;
  return static_cast<int>(count);
}
}

asm(R"(
.globl readdir64, scandir64
.set readdir64, readdir
.set scandir64, scandir
)");
