#include <orrery/sim_runtime/program_inputs.hpp>

namespace orrery {

std::uint64_t hash_input(std::string_view content) {
  // FNV-1a over 64 bits: the same on every machine.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : content) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace orrery
