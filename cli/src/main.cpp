// The `orrery` command.
#include "command_line.hpp"

int main(int argc, char** argv) {
  return orrery::cli::run_command_line({argv + 1, argv + argc});
}
