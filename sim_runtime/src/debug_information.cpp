#include "debug_information.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "function_name.hpp"
#include "variable_name.hpp"

namespace orrery::detail {
namespace {

constexpr Dwfl_Callbacks callbacks{
    .find_elf = nullptr,  // offline: the file is given
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

// clang has the attribute of GNU alone in a function's type.
[[gnu::noreturn]] void out_of_memory() {
  throw std::bad_alloc();
}

// Left to itself libdw ends the process where memory runs out: from the stack of a task, at whose
// exit Boost.Fiber waits for ever for the tasks that are left.
void keep_process_without_memory(Dwfl_Module* module) {
  Dwarf_Addr bias = 0;
  Dwarf* const debug = dwfl_module_getdwarf(module, &bias);
  if (debug != nullptr) dwarf_new_oom_handler(debug, out_of_memory);
}

std::string text_attribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  const char* const text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
  return text != nullptr ? text : "";
}

std::uint32_t number_attribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0) return 0;
  return static_cast<std::uint32_t>(value);
}

// libdw puts the compilation directory before every relative name.  Where the compiler was given
// a relative name, take it off again.
std::string as_given(const char* file, Dwarf_Die* unit) {
  if (file == nullptr) return {};
  const std::string_view path = file;
  const std::string unit_name = text_attribute(unit, DW_AT_name);
  const std::string directory = text_attribute(unit, DW_AT_comp_dir) + "/";
  const bool is_relative = !unit_name.empty() && unit_name.front() != '/';
  if (!is_relative || directory.size() == 1 || !path.starts_with(directory)) return file;
  std::string_view rest = path.substr(directory.size());
  if (rest.starts_with("./") && !unit_name.starts_with("./")) rest.remove_prefix(2);
  return std::string(rest);
}

Dwarf_Die declaration_of(Dwarf_Die die) {
  for (const unsigned reference : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die target;
    if (dwarf_attr(&die, reference, &attribute) == nullptr) continue;
    if (dwarf_formref_die(&attribute, &target) != nullptr) return declaration_of(target);
  }
  return die;
}

bool has_scope(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_subprogram;
}

constexpr std::string_view lambda_class = "{lambda}";

/// Compilers give no name to the class of a lambda, and to some others.
std::string nameless_scope(int tag, std::string_view member) {
  if (tag == DW_TAG_namespace) return "(anonymous namespace)";
  return std::string(member.starts_with("operator()") ? lambda_class : "(unnamed)");
}

std::string function_of(Dwarf_Die* die) {
  if (const std::string name = text_attribute(die, DW_AT_linkage_name); !name.empty()) {
    return function_name(name);
  }
  // What only its own file sees has no name for the linker.
  std::string name = text_attribute(die, DW_AT_name);
  Dwarf_Die declaration = declaration_of(*die);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  for (int i = 1; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (!has_scope(tag)) continue;
    if (tag == DW_TAG_subprogram) return function_of(&scopes[i]) + "::" + name;
    std::string scope = text_attribute(&scopes[i], DW_AT_name);
    if (scope.empty()) scope = nameless_scope(tag, name);
    name.insert(0, scope + "::");
  }
  return name;
}

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

std::string call_file(Dwarf_Die* inlined, Dwarf_Die* unit) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const std::uint32_t index = number_attribute(inlined, DW_AT_call_file);
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return {};
  return as_given(dwarf_filesrc(files, index, nullptr, nullptr), unit);
}

/// The compilation unit at an address, and what was added to the addresses in it.
Dwarf_Die* unit_at(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr& bias) {
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias)) return unit;
  // The table that this looks into is not written by clang.
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (dwarf_haspc(unit, address - bias) == 1) return unit;
  }
  return nullptr;
}

bool may_hold_functions(int tag) {
  return has_scope(tag) || tag == DW_TAG_lexical_block;
}

/// Appends the functions around an address that lie within `parent`, the outermost first.  False:
/// it has none.
bool add_functions(Dwarf_Die* parent, Dwarf_Addr address, std::vector<Dwarf_Die>& functions) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return false;
  std::vector<Dwarf_Die> scopes;
  do {
    const bool is_part = is_function(&child) || dwarf_tag(&child) == DW_TAG_lexical_block;
    if (!is_part || dwarf_haspc(&child, address) != 1) {
      if (may_hold_functions(dwarf_tag(&child))) scopes.push_back(child);
      continue;
    }
    if (is_function(&child)) functions.push_back(child);
    add_functions(&child, address, functions);
    return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  // gcc writes what a namespace has beside it, clang into it, where `dwarf_getscopes` is blind; and
  // a lambda's function stands within its class, within the function that it is written in.
  return std::any_of(scopes.begin(), scopes.end(),
                     [&](Dwarf_Die& one) { return add_functions(&one, address, functions); });
}

/// The function at an address and those that it was inlined into.
std::vector<Dwarf_Die> functions_at(Dwarf_Die* unit, Dwarf_Addr address) {
  std::vector<Dwarf_Die> functions;
  add_functions(unit, address, functions);
  std::reverse(functions.begin(), functions.end());
  return functions;
}

}  // namespace

DebugInformation::DebugInformation(const std::string& path) : session_(dwfl_begin(&callbacks)) {
  if (session_ == nullptr) return;
  module_ = dwfl_report_offline(session_, "program", path.c_str(), -1);
  dwfl_report_end(session_, nullptr, nullptr);
}

DebugInformation::~DebugInformation() {
  if (session_ != nullptr) dwfl_end(session_);
}

std::string DebugInformation::symbol_of(std::uint64_t address) const {
  GElf_Addr bias = 0;
  if (module_ == nullptr || dwfl_module_getelf(module_, &bias) == nullptr) return {};
  const char* const symbol = dwfl_module_addrname(module_, address + bias);
  return symbol != nullptr ? function_name(symbol) : std::string();
}

SourcePlace DebugInformation::place_of(std::uint64_t address) const {
  SourcePlace place{{SourceFrame{}}, {}, 0};
  GElf_Addr bias = 0;
  if (module_ == nullptr || dwfl_module_getelf(module_, &bias) == nullptr) return place;
  try {
    find_place(address + bias, place);
  } catch (const std::bad_alloc&) {
    // What was found so far is right.
  }
  return place;
}

void DebugInformation::find_place(std::uint64_t biased, SourcePlace& place) const {
  if (const char* const symbol = dwfl_module_addrname(module_, biased)) {
    place.frames.front().function = function_name(symbol);
  }
  keep_process_without_memory(module_);
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_at(module_, biased, bias);
  if (unit == nullptr) return;
  if (Dwarf_Line* const line = dwarf_getsrc_die(unit, biased - bias)) {
    int number = 0;
    dwarf_lineno(line, &number);
    place.frames.front().file = as_given(dwarf_linesrc(line, nullptr, nullptr), unit);
    place.frames.front().line = static_cast<std::uint32_t>(number);
  }
  std::vector<Dwarf_Die> functions = functions_at(unit, biased - bias);
  const std::string symbol = place.frames.front().function;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const bool is_outermost = dwarf_tag(&functions[i]) != DW_TAG_inlined_subroutine;
    std::string function = function_of(&functions[i]);
    // A lambda's class has a name in the table of symbols only.
    const bool is_lambda = function.find(lambda_class) != std::string::npos;
    if (is_outermost && is_lambda && !symbol.empty()) function = symbol;
    place.frames[i].function = std::move(function);
    if (is_outermost || i + 1 == functions.size()) break;
    place.frames.push_back(
        {call_file(&functions[i], unit), number_attribute(&functions[i], DW_AT_call_line), {}});
  }
}

std::string DebugInformation::variable_at(std::uint64_t address) const {
  GElf_Addr bias = 0;
  if (module_ == nullptr || dwfl_module_getelf(module_, &bias) == nullptr) return {};
  keep_process_without_memory(module_);
  try {
    return variable_name(module_, address + bias);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace orrery::detail
