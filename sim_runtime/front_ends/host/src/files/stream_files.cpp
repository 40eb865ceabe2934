#include "stream_files.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <stdio_ext.h>

#include "pipe_pieces.hpp"
#include "user_files.hpp"

namespace orrery::host {
namespace {

/// The descriptor is the cookie.
int number_of(void* cookie) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie));
}

ssize_t read_stream(void* cookie, char* into, std::size_t bytes) {
  if (running().user == nullptr) return 0;
  const auto file = open_file(number_of(cookie));
  return file == nullptr ? -1 : file->read(into, bytes);
}

// 0 says that it failed.
ssize_t write_stream(void* cookie, const char* from, std::size_t bytes) {
  if (running().user == nullptr) return static_cast<ssize_t>(bytes);  // it is discarded
  const auto file = open_file(number_of(cookie));
  if (file == nullptr) return 0;
  return write_all(
      bytes, [&](std::size_t begin, std::size_t rest) { return file->write(from + begin, rest); });
}

int seek_stream(void* cookie, off64_t* offset, int from) {
  if (running().user == nullptr) return -1;
  const auto file = open_file(number_of(cookie));
  const off_t result = file == nullptr ? -1 : file->seek(*offset, from);
  if (result < 0) return -1;
  *offset = result;
  return 0;
}

int close_stream(void* cookie) {
  return running().user == nullptr ? 0 : close_file(number_of(cookie));
}

}  // namespace

int flags_of_mode(const char* mode) {
  int flags = 0;
  const bool is_both = std::strchr(mode, '+') != nullptr;
  switch (*mode) {
    case 'r': flags = is_both ? O_RDWR : O_RDONLY; break;
    case 'w': flags = (is_both ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC; break;
    case 'a': flags = (is_both ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND; break;
    default: errno = EINVAL; return -1;
  }
  if (std::strchr(mode, 'x') != nullptr) flags |= O_EXCL;
  if (std::strchr(mode, 'e') != nullptr) flags |= O_CLOEXEC;
  return flags;
}

std::FILE* open_stream(ProcessFiles& process, int number, const char* mode) {
  cookie_io_functions_t functions{};
  functions.read = read_stream;
  functions.write = write_stream;
  functions.seek = seek_stream;
  functions.close = close_stream;
  const std::string plain{*mode, std::strchr(mode, '+') != nullptr ? '+' : 'b'};
  std::FILE* const stream = fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(number)),
                                        plain.c_str(), functions);
  if (stream != nullptr) process.streams[stream] = number;
  // As the C library's own, whose position is the end before anything is written.
  OpenFile* const file = process.at(number);
  if (file != nullptr && std::strcmp(plain.c_str(), "ab") == 0) file->seek(0, SEEK_END);
  return stream;
}

void flush_streams(ProcessFiles& process) {
  for (const auto& [stream, number] : process.streams) std::fflush(stream);
}

void discard_streams(ProcessFiles& process) {
  for (const auto& [stream, number] : process.streams) {
    __fpurge(stream);
    std::fclose(stream);
  }
  process.streams.clear();
}

}  // namespace orrery::host
