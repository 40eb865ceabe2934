#include "function_name.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

#include <cxxabi.h>

namespace orrery::detail {
namespace {

// Where the parameters of the function itself begin: the last opening parenthesis at depth 0,
// which is neither `operator()` nor part of `(anonymous namespace)`.
std::size_t parameters_begin(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return name.size();
}

// What stands between a function's parameters and what lies in it: `f() const::{lambda()#1}`.
bool are_qualifiers(std::string_view rest) {
  bool has_one = true;
  while (has_one) {
    has_one = false;
    for (const std::string_view one : {" const", " volatile", " &", "&"}) {
      if (!rest.starts_with(one)) continue;
      rest.remove_prefix(one.size());
      has_one = true;
    }
  }
  return rest.starts_with("::");
}

// Templates show their return type first: `void run<int>`.
std::size_t name_begin(std::string_view name) {
  int depth = 0;
  const std::size_t conversion = name.find("operator ");
  const std::size_t end = conversion == std::string_view::npos ? name.size() : conversion;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (name[i] == '<' || name[i] == '(' || name[i] == '{') ++depth;
    if (name[i] == '>' || name[i] == ')' || name[i] == '}') --depth;
    if (name[i] == ' ' && depth == 0 && !are_qualifiers(name.substr(i))) begin = i + 1;
  }
  return begin;
}

}  // namespace

std::string function_name(const std::string& linkage_name) {
  if (!linkage_name.starts_with("_Z")) return linkage_name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return linkage_name;
  std::string_view name = text.get();
  for (std::string_view suffix : {" [clone", " const", " volatile", " &"}) {
    const std::size_t at = name.rfind(suffix);
    if (at != std::string_view::npos && name.find(')', at) == std::string_view::npos) {
      name = name.substr(0, at);
    }
  }
  if (name.ends_with(')')) {
    const std::size_t at = parameters_begin(name);
    const bool is_operator = name.substr(0, at).ends_with("operator") && at + 2 == name.size();
    if (!is_operator) name = name.substr(0, at);
  }
  return std::string(name.substr(name_begin(name)));
}

}  // namespace orrery::detail
