// MPI 3.1, chapter 9: the info object.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "calls/call.hpp"

using namespace orrery::mpi;

namespace {

// One that may be changed: not MPI_INFO_ENV.
int check_own_info(const Call& call, MPI_Info handle, Info*& found) {
  const Info* info = nullptr;
  if (const int error = check_info(call, handle, "info", info)) return error;
  if (info == &call.state.environment)
    return call.fail(nullptr, MPI_ERR_INFO,
                     "argument info is MPI_INFO_ENV, which is only for reading (MPI 3.1, section "
                     "10.3.4)");
  found = handle;
  return MPI_SUCCESS;
}

int check_text(const Call& call, const char* text, const char* argument, int length_max, int code) {
  if (const int error = call.check_input(text, argument)) return error;
  const std::size_t length = std::strlen(text);
  if (length >= 1 && length <= static_cast<std::size_t>(length_max)) return MPI_SUCCESS;
  return call.fail(nullptr, code,
                   "argument %s has %zu characters, and must have 1 to %d (MPI 3.1, chapter 9)",
                   argument, length, length_max);
}

int check_key(const Call& call, const char* key) {
  return check_text(call, key, "key", MPI_MAX_INFO_KEY - 1, MPI_ERR_INFO_KEY);
}

const std::string* find_value(const Info& info, const char* key) {
  const auto found = std::find_if(info.entries.begin(), info.entries.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  return found == info.entries.end() ? nullptr : &found->second;
}

}  // namespace

ORRERY_MPI_API int MPI_Info_create(MPI_Info* info) {
  const Call call = ORRERY_CALL("MPI_Info_create");
  if (const int error = call.check_result(info, "info")) return error;
  *info = call.state.infos.create();
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Info_create);

ORRERY_MPI_API int MPI_Info_delete(MPI_Info info, const char* key) {
  const Call call = ORRERY_CALL("MPI_Info_delete");
  Info* own = nullptr;
  if (const int error = check_own_info(call, info, own)) return error;
  if (const int error = check_key(call, key)) return error;
  const auto removed =
      std::erase_if(own->entries, [&](const auto& entry) { return entry.first == key; });
  if (removed > 0) return MPI_SUCCESS;
  return call.fail(nullptr, MPI_ERR_INFO_NOKEY,
                   "argument key is \"%s\", which the info object does not have (MPI 3.1, chapter "
                   "9)",
                   key);
}
ORRERY_PROFILED(MPI_Info_delete);

ORRERY_MPI_API int MPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  const Call call = ORRERY_CALL("MPI_Info_dup");
  const Info* old = nullptr;
  if (const int error = check_info(call, info, "info", old)) return error;
  if (const int error = call.check_result(newinfo, "newinfo")) return error;
  *newinfo = call.state.infos.create();
  (*newinfo)->entries = old->entries;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Info_dup);

ORRERY_MPI_API int MPI_Info_free(MPI_Info* info) {
  const Call call = ORRERY_CALL("MPI_Info_free");
  if (const int error = call.check_result(info, "info")) return error;
  Info* own = nullptr;
  if (const int error = check_own_info(call, *info, own)) return error;
  own->entries.clear();
  call.state.infos.destroy(own);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Info_free);

ORRERY_MPI_API int MPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value,
                                int* flag) {
  const Call call = ORRERY_CALL("MPI_Info_get");
  const Info* found = nullptr;
  if (const int error = check_info(call, info, "info", found)) return error;
  if (const int error = check_key(call, key)) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  if (const int error = call.check_count(nullptr, valuelen, "valuelen")) return error;
  if (const int error = call.check_result(value, "value")) return error;
  const std::string* const text = find_value(*found, key);
  *flag = text != nullptr ? 1 : 0;
  // The program has room for one character more, the final zero.
  if (text != nullptr)
    std::snprintf(value, static_cast<std::size_t>(valuelen) + 1, "%s", text->c_str());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Info_get);

ORRERY_MPI_API int MPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  const Call call = ORRERY_CALL("MPI_Info_get_nkeys");
  const Info* found = nullptr;
  if (const int error = check_info(call, info, "info", found)) return error;
  if (const int error = call.check_result(nkeys, "nkeys")) return error;
  *nkeys = static_cast<int>(found->entries.size());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Info_get_nkeys);

ORRERY_MPI_API int MPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  const Call call = ORRERY_CALL("MPI_Info_get_nthkey");
  const Info* found = nullptr;
  if (const int error = check_info(call, info, "info", found)) return error;
  if (const int error = call.check_result(key, "key")) return error;
  const auto count = static_cast<int>(found->entries.size());
  if (n < 0 || n >= count)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument n is %d, but the info object has %d keys, numbered from 0 (MPI 3.1, "
                     "chapter 9)",
                     n, count);
  std::snprintf(key, MPI_MAX_INFO_KEY, "%s",
                found->entries[static_cast<std::size_t>(n)].first.c_str());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Info_get_nthkey);

ORRERY_MPI_API int MPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  const Call call = ORRERY_CALL("MPI_Info_get_valuelen");
  const Info* found = nullptr;
  if (const int error = check_info(call, info, "info", found)) return error;
  if (const int error = check_key(call, key)) return error;
  if (const int error = call.check_result(valuelen, "valuelen")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  const std::string* const text = find_value(*found, key);
  *flag = text != nullptr ? 1 : 0;
  if (text != nullptr) *valuelen = static_cast<int>(text->size());
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Info_get_valuelen);

ORRERY_MPI_API int MPI_Info_set(MPI_Info info, const char* key, const char* value) {
  const Call call = ORRERY_CALL("MPI_Info_set");
  Info* own = nullptr;
  if (const int error = check_own_info(call, info, own)) return error;
  if (const int error = check_key(call, key)) return error;
  if (const int error = check_text(call, value, "value", MPI_MAX_INFO_VAL - 1, MPI_ERR_INFO_VALUE))
    return error;
  set_entry(own->entries, key, value);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Info_set);
