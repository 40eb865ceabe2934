#include "thread_places.hpp"

#include <algorithm>
#include <cstring>

#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void* __libc_stack_end;  // where the first thread began

namespace orrery::on_hardware {
namespace {

/// To look up the C library's own would have it read a file, and count that as the program's.
ByteRange first_stack() {
  constexpr std::uint64_t bytes_max = std::uint64_t{1} << 30U;
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  const std::uint64_t bytes = std::min<std::uint64_t>(limit.rlim_cur, bytes_max);
  const auto end = reinterpret_cast<std::uint64_t>(__libc_stack_end);
  return {end - bytes, bytes};
}

int find_block(dl_phdr_info* module, std::size_t, void* into) {
  constexpr std::uint64_t reach_bytes = std::uint64_t{1} << 20U;
  auto& found = *static_cast<ThreadLocals*>(into);
  const auto thread = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  const auto block = reinterpret_cast<std::uint64_t>(module->dlpi_tls_data);
  if (block < thread && thread - block < reach_bytes) {
    found.all.begin = std::min(found.all.begin, block);
  }
  const bool is_program = module->dlpi_name[0] == '\0';
  for (int i = 0; is_program && block != 0 && i < module->dlpi_phnum; ++i) {
    if (module->dlpi_phdr[i].p_type == PT_TLS) {
      found.of_program = {block, module->dlpi_phdr[i].p_memsz};
    }
  }
  return 0;
}

}  // namespace

ByteRange own_stack() {
  if (syscall(SYS_gettid) == syscall(SYS_getpid)) return first_stack();
  pthread_attr_t attributes{};
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* bottom = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &bottom, &bytes);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uint64_t>(bottom), bytes};
}

ThreadLocals own_thread_locals() {
  constexpr std::uint64_t known_bytes = 4096;
  const auto thread = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  ThreadLocals found{.all = {thread, 0}, .of_program = {}};
  dl_iterate_phdr(find_block, &found);
  found.all.bytes = thread + known_bytes - found.all.begin;
  return found;
}

// The name of its file, which is the last that the system writes there.
ByteRange process_start() {
  const auto begin = reinterpret_cast<std::uint64_t>(__libc_stack_end);
  const std::uint64_t name = getauxval(AT_EXECFN);
  if (name < begin) return {};
  const std::uint64_t end = name + std::strlen(reinterpret_cast<const char*>(name)) + 1;
  return {begin, end - begin};
}

}  // namespace orrery::on_hardware
