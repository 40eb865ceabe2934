#include "error_handlers.hpp"

#include <cstdio>

#include "call.hpp"
#include "handles/freed_handles.hpp"

namespace orrery::mpi {
namespace {

const char* noun(HandleKind kind) {
  if (kind == HandleKind::window) return "a window";
  return kind == HandleKind::file ? "a file" : "a communicator";
}

bool is_for(const ErrorHandler& handler, HandleKind kind) {
  if (kind == HandleKind::window) return handler.of_window != nullptr;
  if (kind == HandleKind::file) return handler.of_file != nullptr;
  return handler.of_communicator != nullptr;
}

}  // namespace

ErrorHandler& errors_are_fatal() {
  static ErrorHandler handler;
  return handler;
}

ErrorHandler& errors_return() {
  static ErrorHandler handler{.header = {}, .returns = true};
  return handler;
}

void give_handler(ErrorOwner& owner, ErrorHandler* handler) {
  owner.errors = handler;
  if (!handler->is_predefined()) ++handler->references;
}

void let_go_of_handler(RankState& state, ErrorOwner& owner) {
  ErrorHandler* const handler = owner.errors;
  owner.errors = &errors_are_fatal();
  if (handler->is_predefined() || --handler->references > 0 || handler->handles > 0) return;
  state.error_handlers.destroy(handler);
}

int check_error_handler(const Call& call, const ErrorOwner& owner, MPI_Errhandler handle,
                        ErrorHandler*& found) {
  const HandleKind kind = owner.header.kind;
  if (call.state.error_handlers.contains(handle) && handle->handles > 0) {
    found = handle;
    if (is_for(*handle, kind)) return MPI_SUCCESS;
    return call.fail(&owner, MPI_ERR_ARG,
                     "argument errhandler was made for another kind of object, and %s needs one of "
                     "its own kind (MPI 3.1, section 8.3)",
                     noun(kind));
  }
  const auto header = find_predefined(handle, HandleKind::error_handler);
  if (header && header->index != static_cast<std::uint32_t>(PredefinedErrorHandler::null)) {
    const bool returns =
        header->index == static_cast<std::uint32_t>(PredefinedErrorHandler::returns);
    found = returns ? &errors_return() : &errors_are_fatal();
    return MPI_SUCCESS;
  }
  const char* what = "no error handler";
  if (header) what = "MPI_ERRHANDLER_NULL";
  if (call.state.error_handlers.owns(handle))
    return fail_freed(call, &owner, MPI_ERR_ARG, handle->header, "errhandler", "an error handler",
                      "8.3.4");
  return call.fail(&owner, MPI_ERR_ARG,
                   "argument errhandler is %s, where an error handler is needed (MPI 3.1, section "
                   "8.3)",
                   what);
}

int tell_of_error(const RankState& state, const ErrorOwner& owner, int code) {
  const ErrorHandler& handler = *owner.errors;
  // Each kind of object begins with its ErrorOwner, and is known by the address of that.
  void* const object = const_cast<ErrorOwner*>(&owner);
  const auto call_with = [&](auto* function, auto handle) {
    if (function != nullptr) function(&handle, &code);
  };
  if (handler.of_communicator != nullptr) {
    MPI_Comm handle = static_cast<MPI_Comm>(object);
    if (object == &state.world) handle = MPI_COMM_WORLD;
    if (object == &state.self) handle = MPI_COMM_SELF;
    call_with(handler.of_communicator, handle);
  } else if (handler.of_file != nullptr) {
    call_with(handler.of_file,
              object == &state.no_file ? MPI_FILE_NULL : static_cast<MPI_File>(object));
  } else {
    call_with(handler.of_window, static_cast<MPI_Win>(object));
  }
  return code;
}

int set_error_handler(const Call& call, ErrorOwner& owner, MPI_Errhandler handle) {
  ErrorHandler* handler = nullptr;
  if (const int error = check_error_handler(call, owner, handle, handler)) return error;
  if (handler == owner.errors) return MPI_SUCCESS;
  let_go_of_handler(call.state, owner);
  give_handler(owner, handler);
  return MPI_SUCCESS;
}

int get_error_handler(const Call& call, const ErrorOwner& owner, MPI_Errhandler* handle) {
  if (const int error = call.check_result(handle, "errhandler")) return error;
  if (owner.errors->is_predefined()) {
    *handle = owner.errors->returns ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL;
    return MPI_SUCCESS;
  }
  *handle = owner.errors;
  // To be freed on its own (section 8.3.4).
  ++owner.errors->handles;
  return MPI_SUCCESS;
}

int call_error_handler(const Call& call, const ErrorOwner& owner, int code) {
  const char* const text = call.state.error_codes.text(code);
  if (text == nullptr)
    return call.fail(&owner, MPI_ERR_ARG,
                     "argument errorcode is %d, which is no error code (MPI 3.1, section 8.3)",
                     code);
  if (!owner.errors->is_fatal()) {
    tell_of_error(call.state, owner, code);
    return MPI_SUCCESS;
  }
  std::snprintf(
      call.state.message, sizeof(call.state.message),
      "%s: the program reports the error %d, \"%s\", and MPI_ERRORS_ARE_FATAL ends the job "
      "(MPI 3.1, section 8.3)",
      call.name, code, text);
  call.table.finding("exit", call.state.message, call.pc);
  return code;
}

}  // namespace orrery::mpi
