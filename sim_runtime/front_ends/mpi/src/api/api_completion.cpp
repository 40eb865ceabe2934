// MPI 3.1, sections 3.7 and 3.8: waiting, testing, cancelling and freeing.
#include "messages/request_list.hpp"

using namespace orrery::mpi;

namespace {

int complete_one(const Call& call, MPI_Request* request, bool poll, int* flag, MPI_Status* status) {
  if (const int error = call.check_result(request, "request")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  Request* found = nullptr;
  if (const int error = check_request(call, *request, "request", -1, found)) return error;
  *flag = 1;
  if (found == nullptr) *request = MPI_REQUEST_NULL;
  if (found == nullptr || !found->active) {
    fill_empty_status(status);
    return MPI_SUCCESS;
  }
  if (!await(call, *found, poll)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  return finish_request(call, *request, status);
}

int complete_any(const Call& call, int count, MPI_Request* requests, bool poll, int* index,
                 int* flag, MPI_Status* status) {
  RequestList list(call, count, requests);
  if (const int error = list.check("array_of_requests")) return error;
  if (const int error = call.check_result(index, "index")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  *flag = 1;
  *index = MPI_UNDEFINED;
  if (list.active() == 0) {
    fill_empty_status(status);
    return MPI_SUCCESS;
  }
  const auto done = list.complete(ORRERY_SELECT_ANY, poll);
  if (done.empty()) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  *index = done.front();
  return list.finish(done.front(), status);
}

MPI_Status* status_at(MPI_Status* statuses, std::int32_t index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

// Ends the requests at `done`; `dense` puts the statuses side by side as MPI_Waitsome wants them.
int finish_several(RequestList& list, std::span<const std::int32_t> done, MPI_Status* statuses,
                   bool dense) {
  bool failed = false;
  std::int32_t place = 0;
  for (const std::int32_t index : done) {
    MPI_Status* const status = status_at(statuses, dense ? place++ : index);
    const int error = list.finish(index, status);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
    failed = failed || error != MPI_SUCCESS;
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

int complete_all(const Call& call, int count, MPI_Request* requests, bool poll, int* flag,
                 MPI_Status* statuses) {
  RequestList list(call, count, requests);
  if (const int error = list.check("array_of_requests")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  *flag = 1;
  std::span<const std::int32_t> done;
  if (list.active() > 0) {
    done = list.complete(ORRERY_SELECT_ALL, poll);
    if (done.empty()) {
      *flag = 0;
      return MPI_SUCCESS;
    }
  }
  for (int index = 0; index < count; ++index) fill_empty_status(status_at(statuses, index));
  return finish_several(list, done, statuses, false);
}

int complete_some(const Call& call, int count, MPI_Request* requests, bool poll, int* outcount,
                  int* indices, MPI_Status* statuses) {
  RequestList list(call, count, requests);
  if (const int error = list.check("array_of_requests")) return error;
  if (const int error = call.check_result(outcount, "outcount")) return error;
  *outcount = MPI_UNDEFINED;
  if (list.active() == 0) return MPI_SUCCESS;
  if (const int error = call.check_result(indices, "array_of_indices")) return error;
  const auto done = list.complete(ORRERY_SELECT_SOME, poll);
  *outcount = static_cast<int>(done.size());
  for (std::size_t place = 0; place < done.size(); ++place) indices[place] = done[place];
  return finish_several(list, done, statuses, true);
}

}  // namespace

ORRERY_MPI_API int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  int flag = 0;
  return complete_one(ORRERY_CALL("MPI_Wait"), request, false, &flag, status);
}
ORRERY_PROFILED(MPI_Wait);

ORRERY_MPI_API int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return complete_one(ORRERY_CALL("MPI_Test"), request, true, flag, status);
}
ORRERY_PROFILED(MPI_Test);

ORRERY_MPI_API int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  int flag = 0;
  return complete_any(ORRERY_CALL("MPI_Waitany"), count, requests, false, index, &flag, status);
}
ORRERY_PROFILED(MPI_Waitany);

ORRERY_MPI_API int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                               MPI_Status* status) {
  return complete_any(ORRERY_CALL("MPI_Testany"), count, requests, true, index, flag, status);
}
ORRERY_PROFILED(MPI_Testany);

ORRERY_MPI_API int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int flag = 0;
  return complete_all(ORRERY_CALL("MPI_Waitall"), count, requests, false, &flag, statuses);
}
ORRERY_PROFILED(MPI_Waitall);

ORRERY_MPI_API int MPI_Testall(int count, MPI_Request requests[], int* flag,
                               MPI_Status statuses[]) {
  return complete_all(ORRERY_CALL("MPI_Testall"), count, requests, true, flag, statuses);
}
ORRERY_PROFILED(MPI_Testall);

ORRERY_MPI_API int MPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                                MPI_Status statuses[]) {
  return complete_some(ORRERY_CALL("MPI_Waitsome"), incount, requests, false, outcount, indices,
                       statuses);
}
ORRERY_PROFILED(MPI_Waitsome);

ORRERY_MPI_API int MPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                                MPI_Status statuses[]) {
  return complete_some(ORRERY_CALL("MPI_Testsome"), incount, requests, true, outcount, indices,
                       statuses);
}
ORRERY_PROFILED(MPI_Testsome);

ORRERY_MPI_API int MPI_Request_free(MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Request_free");
  if (const int error = call.check_result(request, "request")) return error;
  Request* found = nullptr;
  if (const int error = check_request(call, *request, "request", -1, found)) return error;
  if (found == nullptr)
    return call.fail(nullptr, MPI_ERR_REQUEST,
                     "argument request is MPI_REQUEST_NULL: there is nothing to free, or it was "
                     "freed before (MPI 3.1, section 3.7.3)");
  return free_request(call, *request);
}
ORRERY_PROFILED(MPI_Request_free);

ORRERY_MPI_API int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const Call call = ORRERY_CALL("MPI_Request_get_status");
  if (const int error = call.check_result(flag, "flag")) return error;
  Request* found = nullptr;
  if (const int error = check_request(call, request, "request", -1, found)) return error;
  *flag = 1;
  if (found == nullptr) {
    fill_empty_status(status);
    return MPI_SUCCESS;
  }
  *flag = look_at_request(call, *found, status) ? 1 : 0;
  return *flag != 0 && found->active ? found->error : MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Request_get_status);

ORRERY_MPI_API int MPI_Cancel(MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Cancel");
  if (const int error = call.check_result(request, "request")) return error;
  Request* found = nullptr;
  if (const int error = check_request(call, *request, "request", -1, found)) return error;
  if (found == nullptr)
    return call.fail(nullptr, MPI_ERR_REQUEST,
                     "argument request is MPI_REQUEST_NULL, and only a request that is under way "
                     "can be cancelled (MPI 3.1, section 3.8.4)");
  if (!found->active)
    return call.fail(nullptr, MPI_ERR_REQUEST,
                     "argument request is inactive: it was made by %s and is not under way (MPI "
                     "3.1, section 3.8.4)",
                     found->call);
  if (found->kind == RequestKind::collective || found->kind == RequestKind::one_sided)
    return call.fail(
        found->communicator, MPI_ERR_REQUEST,
        "argument request is of %s, which cannot be cancelled (MPI 3.1, sections 5.12 and 11.3.5)",
        found->call);
  if (found->cancel != nullptr) return found->cancel(call, *found);
  if (found->is_message()) cancel_request(call, *found);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Cancel);

ORRERY_MPI_API int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
  const Call call = ORRERY_CALL("MPI_Test_cancelled");
  if (const int error = call.check_result(status, "status")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  *flag = status->_cancelled != 0 ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Test_cancelled);
