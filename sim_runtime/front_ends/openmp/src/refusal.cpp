#include "refusal.hpp"

#include <string>

#include "interposed/refused_call.hpp"

namespace orrery::openmp {

void refuse(const char* what) {
  host::refuse_call(std::string("OpenMP's ") + what + " are not in the simulated machine",
                    "leave them out of what is tested, or say the same by other directives");
}

}  // namespace orrery::openmp
