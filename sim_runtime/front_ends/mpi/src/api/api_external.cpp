// MPI 3.1, chapters 12 and 14: generalized requests, what their callbacks say in statuses, and
// MPI_Pcontrol.
#include "messages/generalized_requests.hpp"
#include "messages/requests.hpp"

using namespace orrery::mpi;

namespace {

GeneralizedRequest& of(Request& request) {
  return *static_cast<GeneralizedRequest*>(request.work);
}

void query(const Call&, Request& request) {
  GeneralizedRequest& own = of(request);
  request.error = own.query(own.extra_state, &request.status);
}

// The call that ends it: the program is asked for the status, then told that nobody needs the
// request any more.  One that MPI_Request_free has ended is not asked (section 12.2).
void finish(const Call& call, Request& request) {
  if (request.orphan) {
    // The program's function may wait, and another thread must not end it meanwhile, too.
    request.orphan = false;
    --call.state.orphan_count;
  } else {
    query(call, request);
  }
  GeneralizedRequest& own = of(request);
  const int error = own.free(own.extra_state);
  if (request.error == MPI_SUCCESS) request.error = error;
  own.is_used = false;
}

int cancel(const Call& call, Request& request) {
  OrreryEnvelope ignored{};
  const bool is_complete =
      (call.table.inspect(request.id, &ignored) & ORRERY_REQUEST_COMPLETE) != 0;
  const GeneralizedRequest& own = of(request);
  return own.cancel(own.extra_state, is_complete ? 1 : 0);
}

// As many bytes as `count` values of the type's basic types take.
int set_elements(const Call& call, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  const Datatype* type = nullptr;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(status, "status")) return error;
  if (count < 0)
    return call.fail(nullptr, MPI_ERR_COUNT,
                     "argument count is %lld, and must not be negative (MPI 3.1, section 12.3)",
                     static_cast<long long>(count));
  const auto values = static_cast<std::uint64_t>(count);
  const std::uint64_t values_of_type = count_values(*type, type->size_bytes).values;
  status->_ucount = 0;
  if (values_of_type == 0) return MPI_SUCCESS;
  status->_ucount = values / values_of_type * type->size_bytes;
  std::uint64_t rest = values % values_of_type;
  if (rest == 0) return MPI_SUCCESS;
  for_each_run(*type, 1, [&](std::ptrdiff_t, Builtin basic, std::size_t run) {
    const std::uint64_t taken = rest < run ? rest : run;
    status->_ucount += taken * builtin_type(basic).size_bytes;
    rest -= taken;
  });
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Grequest_start(MPI_Grequest_query_function* query_fn,
                                      MPI_Grequest_free_function* free_fn,
                                      MPI_Grequest_cancel_function* cancel_fn, void* extra_state,
                                      MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Grequest_start");
  const auto check = [&](auto* function, const char* argument) {
    return call.check_input(reinterpret_cast<const void*>(function), argument);
  };
  if (const int error = check(query_fn, "query_fn")) return error;
  if (const int error = check(free_fn, "free_fn")) return error;
  if (const int error = check(cancel_fn, "cancel_fn")) return error;
  if (const int error = call.check_result(request, "request")) return error;
  Request* const started = make_event_request(call, nullptr, RequestKind::generalized);
  started->work = &call.state.generalized.add({query_fn, free_fn, cancel_fn, extra_state, true});
  started->finish = finish;
  started->query = query;
  started->cancel = cancel;
  *request = started->handle;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Grequest_start);

ORRERY_MPI_API int MPI_Grequest_complete(MPI_Request request) {
  const Call call = ORRERY_CALL("MPI_Grequest_complete");
  // The program may have freed its handle before (section 12.2), so any that lives is taken.
  const Request* const found = call.state.requests.contains(request) ? request->request : nullptr;
  if (found == nullptr || found->kind != RequestKind::generalized)
    return call.fail(nullptr, MPI_ERR_REQUEST,
                     "argument request is no generalized request that is under way (MPI 3.1, "
                     "section 12.2)");
  OrreryEnvelope ignored{};
  if ((call.table.inspect(found->id, &ignored) & ORRERY_REQUEST_COMPLETE) != 0)
    return call.fail(nullptr, MPI_ERR_REQUEST,
                     "argument request was completed before (MPI 3.1, section 12.2)");
  call.table.complete_event(found->id);
  if (found->orphan) collect_orphans(call);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Grequest_complete);

ORRERY_MPI_API int MPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
  return set_elements(ORRERY_CALL("MPI_Status_set_elements"), status, datatype, count);
}
ORRERY_PROFILED(MPI_Status_set_elements);

ORRERY_MPI_API int MPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype,
                                             MPI_Count count) {
  return set_elements(ORRERY_CALL("MPI_Status_set_elements_x"), status, datatype, count);
}
ORRERY_PROFILED(MPI_Status_set_elements_x);

ORRERY_MPI_API int MPI_Status_set_cancelled(MPI_Status* status, int flag) {
  const Call call = ORRERY_CALL("MPI_Status_set_cancelled");
  if (const int error = call.check_result(status, "status")) return error;
  status->_cancelled = flag != 0 ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Status_set_cancelled);

ORRERY_MPI_API int MPI_Pcontrol(const int level, ...) {
  (void)level;  // for profilers that come before this library (section 14.2.4)
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Pcontrol);
