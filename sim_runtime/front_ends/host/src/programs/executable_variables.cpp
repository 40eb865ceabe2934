#include "executable_variables.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <new>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <getopt.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::host {
namespace {

using std::string_view;

constexpr std::array<string_view, 18> known{"stdout",
                                            "stderr",
                                            "stdin",
                                            "optind",
                                            "opterr",
                                            "optopt",
                                            "optarg",
                                            "environ",
                                            "__environ",
                                            "_environ",
                                            "__progname",
                                            "__progname_full",
                                            "program_invocation_name",
                                            "program_invocation_short_name",
                                            "_ZSt4cout",
                                            "_ZSt4cerr",
                                            "_ZSt4clog",
                                            "_ZSt3cin"};

template <typename T>
void set(void* place, T value) {
  *static_cast<T*>(place) = value;
}

/// Where the library has it.
const void* original_of(const std::string& name, const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries) {
    void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    const void* const place = dlsym(handle, name.c_str());
    dlclose(handle);
    if (place != nullptr) return place;
  }
  return nullptr;
}

/// Also where the loader has made the memory unwritable.
void write_content(void* place, const void* content, std::size_t size_bytes) {
  if (std::memcmp(place, content, size_bytes) == 0) return;
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  const auto written = pwrite(memory, content, size_bytes,
                              static_cast<off_t>(reinterpret_cast<std::uintptr_t>(place)));
  close(memory);
  detail::ensure(written == static_cast<ssize_t>(size_bytes), "our own memory can be written");
}

}  // namespace

ExecutableVariables::ExecutableVariables(const std::vector<CopiedVariable>& copied,
                                         std::uintptr_t base,
                                         const std::vector<std::string>& libraries,
                                         const std::filesystem::path& executable) {
  for (const CopiedVariable& one : copied) {
    void* const place = reinterpret_cast<void*>(base + one.address);
    if (std::find(known.begin(), known.end(), one.name) != known.end()) {
      variables_.push_back({one.name, place});
      continue;
    }
    if (one.name.starts_with("_ZN3MPI")) {
      throw UsageError(
          "it uses the C++ bindings of MPI-2 (MPI::), which Orrery's MPI does not have",
          executable.string(), "MPI 3.0 has no others than the C binding");
    }
    const void* const original = original_of(one.name, libraries);
    if (original == nullptr || is_variable(original)) {
      throw UsageError(
          fmt::format("its linker gave it a copy of {}, a variable of a library's: each rank would "
                      "have one, and the library another",
                      one.name),
          executable.string(), "build it with `orrery cc` or `orrery c++`, or with -fPIC");
    }
    write_content(place, original, one.size_bytes);
  }
}

void ExecutableVariables::begin_run(const Streams& streams, char* name, char* short_name) const {
  std::ostream* output = &std::cout;
  for (const Variable& one : variables_) {
    const string_view is = one.name;
    if (is == "stdout") set(one.place, streams.output);
    if (is == "stderr") set(one.place, streams.errors);
    if (is == "stdin") set(one.place, streams.input);
    if (is == "optind" || is == "opterr") set(one.place, 1);
    if (is == "optopt") set(one.place, static_cast<int>('?'));
    if (is == "optarg") set<char*>(one.place, nullptr);
    if (is.ends_with("environ")) set(one.place, environ);
    if (is == "__progname_full" || is == "program_invocation_name") set(one.place, name);
    if (is == "__progname" || is == "program_invocation_short_name") set(one.place, short_name);
    // Streams on the buffers of the library's own, which lead to the running rank's files.
    if (is == "_ZSt4cout") output = new (one.place) std::ostream(std::cout.rdbuf());
    if (is == "_ZSt4clog") new (one.place) std::ostream(std::clog.rdbuf());
  }
  for (const Variable& one : variables_) {
    if (one.name == "_ZSt3cin") (new (one.place) std::istream(std::cin.rdbuf()))->tie(output);
    if (one.name != "_ZSt4cerr") continue;
    auto* const errors = new (one.place) std::ostream(std::cerr.rdbuf());
    errors->setf(std::ios_base::unitbuf);
    errors->tie(output);
  }
}

void ExecutableVariables::options_to_library() const {
  for (const Variable& one : variables_) {
    if (one.name == "optind") optind = *static_cast<const int*>(one.place);
    if (one.name == "opterr") opterr = *static_cast<const int*>(one.place);
  }
}

void ExecutableVariables::options_from_library() const {
  for (const Variable& one : variables_) {
    if (one.name == "optind") set(one.place, optind);
    if (one.name == "optopt") set(one.place, optopt);
    if (one.name == "optarg") set(one.place, optarg);
  }
}

}  // namespace orrery::host
