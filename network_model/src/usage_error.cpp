#include "orrery/network_model/usage_error.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace orrery::detail {
namespace {
char invariant_context[512] = "";
}

void set_invariant_context(const char* text) {
  std::strncpy(invariant_context, text, sizeof invariant_context - 1);
}

void invariant_broken(const char* what, const char* file, unsigned line, long long left,
                      long long right) {
  std::fprintf(stderr,
               "orrery: internal error: %s does not hold (%lld, %lld) at %s:%u\n%s%s"
               "This is a bug in Orrery; please report it with the lines above.\n",
               what, left, right, file, line, invariant_context,
               invariant_context[0] != '\0' ? "\n" : "");
  std::abort();
}

}  // namespace orrery::detail
