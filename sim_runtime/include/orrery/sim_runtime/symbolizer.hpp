// From return addresses to lines of source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <orrery/sim_runtime/source_frame.hpp>

namespace orrery {

/// Where an address lies in the source: the innermost frame first, then the functions that it was
/// inlined into.  Never empty, but all fields of the only frame may be.
struct SourcePlace {
  std::vector<SourceFrame> frames;
  std::string object;              ///< path of the file that was loaded there; empty if none was
  std::uintptr_t object_base = 0;  ///< and what was added to the addresses in it
  [[nodiscard]] const SourceFrame& innermost() const { return frames.front(); }
};

/// Reads the debug information of whatever is loaded in this process: the executable, shared
/// libraries, and programs that were loaded in several copies (copies with the same build id share
/// one reading).  A file is opened when the first address in it is asked for; answers are kept.
/// Not thread-safe; not for signal handlers.
///
///     orrery::Symbolizer symbolizer;
///     const auto place = symbolizer.resolve(return_address);
///     print(place.innermost().file, place.innermost().line);
class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(Symbolizer&&) noexcept;
  Symbolizer& operator=(Symbolizer&&) noexcept;

  /// The call that returns to this address.
  [[nodiscard]] const SourcePlace& resolve(std::uintptr_t return_address);
  /// The instruction at this very address: for the program counter of a fault.
  [[nodiscard]] const SourcePlace& resolve_exact(std::uintptr_t program_counter);
  /// The function at this address by its symbol alone, without debug information, which is quicker:
  /// `worker`; `app+0x1234` where it has none; empty if the address lies in no file.
  [[nodiscard]] std::string function_at(std::uintptr_t address);

  /// The name of the global variable at this address: `cells+24` if it lies within; empty if there
  /// is none.
  [[nodiscard]] std::string variable(std::uintptr_t address);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace orrery
