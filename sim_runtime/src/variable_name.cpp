#include "variable_name.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include "function_name.hpp"

namespace orrery::detail {
namespace {

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  const char* const text = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
  return text != nullptr ? text : "";
}

std::optional<std::uint64_t> number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) != 0) return {};
  return value;
}

std::optional<Dwarf_Die> type_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &type) == nullptr) {
    return {};
  }
  return type;
}

// --- the variable ------------------------------------------------------------------------------

/// Where a variable lies that has one place for the whole program; 0 for others.
Dwarf_Addr place_of(Dwarf_Die* variable) {
  Dwarf_Attribute location;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(variable, DW_AT_location, &location) == nullptr) return 0;
  if (dwarf_getlocation(&location, &operations, &count) != 0 || count != 1) return 0;
  if (operations->atom == DW_OP_addr) return operations->number;
  Dwarf_Attribute indirect;  // clang keeps addresses in a table
  Dwarf_Addr address = 0;
  const bool is_found = operations->atom == DW_OP_addrx &&
                        dwarf_getlocation_attr(&location, operations, &indirect) == 0 &&
                        dwarf_formaddr(&indirect, &address) == 0;
  return is_found ? address : 0;
}

std::optional<Dwarf_Die> find_variable(Dwarf_Die* parent, Dwarf_Addr address) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return {};
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable && place_of(&child) == address) return child;
    const bool may_hold_one = tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
                              tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
    if (!may_hold_one) continue;
    if (auto found = find_variable(&child, address)) return found;
  } while (dwarf_siblingof(&child, &child) == 0);
  return {};
}

std::optional<Dwarf_Die> find_variable(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Die* unit = nullptr;
  Dwarf_Addr bias = 0;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (auto found = find_variable(unit, address - bias)) return found;
  }
  return {};
}

// --- its parts ---------------------------------------------------------------------------------

/// What nobody wants to see the inside of.
bool is_of_a_library(const std::string& name) {
  constexpr std::array<std::string_view, 4> others = {"sem_t", "mtx_t", "cnd_t", "once_flag"};
  return name.starts_with("pthread_") || std::ranges::find(others, name) != others.end();
}

bool is_in_namespace_std(Dwarf_Die* type) {
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(type, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  for (int i = 1; i < count; ++i) {
    if (dwarf_tag(&scopes[i]) == DW_TAG_namespace && name_of(&scopes[i]) == "std") return true;
  }
  return false;
}

struct Part {
  std::string name;
  Dwarf_Die type;
  std::uint64_t offset;  ///< into it
};

/// The member or base of a class at an offset.
std::optional<Part> member_at(Dwarf_Die* type, std::uint64_t offset) {
  Dwarf_Die child;
  if (dwarf_child(type, &child) != 0) return {};
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    auto member_type = type_of(&child);
    const std::uint64_t begin = number_of(&child, DW_AT_data_member_location).value_or(0);
    Dwarf_Word bytes = 0;
    if (!member_type || dwarf_aggregate_size(&*member_type, &bytes) != 0) continue;
    if (offset < begin || offset - begin >= bytes) continue;
    std::string name = tag == DW_TAG_member ? name_of(&child) : std::string();
    // What the library's members are called is none of a reader's business.
    if (name.starts_with('_')) name.clear();
    return Part{name.empty() ? name : "." + name, *member_type, offset - begin};
  } while (dwarf_siblingof(&child, &child) == 0);
  return {};
}

std::optional<Part> element_at(Dwarf_Die* array, std::uint64_t offset) {
  auto type = type_of(array);
  Dwarf_Word bytes = 0;
  if (!type || dwarf_aggregate_size(&*type, &bytes) != 0 || bytes == 0) return {};
  std::vector<std::uint64_t> counts;
  Dwarf_Die child;
  if (dwarf_child(array, &child) != 0) return {};
  do {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    const auto last = number_of(&child, DW_AT_upper_bound);
    counts.push_back(last ? *last + 1 : number_of(&child, DW_AT_count).value_or(0));
  } while (dwarf_siblingof(&child, &child) == 0);
  std::string name;
  std::uint64_t index = offset / bytes;
  for (std::size_t i = counts.size(); i-- > 0;) {
    const bool is_outermost = i == 0 || counts[i] == 0;
    name.insert(0, fmt::format("[{}]", is_outermost ? index : index % counts[i]));
    if (is_outermost) break;
    index /= counts[i];
  }
  return Part{name, *type, offset % bytes};
}

std::string parts(Dwarf_Die type, std::uint64_t offset) {
  std::string text;
  constexpr int depth_max = 32;
  for (int depth = 0; depth < depth_max; ++depth) {
    const int tag = dwarf_tag(&type);
    const bool is_whole = offset == 0 && is_of_a_library(name_of(&type));
    std::optional<Part> next;
    if (is_whole) {
      return text;
    } else if (tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
               tag == DW_TAG_atomic_type) {
      if (auto target = type_of(&type)) next = Part{{}, *target, offset};
    } else if (tag == DW_TAG_array_type) {
      next = element_at(&type, offset);
    } else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
      if (offset == 0 && is_in_namespace_std(&type)) return text;
      next = member_at(&type, offset);
    }
    if (!next) break;
    text += next->name;
    type = next->type;
    offset = next->offset;
  }
  return offset == 0 ? text : fmt::format("{}+{}", text, offset);
}

/// Without what compilers add to tell static variables of functions apart: `lock.0`.
std::string_view as_written(std::string_view symbol) {
  const std::size_t dot = symbol.rfind('.');
  const bool is_number = dot != std::string_view::npos && dot > 0 && dot + 1 < symbol.size() &&
                         symbol.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return is_number ? symbol.substr(0, dot) : symbol;
}

}  // namespace

std::string variable_name(Dwfl_Module* module, std::uint64_t address) {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const found =
      dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (found == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) return {};
  if (offset >= symbol.st_size) return {};
  const std::string name = function_name(std::string(as_written(found)));
  if (name.starts_with("std::")) return {};  // the library's own: nothing that a program has named
  if (auto variable = find_variable(module, address - offset)) {
    if (auto type = type_of(&*variable)) return name + parts(*type, offset);
  }
  return offset == 0 ? name : fmt::format("{}+{}", name, offset);
}

}  // namespace orrery::detail
