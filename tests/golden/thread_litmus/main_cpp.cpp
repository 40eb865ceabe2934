#include "litmus_cpp.hpp"

int main(int argc, char** argv) {
  const Litmus* const tables[] = {litmus_std_threads, litmus_std_waiting, nullptr};
  return litmus_main(argc, argv, tables);
}
