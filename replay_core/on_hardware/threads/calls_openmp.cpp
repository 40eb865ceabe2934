// Teams of gcc's OpenMP: its threads wait, and share out work, where nobody outside sees it.
#include "next_function.hpp"
#include "process_record.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

namespace {

using Body = void (*)(void*);

}  // namespace

ORRERY_RECORDED void GOMP_parallel(Body body, void* argument, unsigned threads, unsigned flags) {
  if (threads != 1 && recorded() != nullptr) {
    process_record.note(orrery::thread_spool::openmp_teams);
  }
  using Function = void (*)(Body, void*, unsigned, unsigned);
  static constinit NextFunction<Function> real_one;
  real_one.by_name("GOMP_parallel")(body, argument, threads, flags);
}
