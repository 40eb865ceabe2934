// The `orrery` command.
#include "command_line.hpp"

int main(int argc, char** argv) {
  return orrery::cli::run_started_as(argv[0], {argv + 1, argv + argc});
}
