#include "graph_page.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "page_text.hpp"
#include "text_sink.hpp"

namespace orrery {
namespace {

void copy(int from, detail::TextSink& out) {
  std::array<char, std::size_t{1} << 16U> buffer;
  off_t offset = 0;
  for (;;) {
    const ssize_t count = ::pread(from, buffer.data(), buffer.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw UsageError(std::string("cannot be read back: ") + std::strerror(errno), "--graph",
                       "look at the disk of the directory for temporary files");
    }
    if (count == 0) return;
    offset += count;
    out.write({buffer.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace

void write_page(std::span<const int> runs, int descriptor) {
  detail::TextSink out(descriptor, "--graph");
  out.write(detail::page_before_runs);
  const char* separator = "[";
  for (const int run : runs) {
    out.write(separator);
    copy(run, out);
    separator = ",\n";
  }
  out.write("]");
  out.write(detail::page_behind_runs);
  out.flush();
}

}  // namespace orrery
