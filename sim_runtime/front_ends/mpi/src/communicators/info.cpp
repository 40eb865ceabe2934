#include "info.hpp"

#include <algorithm>

#include "calls/call.hpp"
#include "handles/freed_handles.hpp"

namespace orrery::mpi {
namespace {

const char* thread_level_name(int level) {
  switch (level) {
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE: return "MPI_THREAD_MULTIPLE";
    default: return "MPI_THREAD_SINGLE";
  }
}

}  // namespace

int check_info(const Call& call, MPI_Info handle, const char* argument, const Info*& found) {
  if (call.state.infos.contains(handle)) {
    found = handle;
    return MPI_SUCCESS;
  }
  const auto header = find_predefined(handle, HandleKind::info);
  if (header && header->index == static_cast<std::uint32_t>(PredefinedInfo::environment)) {
    found = &call.state.environment;
    return MPI_SUCCESS;
  }
  const char* what = "no info object";
  if (handle == nullptr) what = "a null pointer";
  if (header) what = "MPI_INFO_NULL";
  if (call.state.infos.owns(handle))
    return fail_freed(call, nullptr, MPI_ERR_INFO, handle->header, argument, "an info object", "9");
  return call.fail(nullptr, MPI_ERR_INFO,
                   "argument %s is %s, where an info object is needed (MPI 3.1, chapter 9)",
                   argument, what);
}

int check_info_or_null(const Call& call, MPI_Info handle, const char* argument,
                       const Info*& found) {
  found = nullptr;
  const auto header = find_predefined(handle, HandleKind::info);
  if (header && header->index == static_cast<std::uint32_t>(PredefinedInfo::null))
    return MPI_SUCCESS;
  return check_info(call, handle, argument, found);
}

void set_entry(InfoEntries& entries, const char* key, const char* value) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (found != entries.end()) {
    found->second = value;
  } else {
    entries.emplace_back(key, value);
  }
}

void describe_environment(const Call& call, const int* argc, char*** argv) {
  InfoEntries& entries = call.state.environment.entries;
  if (argc != nullptr && argv != nullptr && *argv != nullptr && *argc > 0) {
    set_entry(entries, "command", (*argv)[0]);
    std::string arguments;
    for (int index = 1; index < *argc; ++index) {
      if (index > 1) arguments += ' ';
      arguments += (*argv)[index];
    }
    if (*argc > 1) set_entry(entries, "argv", arguments.c_str());
  }
  set_entry(entries, "maxprocs", std::to_string(call.table.rank_count()).c_str());
  set_entry(entries, "host", call.table.host_name());
  set_entry(entries, "arch", "x86_64");
  set_entry(entries, "thread_level", thread_level_name(call.state.thread_level));
}

}  // namespace orrery::mpi
