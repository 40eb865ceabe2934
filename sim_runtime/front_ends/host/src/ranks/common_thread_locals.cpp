#include "common_thread_locals.hpp"

#include <algorithm>

#include <link.h>

namespace orrery::host {
namespace {

/// On x86-64 the blocks of libraries end at the thread pointer; above it is what the C library
/// knows of the thread.
constexpr std::uint64_t reach_below_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t above_bytes = 4096;

struct Search {
  std::uint64_t thread = 0;
  std::uint64_t begin = 0;
};

int visit(dl_phdr_info* module, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const auto block = reinterpret_cast<std::uint64_t>(module->dlpi_tls_data);
  // Other blocks are made as they are needed, one for each thread, and not exchanged.
  if (block < search.thread && search.thread - block < reach_below_bytes) {
    search.begin = std::min(search.begin, block);
  }
  return 0;
}

}  // namespace

void CommonThreadLocals::find() {
  const auto thread = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  if (thread == thread_) return;
  Search search{thread, thread};
  dl_iterate_phdr(visit, &search);
  thread_ = thread;
  begin_ = search.begin;
  size_ = thread + above_bytes - search.begin;
}

}  // namespace orrery::host
