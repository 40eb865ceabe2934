// The runtime's table, with the ranks' state exchanged around each call.
#include "rank_context.hpp"

namespace orrery::host {
namespace {

template <auto Field>
struct Guarded;

template <typename Result, typename... Arguments, Result (*OrreryRuntime::*Field)(Arguments...)>
struct Guarded<Field> {
  static Result call(Arguments... arguments) {
    const RuntimeGuard guard;
    return (running().runtime->*Field)(arguments...);
  }
};

// Questions that give way to nobody.
template <auto Field>
struct Plain;

template <typename Result, typename... Arguments, Result (*OrreryRuntime::*Field)(Arguments...)>
struct Plain<Field> {
  static Result call(Arguments... arguments) { return (running().runtime->*Field)(arguments...); }
};

}  // namespace

const OrreryRuntime& guarded_runtime() {
  static const OrreryRuntime table = {
      .version = ORRERY_RUNTIME_VERSION,
      .size_bytes = sizeof(OrreryRuntime),
      .rank = Plain<&OrreryRuntime::rank>::call,
      .rank_count = Plain<&OrreryRuntime::rank_count>::call,
      .host_name = Plain<&OrreryRuntime::host_name>::call,
      .send = Guarded<&OrreryRuntime::send>::call,
      .start_send = Guarded<&OrreryRuntime::start_send>::call,
      .receive = Guarded<&OrreryRuntime::receive>::call,
      .start_receive = Guarded<&OrreryRuntime::start_receive>::call,
      .select = Guarded<&OrreryRuntime::select>::call,
      .inspect = Plain<&OrreryRuntime::inspect>::call,
      .payload = Plain<&OrreryRuntime::payload>::call,
      .release = Guarded<&OrreryRuntime::release>::call,
      .cancel = Guarded<&OrreryRuntime::cancel>::call,
      .probe = Guarded<&OrreryRuntime::probe>::call,
      .now = Plain<&OrreryRuntime::now>::call,
      .sleep = Guarded<&OrreryRuntime::sleep>::call,
      .yield = Guarded<&OrreryRuntime::yield>::call,
      .draw = Guarded<&OrreryRuntime::draw>::call,
      .finding = Guarded<&OrreryRuntime::finding>::call,
      .exit_process = Guarded<&OrreryRuntime::exit_process>::call,
      .abort_job = Guarded<&OrreryRuntime::abort_job>::call,
      .output = Guarded<&OrreryRuntime::output>::call,
      .has_receive = Guarded<&OrreryRuntime::has_receive>::call,
      .finding_between = Guarded<&OrreryRuntime::finding_between>::call,
      .finalized = Guarded<&OrreryRuntime::finalized>::call,
  };
  return table;
}

}  // namespace orrery::host
