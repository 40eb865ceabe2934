#include "error_handlers.hpp"

namespace orrery::mpi {

ErrorHandler& errors_are_fatal() {
  static ErrorHandler handler;
  return handler;
}

ErrorHandler& errors_return() {
  static ErrorHandler handler{.header = {}, .returns = true};
  return handler;
}

}  // namespace orrery::mpi
