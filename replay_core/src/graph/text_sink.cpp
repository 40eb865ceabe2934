#include "text_sink.hpp"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

[[noreturn]] void fail() {
  throw UsageError(std::string("cannot be written: ") + std::strerror(errno), "--export",
                   errno == ENOSPC ? "make room on the disk" : "write somewhere else");
}

}  // namespace

TextSink::TextSink(int descriptor) : descriptor_(descriptor) {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) fail();
}

void TextSink::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

}  // namespace orrery::detail
