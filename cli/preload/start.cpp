// Where a process begins that was started as somebody's program, with us preloaded.
#include <cstdlib>
#include <utility>

#include <dlfcn.h>

#include <orrery/program_host/taken_process.hpp>

#include "command_line.hpp"
#include "preloading.hpp"

namespace {

using Main = int (*)(int, char**, char**);
using Part = void (*)();

Main main_of_program = nullptr;

/// Instead of `main`: the command line is the command's.
int run_command(int argc, char** argv, char**) {
  orrery::take_process({main_of_program, orrery::cli::end_preloading()});
  return orrery::cli::run_command_line({argv + 1, argv + argc});
}

void construct_nothing(int, char**, char**) {}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, Part construct, Part destroy,
                      Part end_of_loader, void* stack_end);

// What an executable's first instructions call.  The C library would call its constructors (by
// itself, or through `construct` where it was linked by an older one), then `main`.  Both are for
// the simulated process; so are the destructors, which the loader would call at the end.
int __libc_start_main(Main main, int argc, char** argv, Part construct, Part destroy,
                      Part end_of_loader, void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(int, char**, char**), Part, Part, void*);
  const auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (!orrery::cli::is_preloading()) {
    // Somebody else's process, which has inherited us.
    const auto known = reinterpret_cast<decltype(&__libc_start_main)>(next);
    return known(main, argc, argv, construct, destroy, end_of_loader, stack_end);
  }
  main_of_program = main;
  return next(run_command, argc, argv, construct_nothing, nullptr, nullptr, stack_end);
}
}
