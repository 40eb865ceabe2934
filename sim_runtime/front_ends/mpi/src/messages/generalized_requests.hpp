// Requests whose work the program does itself (MPI 3.1, section 12.2).
#pragma once

#include <deque>

#include "handles/handles.hpp"

namespace orrery::mpi {

/// The callbacks of one.
struct GeneralizedRequest {
  MPI_Grequest_query_function* query = nullptr;
  MPI_Grequest_free_function* free = nullptr;
  MPI_Grequest_cancel_function* cancel = nullptr;
  void* extra_state = nullptr;
  bool is_used = false;
};

/// Those of a rank, at places that do not change.
class GeneralizedRequests {
 public:
  GeneralizedRequest& add(const GeneralizedRequest& made) {
    for (GeneralizedRequest& request : requests_)
      if (!request.is_used) return request = made;
    return requests_.emplace_back(made);
  }

 private:
  std::deque<GeneralizedRequest> requests_;
};

}  // namespace orrery::mpi
