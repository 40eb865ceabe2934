// Directories: which names they have, and in which order.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>

#include "answers.hpp"
#include "input_notes.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

namespace {

void note(const void* caller, const char* path) {
  if (is_watched(caller)) input_notes().look(AT_FDCWD, path, Look::content);
}

/// In the words in which `orrery::host` asks for it.
void keep_entry(const dirent* entry) {
  if (entry == nullptr) return keep_answer(errno == 0 ? 0 : -1, {});
  const std::uint64_t name_bytes = std::strlen(entry->d_name);
  const std::uint64_t number = entry->d_ino;
  const auto place = static_cast<std::uint64_t>(entry->d_off);
  const std::uint64_t shape = std::uint64_t{entry->d_type} | std::uint64_t{entry->d_reclen} << 8U;
  keep_answer(static_cast<long>(name_bytes), {{&number, sizeof number},
                                              {&place, sizeof place},
                                              {&shape, sizeof shape},
                                              {entry->d_name, name_bytes}});
}

bool is_kept(const void* caller) {
  return keeps_answers && input_notes().are_contents_kept() && is_read(caller);
}

dirent* read_kept(const void* caller, DIR* directory) {
  if (!is_kept(caller)) return next<&::readdir>("readdir")(directory);
  const int error = errno;
  errno = 0;
  dirent* const entry = next<&::readdir>("readdir")(directory);
  keep_entry(entry);
  if (errno == 0) errno = error;
  return entry;
}

using Wants = int (*)(const dirent*);
using Compare = int (*)(const dirent**, const dirent**);

/// Those that the program wants, which may ask for other things meanwhile: all have been kept.
int choose(dirent** list, int count, Wants wants, Compare compare) {
  int wanted = 0;
  for (int i = 0; i < count; ++i) {
    if (wants == nullptr || wants(list[i]) != 0) {
      list[wanted++] = list[i];
    } else {
      std::free(list[i]);
    }
  }
  if (compare != nullptr) {
    std::qsort(list, static_cast<std::size_t>(wanted), sizeof *list,
               reinterpret_cast<int (*)(const void*, const void*)>(compare));
  }
  return wanted;
}

}  // namespace

ORRERY_RECORDED DIR* opendir(const char* path) {
  note(__builtin_return_address(0), path);
  return next<&::opendir>("opendir")(path);
}

ORRERY_RECORDED dirent* readdir(DIR* directory) {
  return read_kept(__builtin_return_address(0), directory);
}

ORRERY_RECORDED dirent64* readdir64(DIR* directory) {
  return reinterpret_cast<dirent64*>(read_kept(__builtin_return_address(0), directory));
}

ORRERY_RECORDED long telldir(DIR* directory) noexcept {
  return answered(__builtin_return_address(0), next<&::telldir>("telldir")(directory));
}

ORRERY_RECORDED int scandir(const char* path, dirent*** list, Wants wants, Compare compare) {
  const void* const caller = __builtin_return_address(0);
  note(caller, path);
  if (!is_kept(caller)) return next<&::scandir>("scandir")(path, list, wants, compare);
  const int count = next<&::scandir>("scandir")(path, list, nullptr, nullptr);
  if (count < 0) return count;
  for (int i = 0; i < count; ++i) keep_entry((*list)[i]);
  errno = 0;
  keep_entry(nullptr);
  return choose(*list, count, wants, compare);
}

ORRERY_RECORDED int scandir64(const char* path, dirent64*** list, int (*wants)(const dirent64*),
                              int (*compare)(const dirent64**, const dirent64**)) {
  return scandir(path, reinterpret_cast<dirent***>(list), reinterpret_cast<Wants>(wants),
                 reinterpret_cast<Compare>(compare));
}
