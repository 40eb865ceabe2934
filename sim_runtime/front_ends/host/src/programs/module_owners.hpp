// Whose are the modules of a process in which we are preloaded?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct link_map;

namespace orrery::host {

/// The loader has brought the program's libraries and ours before any of our code ran: what needs
/// them tells them apart.
class ModuleOwners {
 public:
  /// Looks at all that is loaded now.
  ModuleOwners();
  /// Does the module whose code lies there serve the host?  So do the C library and what belongs to
  /// it, which serve both; other libraries that both need are the program's.
  [[nodiscard]] bool is_hosts(std::uintptr_t address) const;

 private:
  struct Module {
    const link_map* map = nullptr;
    std::string name;  ///< as others need it
    std::vector<std::string> needed;
    bool is_of_program = false;
    bool is_of_host = false;
  };
  static Module read(const link_map& map);
  void mark(Module& module, bool Module::*owner);

  std::vector<Module> modules_;
};

}  // namespace orrery::host
