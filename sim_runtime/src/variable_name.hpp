// Which part of a variable lies at an address.
#pragma once

#include <cstdint>
#include <string>

struct Dwfl_Module;

namespace orrery::detail {

/// The variable of a program at `address`, as its author would write it: `lock`, `queue.lock`,
/// `table[3].lock`, `store::cells[1][2]`.  Where the debug information does not say what lies
/// there, how far into the variable it is: `queue+16`.  Parts of what the standard library and the
/// C library define (a mutex's own members) are not named.  Empty if there is no variable, or the
/// names have been stripped.  `address` is as the module sees it, with its bias.
std::string variable_name(Dwfl_Module* module, std::uint64_t address);

}  // namespace orrery::detail
