// MPI 3.1, sections 6.7.3, 6.8 and 8.3.2: attributes, names and error handlers of windows.
#include <cstdio>

#include "calls/call.hpp"

using namespace orrery::mpi;

namespace {

int find_holder(const Call& call, MPI_Win win, AttributeHolder& holder) {
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  holder = {AttributeKind::window, win, &window->attributes, window};
  return MPI_SUCCESS;
}

bool is_predefined(int keyval) {
  return keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL;
}

}  // namespace

ORRERY_MPI_API int MPI_Win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn,
                                         MPI_Win_delete_attr_function* win_delete_attr_fn,
                                         int* win_keyval, void* extra_state) {
  const Call call = ORRERY_CALL("MPI_Win_create_keyval");
  return create_keyval(call, AttributeKind::window, win_copy_attr_fn, win_delete_attr_fn,
                       win_keyval, extra_state);
}
ORRERY_PROFILED(MPI_Win_create_keyval);

ORRERY_MPI_API int MPI_Win_free_keyval(int* win_keyval) {
  return free_keyval(ORRERY_CALL("MPI_Win_free_keyval"), AttributeKind::window, win_keyval);
}
ORRERY_PROFILED(MPI_Win_free_keyval);

ORRERY_MPI_API int MPI_Win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
  const Call call = ORRERY_CALL("MPI_Win_set_attr");
  AttributeHolder holder;
  if (const int error = find_holder(call, win, holder)) return error;
  return set_attribute(call, holder, win_keyval, attribute_val);
}
ORRERY_PROFILED(MPI_Win_set_attr);

ORRERY_MPI_API int MPI_Win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  const Call call = ORRERY_CALL("MPI_Win_get_attr");
  Window* window = nullptr;
  AttributeHolder holder;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = find_holder(call, win, holder)) return error;
  if (!is_predefined(win_keyval))
    return get_attribute(call, holder, win_keyval, attribute_val, flag);
  if (const int error = call.check_result(attribute_val, "attribute_val")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  *static_cast<void**>(attribute_val) = predefined_attribute(*window, win_keyval);
  *flag = 1;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_get_attr);

ORRERY_MPI_API int MPI_Win_delete_attr(MPI_Win win, int win_keyval) {
  const Call call = ORRERY_CALL("MPI_Win_delete_attr");
  AttributeHolder holder;
  if (const int error = find_holder(call, win, holder)) return error;
  return delete_attribute(call, holder, win_keyval);
}
ORRERY_PROFILED(MPI_Win_delete_attr);

ORRERY_MPI_API int MPI_Win_set_name(MPI_Win win, const char* win_name) {
  const Call call = ORRERY_CALL("MPI_Win_set_name");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = call.check_input(win_name, "win_name")) return error;
  std::snprintf(window->name, sizeof(window->name), "%s", win_name);
  window->named = true;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_set_name);

ORRERY_MPI_API int MPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  const Call call = ORRERY_CALL("MPI_Win_get_name");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = call.check_result(win_name, "win_name")) return error;
  if (const int error = call.check_result(resultlen, "resultlen")) return error;
  const char* const own = window->named ? window->name : "";
  *resultlen = std::snprintf(win_name, MPI_MAX_OBJECT_NAME, "%s", own);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_get_name);

ORRERY_MPI_API int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  const Call call = ORRERY_CALL("MPI_Win_set_errhandler");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  return set_error_handler(call, *window, errhandler);
}
ORRERY_PROFILED(MPI_Win_set_errhandler);

ORRERY_MPI_API int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) {
  const Call call = ORRERY_CALL("MPI_Win_get_errhandler");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  return get_error_handler(call, *window, errhandler);
}
ORRERY_PROFILED(MPI_Win_get_errhandler);

ORRERY_MPI_API int MPI_Win_call_errhandler(MPI_Win win, int errorcode) {
  const Call call = ORRERY_CALL("MPI_Win_call_errhandler");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  return call_error_handler(call, *window, errorcode);
}
ORRERY_PROFILED(MPI_Win_call_errhandler);
