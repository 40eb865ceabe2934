// Where the program begins: its first thread's frames lie as those of others do.
#include <dlfcn.h>
#include <memory/call_at_line.hpp>

#include "process_record.hpp"
#include "recorded_call.hpp"
#include "thread_memory.hpp"

using namespace orrery::on_hardware;

namespace {

using Main = int (*)(int, char**, char**);
using Part = void (*)();

Main main_of_program = nullptr;

int run_main(int argc, char** argv, char** environment) {
  std::uintptr_t unused = 0;
  ThreadRecord* const own = recorded();
  ThreadMemory* const memory = own != nullptr ? own->memory() : nullptr;
  std::uintptr_t* const line = memory != nullptr ? &memory->stack_line() : &unused;
  return orrery::host::call_at_line(main_of_program, argc, argv, environment, line);
}

}  // namespace

// What an executable's first instructions call.
ORRERY_RECORDED int __libc_start_main(Main main, int argc, char** argv, Part construct,
                                      Part destroy, Part end_of_loader, void* stack_end) {
  const auto real_one =
      reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  main_of_program = main;
  return real_one(run_main, argc, argv, construct, destroy, end_of_loader, stack_end);
}
