// MPI 3.1, sections 8.3 to 8.5: error handlers, codes and classes.
#include <cstdio>
#include <cstring>

#include "calls/call.hpp"

using namespace orrery::mpi;

namespace {

// A handler for one kind of object, whose function is the member `function` of it.
template <typename Function>
int create_handler(const Call& call, Function* function, Function* ompi_errhandler_t::*member,
                   MPI_Errhandler* errhandler) {
  if (const int error = call.check_result(errhandler, "errhandler")) return error;
  if (const int error = call.check_input(reinterpret_cast<const void*>(function), "function"))
    return error;
  *errhandler = call.state.error_handlers.create();
  (*errhandler)->*member = function;
  (*errhandler)->handles = 1;
  return MPI_SUCCESS;
}

int check_code(const Call& call, int code, const char* argument, int& error_class) {
  const auto found = call.state.error_codes.class_of(code);
  if (!found)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument %s is %d, which no call returns and MPI_Add_error_code has not "
                     "given (MPI 3.1, section 8.4)",
                     argument, code);
  error_class = *found;
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function,
                                              MPI_Errhandler* errhandler) {
  const Call call = ORRERY_CALL("MPI_Comm_create_errhandler");
  return create_handler(call, function, &ErrorHandler::of_communicator, errhandler);
}
ORRERY_PROFILED(MPI_Comm_create_errhandler);

ORRERY_MPI_API int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function,
                                             MPI_Errhandler* errhandler) {
  const Call call = ORRERY_CALL("MPI_Win_create_errhandler");
  return create_handler(call, function, &ErrorHandler::of_window, errhandler);
}
ORRERY_PROFILED(MPI_Win_create_errhandler);

ORRERY_MPI_API int MPI_File_create_errhandler(MPI_File_errhandler_function* function,
                                              MPI_Errhandler* errhandler) {
  const Call call = ORRERY_CALL("MPI_File_create_errhandler");
  return create_handler(call, function, &ErrorHandler::of_file, errhandler);
}
ORRERY_PROFILED(MPI_File_create_errhandler);

ORRERY_MPI_API int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  const Call call = ORRERY_CALL("MPI_Comm_set_errhandler");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  return set_error_handler(call, *communicator, errhandler);
}
ORRERY_PROFILED(MPI_Comm_set_errhandler);

ORRERY_MPI_API int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  const Call call = ORRERY_CALL("MPI_Comm_get_errhandler");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  return get_error_handler(call, *communicator, errhandler);
}
ORRERY_PROFILED(MPI_Comm_get_errhandler);

ORRERY_MPI_API int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  const Call call = ORRERY_CALL("MPI_Comm_call_errhandler");
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  return call_error_handler(call, *communicator, errorcode);
}
ORRERY_PROFILED(MPI_Comm_call_errhandler);

ORRERY_MPI_API int MPI_Errhandler_free(MPI_Errhandler* errhandler) {
  const Call call = ORRERY_CALL("MPI_Errhandler_free");
  if (const int error = call.check_result(errhandler, "errhandler")) return error;
  ErrorHandler* handler = nullptr;
  // One of any kind may be freed.
  ErrorOwner any{{created_magic, HandleKind::none, 0}, call.state.world.errors};
  if (call.state.error_handlers.contains(*errhandler) && (*errhandler)->handles > 0) {
    handler = *errhandler;
  } else if (const int error = check_error_handler(call, any, *errhandler, handler)) {
    return error;
  }
  // The predefined ones are never freed, but MPI_Comm_get_errhandler may have given them.
  if (!handler->is_predefined() && --handler->handles == 0) {
    call.state.error_handlers.mark_freed(handler);
    if (handler->references == 0) call.state.error_handlers.destroy(handler);
  }
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Errhandler_free);

ORRERY_MPI_API int MPI_Error_class(int errorcode, int* errorclass) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Error_class");
  if (const int error = call.check_result(errorclass, "errorclass")) return error;
  return check_code(call, errorcode, "errorcode", *errorclass);
}
ORRERY_PROFILED(MPI_Error_class);

ORRERY_MPI_API int MPI_Error_string(int errorcode, char* string, int* resultlen) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Error_string");
  int error_class = 0;
  if (const int error = call.check_result(string, "string")) return error;
  if (const int error = call.check_result(resultlen, "resultlen")) return error;
  if (const int error = check_code(call, errorcode, "errorcode", error_class)) return error;
  *resultlen =
      std::snprintf(string, MPI_MAX_ERROR_STRING, "%s", call.state.error_codes.text(errorcode));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Error_string);

ORRERY_MPI_API int MPI_Add_error_class(int* errorclass) {
  const Call call = ORRERY_CALL("MPI_Add_error_class");
  if (const int error = call.check_result(errorclass, "errorclass")) return error;
  *errorclass = call.state.error_codes.add_class();
  call.state.predefined_attributes.last_used_code = *errorclass;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Add_error_class);

ORRERY_MPI_API int MPI_Add_error_code(int errorclass, int* errorcode) {
  const Call call = ORRERY_CALL("MPI_Add_error_code");
  int error_class = 0;
  if (const int error = check_code(call, errorclass, "errorclass", error_class)) return error;
  if (const int error = call.check_result(errorcode, "errorcode")) return error;
  if (error_class != errorclass)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument errorclass is %d, which is an error code of class %d and no class "
                     "(MPI 3.1, section 8.5)",
                     errorclass, error_class);
  *errorcode = call.state.error_codes.add_code(errorclass);
  call.state.predefined_attributes.last_used_code = *errorcode;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Add_error_code);

ORRERY_MPI_API int MPI_Add_error_string(int errorcode, const char* string) {
  const Call call = ORRERY_CALL("MPI_Add_error_string");
  if (const int error = call.check_input(string, "string")) return error;
  ErrorCodes::Code* const own = call.state.error_codes.find(errorcode);
  if (own == nullptr)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument errorcode is %d, and only what MPI_Add_error_class or "
                     "MPI_Add_error_code has given can get a text (MPI 3.1, section 8.5)",
                     errorcode);
  if (std::strlen(string) >= MPI_MAX_ERROR_STRING)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument string has %zu characters, and must have at most %d (MPI 3.1, "
                     "section 8.5)",
                     std::strlen(string), MPI_MAX_ERROR_STRING - 1);
  own->text = string;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Add_error_string);
