// What must be the same where an image is restored: the kernel, the code that it maps, the
// processor.
#include <cstdio>

#include <sys/auxv.h>
#include <sys/utsname.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <orrery/sim_runtime/word_hash.hpp>

#include "image_format.hpp"

namespace orrery::detail {
namespace {

// The C library has chosen its functions by these when the process began.
std::uint64_t processor_features() {
  std::uint64_t words[8] = {};
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
    words[0] = a;
    words[1] = std::uint64_t{c} << 32U | d;
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
    words[2] = b;
    words[3] = std::uint64_t{c} << 32U | d;
  }
  if (__get_cpuid_count(13, 0, &a, &b, &c, &d) != 0) words[4] = a;
#endif
  return hash_words(words, 8).value;
}

std::uint64_t kernel_code() {
  const unsigned long begin = getauxval(AT_SYSINFO_EHDR);
  if (begin == 0) return 0;
  return hash_words(reinterpret_cast<const std::uint64_t*>(begin), image_page_bytes / 8).value;
}

}  // namespace

MachineIdentity this_machine() {
  MachineIdentity machine{};
  utsname names{};
  uname(&names);
  std::snprintf(machine.kernel, sizeof machine.kernel, "%.60s %.60s", names.release, names.version);
  machine.kernel_code = kernel_code();
  machine.processor = processor_features();
  return machine;
}

}  // namespace orrery::detail
