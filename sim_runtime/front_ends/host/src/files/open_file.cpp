#include "open_file.hpp"

#include <cerrno>

#include <unistd.h>

#include "system_calls.hpp"
#include "user_files.hpp"

namespace orrery::host {
ssize_t OpenFile::read(void*, std::size_t) {
  return fail(EBADF);
}
ssize_t OpenFile::write(const void*, std::size_t) {
  return fail(EBADF);
}
ssize_t OpenFile::read_at(void*, std::size_t, off_t) {
  return fail(ESPIPE);
}
ssize_t OpenFile::write_at(const void*, std::size_t, off_t) {
  return fail(ESPIPE);
}
off_t OpenFile::seek(off_t, int) {
  return fail(ESPIPE);
}
int OpenFile::resize(off_t) {
  return fail(EINVAL);
}

SystemFile::~SystemFile() {
  system_calls::close(descriptor_);
}
ssize_t SystemFile::read(void* into, std::size_t bytes) {
  note_use();
  return system_calls::read(descriptor_, into, bytes);
}
ssize_t SystemFile::write(const void* from, std::size_t bytes) {
  return system_calls::write(descriptor_, from, bytes);
}
ssize_t SystemFile::read_at(void* into, std::size_t bytes, off_t offset) {
  note_use();
  return system_calls::pread(descriptor_, into, bytes, offset);
}
ssize_t SystemFile::write_at(const void* from, std::size_t bytes, off_t offset) {
  return system_calls::pwrite(descriptor_, from, bytes, offset);
}
off_t SystemFile::seek(off_t offset, int from) {
  note_use();
  return system_calls::lseek(descriptor_, offset, from);
}
int SystemFile::resize(off_t bytes) {
  return system_calls::ftruncate(descriptor_, bytes);
}
void SystemFile::note_use() const {
  UserFiles& files = user_files();
  if (!files.has_lost_contents() || !S_ISREG(shown_.st_mode)) return;
  struct stat now {};
  if (system_calls::fstat(descriptor_, now) == 0 && !S_ISREG(now.st_mode)) files.note_lost();
}
void SystemFile::status(struct stat& result) const {
  note_use();
  result = shown_;
  struct stat now {};
  if (system_calls::fstat(descriptor_, now) != 0 || !S_ISREG(shown_.st_mode)) return;
  result.st_size = now.st_size;
  result.st_blocks = (now.st_size + 511) / 512;
}

ssize_t DirectoryFile::read(void*, std::size_t) {
  return fail(EISDIR);
}

}  // namespace orrery::host
