#include "text_sink.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/write_all.hpp>

namespace orrery::detail {

void TextSink::fail() const {
  throw UsageError(std::string("cannot be written: ") + std::strerror(errno), flag_,
                   errno == ENOSPC ? "make room on the disk" : "write somewhere else");
}

TextSink::TextSink(int descriptor, std::string flag)
    : descriptor_(descriptor), flag_(std::move(flag)) {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) fail();
}

void TextSink::flush() {
  if (!write_all(descriptor_, buffer_)) fail();
  buffer_.clear();
}

}  // namespace orrery::detail
