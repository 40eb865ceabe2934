// Streams of pipes: what they read and write goes through our functions, as in simulation.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <files/pipe_pieces.hpp>
#include <unistd.h>

#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"
#include "transfer_order.hpp"

using namespace orrery::on_hardware;

namespace {

/// The descriptor is the cookie.
int file_of(void* cookie) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie));
}

ssize_t read_stream(void* cookie, char* into, std::size_t bytes) {
  return read(file_of(cookie), into, bytes);
}

// 0 says that it failed.
ssize_t write_stream(void* cookie, const char* from, std::size_t bytes) {
  return orrery::host::write_all(bytes, [&](std::size_t begin, std::size_t rest) {
    return write(file_of(cookie), from + begin, rest);
  });
}

int close_stream(void* cookie) {
  return close(file_of(cookie));
}

}  // namespace

ORRERY_RECORDED std::FILE* fdopen(int file, const char* mode) noexcept {
  if (ends_of(file) == nullptr || !process_record.is_on())
    return next<&::fdopen>("fdopen")(file, mode);
  const std::string plain{*mode, std::strchr(mode, '+') != nullptr ? '+' : 'b'};
  std::FILE* const stream =
      fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(file)), plain.c_str(),
                  {read_stream, write_stream, nullptr, close_stream});
  if (stream != nullptr) stream->_fileno = file;  // for `fileno`; it is used for nothing else
  return stream;
}
