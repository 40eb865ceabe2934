#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>

#include "house_rules.hpp"

namespace orrery::house {
namespace {

struct Folder {
  std::string_view name;
  std::vector<std::string_view> may_include;
};

const std::vector<Folder>& folders() {
  static const std::vector<Folder> all{
      {"network_model", {"network_model"}},
      {"sim_runtime", {"network_model", "sim_runtime"}},
      {"replay_core", {"network_model", "sim_runtime", "replay_core"}},
      {"explorers", {"network_model", "sim_runtime", "replay_core", "explorers"}},
      {"scenarios", {"network_model", "sim_runtime", "replay_core", "explorers", "scenarios"}},
      {"cli", {"network_model", "sim_runtime", "replay_core", "explorers", "scenarios"}},
  };
  return all;
}

const Folder* folder_of(std::string_view path) {
  const std::string_view name = path.substr(0, path.find('/'));
  const auto found = std::find_if(folders().begin(), folders().end(),
                                  [name](const Folder& folder) { return folder.name == name; });
  return found == folders().end() ? nullptr : &*found;
}

bool is_public_header(const std::string& path) {
  return path.find("/include/orrery/") != std::string::npos;
}

// The standard library's headers have neither directory nor suffix, but for those that C shares.
bool is_standard(const std::string& name) {
  static const std::array<std::string_view, 4> shared{"stdint.h", "stddef.h", "stdbool.h",
                                                      "stdarg.h"};
  const bool plain = name.find_first_of("/.") == std::string::npos;
  return plain || std::find(shared.begin(), shared.end(), name) != shared.end();
}

void check_orrery_include(const Folder& folder, const std::string& name, Fault fault,
                          std::vector<Fault>& faults) {
  const std::string rest = name.substr(std::string("orrery/").size());
  const std::string other = rest.substr(0, rest.find('/'));
  if (folder_of(other) == nullptr) return;
  const auto& allowed = folder.may_include;
  if (std::find(allowed.begin(), allowed.end(), other) != allowed.end()) return;
  fault.rule = "upward include";
  fault.what = std::string(folder.name) + " may not include <" + name + ">";
  faults.push_back(fault);
}

// Either by `../..` or by a path from the root of the checkout.
bool leaves_folder(const std::string& path, const std::string& name) {
  const auto target = (std::filesystem::path(path).parent_path() / name).lexically_normal();
  return folder_of(target.string()) != folder_of(path) || folder_of(name) != nullptr;
}

void check_quoted_include(const std::string& name, Fault fault, std::vector<Fault>& faults) {
  fault.rule = "private include";
  if (is_public_header(fault.path)) {
    fault.what = "a public header includes \"" + name + "\", which is not installed";
    faults.push_back(fault);
  } else if (leaves_folder(fault.path, name)) {
    fault.what = "\"" + name + "\" reaches into another folder: use its public headers";
    faults.push_back(fault);
  }
}

}  // namespace

std::vector<Fault> check_includes(const SourceFile& file) {
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Fault> faults;
  const Folder* folder = folder_of(file.path);
  if (folder == nullptr) return faults;
  const std::string code = without_literals(file.text);
  const auto lines = lines_of(code);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::match_results<std::string_view::const_iterator> match;
    if (!std::regex_search(lines[i].begin(), lines[i].end(), match, include)) continue;
    const std::string name = match[2];
    const Fault fault{file.path, i + 1, {}, {}};
    if (match[1] == "\"") {
      check_quoted_include(name, fault, faults);
    } else if (name.rfind("orrery/", 0) == 0) {
      check_orrery_include(*folder, name, fault, faults);
    } else if (is_public_header(file.path) && !is_standard(name)) {
      faults.push_back({file.path, i + 1, "foreign include",
                        "a public header includes <" + name + ">, which users may not have"});
    }
  }
  return faults;
}

}  // namespace orrery::house
