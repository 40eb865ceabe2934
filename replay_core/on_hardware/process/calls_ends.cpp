// What says why the process is about to abort.
#include <cassert>
#include <cstdlib>

#include "dying.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

ORRERY_RECORDED void __assert_fail(const char* expression, const char* file, unsigned line,
                                   const char* function) noexcept {
  note_failed_assert(expression, file, line, function);
  next<&::__assert_fail>("__assert_fail")(expression, file, line, function);
  std::abort();
}
