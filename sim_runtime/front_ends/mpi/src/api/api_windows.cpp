// MPI 3.1, section 11.2: windows.
#include <algorithm>
#include <cstdint>

#include "one_sided/epochs.hpp"
#include "one_sided/windows.hpp"

using namespace orrery::mpi;

namespace {

int check_dynamic(const Call& call, const Window& window) {
  if (window.flavor == MPI_WIN_FLAVOR_DYNAMIC) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_RMA_FLAVOR,
                   "%s was not made by MPI_Win_create_dynamic, and has its memory already (MPI "
                   "3.1, section 11.2.4)",
                   window.name);
}

std::vector<WindowMemory>& attached_to(Window& window) {
  return window.shared->parts[static_cast<std::size_t>(window.rank())].attached;
}

}  // namespace

ORRERY_MPI_API int MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info,
                                  MPI_Comm comm, MPI_Win* win) {
  const Call call = ORRERY_CALL("MPI_Win_create");
  return make_window(call, {MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, info}, comm, win);
}
ORRERY_PROFILED(MPI_Win_create);

ORRERY_MPI_API int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                    void* baseptr, MPI_Win* win) {
  const Call call = ORRERY_CALL("MPI_Win_allocate");
  if (const int error = call.check_result(baseptr, "baseptr")) return error;
  if (const int error =
          make_window(call, {MPI_WIN_FLAVOR_ALLOCATE, nullptr, size, disp_unit, info}, comm, win))
    return error;
  *static_cast<void**>(baseptr) = (*win)->base;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_allocate);

ORRERY_MPI_API int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info,
                                           MPI_Comm comm, void* baseptr, MPI_Win* win) {
  const Call call = ORRERY_CALL("MPI_Win_allocate_shared");
  if (const int error = call.check_result(baseptr, "baseptr")) return error;
  if (const int error =
          make_window(call, {MPI_WIN_FLAVOR_SHARED, nullptr, size, disp_unit, info}, comm, win))
    return error;
  *static_cast<void**>(baseptr) = (*win)->base;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_allocate_shared);

ORRERY_MPI_API int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit,
                                        void* baseptr) {
  const Call call = ORRERY_CALL("MPI_Win_shared_query");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (window->flavor != MPI_WIN_FLAVOR_SHARED)
    return call.fail(window, MPI_ERR_RMA_FLAVOR,
                     "%s was not made by MPI_Win_allocate_shared (MPI 3.1, section 11.2.3)",
                     window->name);
  if (const int error = check_target(call, *window, rank, "rank", true)) return error;
  if (const int error = call.check_result(size, "size")) return error;
  if (const int error = call.check_result(disp_unit, "disp_unit")) return error;
  if (const int error = call.check_result(baseptr, "baseptr")) return error;
  const auto& parts = window->shared->parts;
  // MPI_PROC_NULL asks for the lowest rank that has any memory.
  auto part = rank == MPI_PROC_NULL
                  ? std::find_if(parts.begin(), parts.end(),
                                 [](const WindowPart& one) { return one.memory.size_bytes > 0; })
                  : parts.begin() + rank;
  const bool is_any = part != parts.end();
  *size = is_any ? static_cast<MPI_Aint>(part->memory.size_bytes) : 0;
  *disp_unit = is_any ? part->displacement_unit : 1;
  *static_cast<void**>(baseptr) = is_any ? part->memory.base : nullptr;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_shared_query);

ORRERY_MPI_API int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  const Call call = ORRERY_CALL("MPI_Win_create_dynamic");
  return make_window(call, {MPI_WIN_FLAVOR_DYNAMIC, nullptr, 0, 1, info}, comm, win);
}
ORRERY_PROFILED(MPI_Win_create_dynamic);

ORRERY_MPI_API int MPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  const Call call = ORRERY_CALL("MPI_Win_attach");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = check_dynamic(call, *window)) return error;
  if (size < 0 || (size > 0 && base == nullptr))
    return call.fail(window, MPI_ERR_ARG,
                     "argument size is %td at base %p, which is no memory (MPI 3.1, section "
                     "11.2.4)",
                     size, base);
  auto* const begin = static_cast<std::byte*>(base);
  for (const WindowMemory& memory : attached_to(*window)) {
    const bool overlaps = begin < memory.base + memory.size_bytes && memory.base < begin + size;
    if (overlaps)
      return call.fail(window, MPI_ERR_RMA_ATTACH,
                       "the %td bytes at %p overlap memory that is attached to %s already (%zu "
                       "bytes at %p) (MPI 3.1, section 11.2.4)",
                       size, base, window->name, memory.size_bytes,
                       static_cast<const void*>(memory.base));
  }
  attached_to(*window).push_back({begin, static_cast<std::size_t>(size)});
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_attach);

ORRERY_MPI_API int MPI_Win_detach(MPI_Win win, const void* base) {
  const Call call = ORRERY_CALL("MPI_Win_detach");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = check_dynamic(call, *window)) return error;
  auto& attached = attached_to(*window);
  const auto found = std::find_if(attached.begin(), attached.end(), [&](const auto& memory) {
    return memory.base == static_cast<const std::byte*>(base);
  });
  if (found == attached.end())
    return call.fail(window, MPI_ERR_BASE,
                     "argument base is %p, where nothing is attached to %s (MPI 3.1, section "
                     "11.2.4)",
                     base, window->name);
  attached.erase(found);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_detach);

ORRERY_MPI_API int MPI_Win_free(MPI_Win* win) {
  const Call call = ORRERY_CALL("MPI_Win_free");
  if (const int error = call.check_result(win, "win")) return error;
  Window* window = nullptr;
  if (const int error = check_window(call, *win, window)) return error;
  if (const int error = check_all_closed(call, *window)) return error;
  const AttributeHolder holder{AttributeKind::window, window, &window->attributes, window};
  if (const int error = delete_attributes(call, holder)) return error;
  return free_window(call, win);
}
ORRERY_PROFILED(MPI_Win_free);

ORRERY_MPI_API int MPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  const Call call = ORRERY_CALL("MPI_Win_get_group");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = call.check_result(group, "group")) return error;
  Group* const made = call.state.groups.create();
  made->members = window->communicator.group;
  *group = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_get_group);

ORRERY_MPI_API int MPI_Win_set_info(MPI_Win win, MPI_Info info) {
  const Call call = ORRERY_CALL("MPI_Win_set_info");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  return take_hints(call, *window, info);
}
ORRERY_PROFILED(MPI_Win_set_info);

ORRERY_MPI_API int MPI_Win_get_info(MPI_Win win, MPI_Info* info_used) {
  const Call call = ORRERY_CALL("MPI_Win_get_info");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = call.check_result(info_used, "info_used")) return error;
  Info* const made = call.state.infos.create();
  made->entries = window->hints;
  *info_used = made;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_get_info);
