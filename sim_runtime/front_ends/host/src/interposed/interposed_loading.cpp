// Libraries that a program opens itself.  Those of its project, and others that it names by a place
// of its own, become parts of it: with hooks, and in each run anew, with their constructors.  The
// system's are opened as the host, and are in each run as they were then.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "files/user_files.hpp"
#include "programs/needed_libraries.hpp"
#include "programs/program_copy.hpp"
#include "programs/program_libraries.hpp"
#include "programs/static_thread_locals.hpp"
#include "ranks/next_function.hpp"
#include "ranks/rank_context.hpp"

using orrery::UsageError;
using orrery::host::FilesCall;
using orrery::host::HostScope;
using orrery::host::original;
using orrery::host::ProgramCopy;
using orrery::host::RankContext;
using orrery::host::running;
using orrery::host::static_thread_locals;

namespace {

/// Where the file lies, as far as it is not left to the loader.
std::filesystem::path place_of(const ProgramCopy& copy, const char* name) {
  if (std::strchr(name, '/') != nullptr) {
    const FilesCall call;
    return call.files().absolute(AT_FDCWD, name);
  }
  const HostScope ours;
  const auto& program = copy.program();
  return orrery::host::library_place(name, program.directories, program.path());
}

bool is_of_the_system(const std::filesystem::path& place) {
  std::error_code error;
  const auto whole = std::filesystem::canonical(place, error).string();
  return whole.starts_with("/usr/lib") || whole.starts_with("/lib");
}

/// What is there already, because the program needs it.
void* known(const char* place) {
  return original<&dlopen>("dlopen")(place, RTLD_NOW | RTLD_NOLOAD);
}

using Dlerror = char* (*)();

// Looked up before it has anything to say: to look it up is a success, after which it says nothing.
const Dlerror own_dlerror = orrery::host::next_function<Dlerror>("dlerror");

/// AddressSanitizer asks before any variable of ours has its value.
char* message_of_the_loader() {
  if (own_dlerror != nullptr) return own_dlerror();
  return orrery::host::next_function<Dlerror>("dlerror")();
}

/// The parts that are to be opened; or, with none of them, the handle of a common library, if there
/// is one.
struct Found {
  std::vector<std::size_t> parts;
  void* handle = nullptr;
};

Found find(RankContext& rank, const char* name, const std::filesystem::path& place, int flags) {
  const HostScope ours;
  Found found;
  std::error_code error;
  const bool is_own =
      !place.empty() && std::filesystem::is_regular_file(place, error) && !is_of_the_system(place);
  if (!is_own) {
    const bool is_there = !place.empty() && std::filesystem::exists(place, error);
    found.handle = rank.libraries().open(is_there ? place.c_str() : name, flags);
    static_thread_locals().find();
    return found;
  }
  found.handle = known(place.c_str());
  if (found.handle != nullptr) return found;
  try {
    if ((flags & RTLD_NOLOAD) != 0 && !rank.copy().has_open(place)) return found;
    found.parts = rank.copy().load(place);
    running().hooks->attach(rank.copy());
    static_thread_locals().find();
  } catch (const UsageError& refusal) {
    rank.loader_message = refusal.what();
  }
  return found;
}

/// What else goes with a part of the program.
void end_part(RankContext& rank, std::size_t part) {
  auto& handlers = rank.exit_handlers;
  for (std::size_t i = handlers.size(); i-- > 0;) {
    const auto handler = handlers[i];
    const bool is_its =
        rank.copy().contains(part, reinterpret_cast<const void*>(handler.function)) ||
        rank.copy().contains(part, handler.argument);
    if (!is_its) continue;
    handlers.erase(handlers.begin() + static_cast<std::ptrdiff_t>(i));
    handler.function(handler.argument);
    i = std::min(i, handlers.size());
  }
  std::size_t module = 0;
  dlinfo(rank.copy().handle(part), RTLD_DI_TLS_MODID, &module);
  for (auto& thread : rank.threads) thread.forget_thread_locals(module);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_loading;
const char orrery_interposed_loading = 0;

void* dlopen(const char* name, int flags) noexcept {
  RankContext* const rank = running().user;
  if (rank == nullptr) return original<&dlopen>("dlopen")(name, flags);
  if (name == nullptr) return rank->copy().handle();
  const Found found = find(*rank, name, place_of(rank->copy(), name), flags);
  if (found.parts.empty()) return found.handle;
  return rank->copy().open(found.parts, rank->argument_count(), rank->arguments(), environ);
}

int dlclose(void* handle) noexcept {
  RankContext* const rank = running().user;
  if (rank == nullptr) return original<&dlclose>("dlclose")(handle);
  std::vector<std::size_t> parts;
  {
    const HostScope ours;
    parts = rank->copy().opened_by(handle);
  }
  // Common libraries stay, for the next run.
  rank->copy().close(parts, [&](std::size_t part) { end_part(*rank, part); });
  const HostScope ours;
  running().hooks->attach(rank->copy());
  parts = {};
  return 0;
}

char* dlerror() noexcept {
  RankContext* const rank = running().user;
  static constinit char last[1024] = {};  // without a guard of the compiler's
  if (rank == nullptr || rank->loader_message.empty()) return message_of_the_loader();
  const HostScope ours;
  last[rank->loader_message.copy(last, sizeof last - 1)] = '\0';
  rank->loader_message.clear();
  return last;
}
}
