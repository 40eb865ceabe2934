// Which processes of a job are recorded: those that have an MPI library.
#include <array>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "input_notes.hpp"
#include "watching.hpp"

// Null where the program has no such library.  (dlsym would say so in memory of the heap.)
extern "C" [[gnu::weak]] int PMPI_Init(int*, char***);

namespace orrery::on_hardware {
namespace {

bool is_launcher() {
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0) return false;
  const char* const slash = std::strrchr(path.data(), '/');
  for (const char* const name : {"orterun", "prterun", "mpirun", "mpiexec"}) {
    if (slash != nullptr && std::strcmp(slash + 1, name) == 0) return true;
  }
  return false;
}

__attribute__((constructor)) void begin() {
  const char* const directory = std::getenv("ORRERY_RECORD_DIRECTORY");
  if (directory == nullptr) return;
  if (PMPI_Init != nullptr) return begin_watching(directory);
  watching.is_launcher = is_launcher();
  if (watching.is_launcher) input_notes().pass_on(nullptr, 0);
}

}  // namespace
}  // namespace orrery::on_hardware
