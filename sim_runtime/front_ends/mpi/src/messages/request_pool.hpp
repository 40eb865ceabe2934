// The requests of a rank, and their handles.
#pragma once

#include <deque>
#include <vector>

#include "handles/handle_pool.hpp"
#include "request.hpp"

namespace orrery::mpi {

/// Makes requests.  One that has ended makes room for the next one at once, while its memory is
/// warm; its handle is not used again for a long while.
class RequestPool {
 public:
  explicit RequestPool(const CallSites& sites) : handles_(sites) {}

  Request* create() {
    if (unused_.empty()) unused_.push_back(&requests_.emplace_back());
    Request* const request = unused_.back();
    unused_.pop_back();
    *request = Request{};
    request->handle = handles_.create();
    request->handle->request = request;
    return request;
  }

  void destroy(Request* request) {
    request->handle->request = nullptr;
    handles_.destroy(request->handle);
    unused_.push_back(request);
  }

  /// The program has freed it, though it may live on for what is under way.
  void mark_freed(const Request* request) { handles_.mark_freed(request->handle); }

  /// Is this the handle of a request that lives?  Any address may be asked for.
  [[nodiscard]] bool contains(MPI_Request handle) const { return handles_.contains(handle); }
  /// Is it one of a request that lives or has lived?
  [[nodiscard]] bool owns(MPI_Request handle) const { return handles_.owns(handle); }

  /// Visits those that live in the order in which their handles were made.
  template <typename Visitor>
  void for_each(Visitor&& visit) {
    handles_.for_each([&](const ompi_request_t& handle) { visit(*handle.request); });
  }

 private:
  HandlePool<ompi_request_t, HandleKind::request> handles_;
  std::deque<Request> requests_;
  std::vector<Request*> unused_;
};

}  // namespace orrery::mpi
