#include <optional>
#include <utility>

#include <orrery/program_host/taken_process.hpp>

namespace orrery {
namespace {

std::optional<TakenProcess>& taken() {
  static std::optional<TakenProcess> process;
  return process;
}

}  // namespace

void take_process(TakenProcess process) {
  taken() = std::move(process);
}

const TakenProcess* taken_process() {
  return taken() ? &*taken() : nullptr;
}

}  // namespace orrery
