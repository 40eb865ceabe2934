// What a program learns of the machine that it runs on: the simulated host's name, and the rest the
// same everywhere.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <sys/utsname.h>
#include <unistd.h>

#include "files/told_answers.hpp"
#include "ranks/next_function.hpp"
#include "ranks/rank_context.hpp"

using orrery::host::answered;
using orrery::host::guarded_runtime;
using orrery::host::original;
using orrery::host::running;

namespace {

/// Copies the text with its end; ENAMETOOLONG where it does not fit.
int copy_text(const char* text, char* into, std::size_t bytes) {
  const std::size_t needed = std::strlen(text) + 1;
  std::memcpy(into, text, needed < bytes ? needed : bytes);
  if (needed <= bytes) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

template <std::size_t Size>
void put(char (&field)[Size], const char* text) {
  std::snprintf(field, Size, "%s", text);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_host_name;
const char orrery_interposed_host_name = 0;

int gethostname(char* name, std::size_t bytes) noexcept {
  if (running().user == nullptr) return original<&gethostname>("gethostname")(name, bytes);
  return copy_text(guarded_runtime().host_name(), name, bytes);
}

int __gethostname_chk(char* name, std::size_t bytes, std::size_t) noexcept {
  return gethostname(name, bytes);
}

int getdomainname(char* name, std::size_t bytes) noexcept {
  if (running().user == nullptr) return original<&getdomainname>("getdomainname")(name, bytes);
  return copy_text("(none)", name, bytes);
}

int uname(utsname* result) noexcept {
  if (running().user == nullptr) return original<&uname>("uname")(result);
  *result = {};
  put(result->sysname, "Linux");
  put(result->nodename, guarded_runtime().host_name());
  put(result->release, "6.1.0");
  put(result->version, "#1 SMP");
  put(result->machine, "x86_64");
  put(result->domainname, "(none)");
  return answered(0, result);
}
}
