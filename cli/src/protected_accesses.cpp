#include "protected_accesses.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "access_sites.hpp"
#include "files.hpp"

namespace orrery::cli {
namespace {

constexpr std::string_view build_id_word = "build-id";

[[noreturn]] void fail_at(const std::string& path, std::size_t line, const std::string& what) {
  throw UsageError(what, fmt::format("{}:{}", path, line),
                   "a line is: protected_rw, protected_w or unprotected, and 0xSITE, FILE:LINE, or "
                   "both");
}

std::optional<Protection> protection_of(const std::string& word) {
  for (const Protection one : {Protection::all, Protection::writes, Protection::none}) {
    if (name(one) == word) return one;
  }
  return std::nullopt;
}

template <typename Number>
bool reads_number(std::string_view text, int base, Number& number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, base);
  return read.ec == std::errc() && read.ptr == end;
}

/// Takes `FILE:LINE` apart; false: it is none.
bool reads_place(const std::string& word, ProtectedAccesses::Entry& entry) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  entry.file = word.substr(0, colon);
  return reads_number(std::string_view(word).substr(colon + 1), 10, entry.line) && entry.line > 0;
}

ProtectedAccesses::Entry entry_of(std::istringstream& words, const std::string& first,
                                  const std::string& path, std::size_t number) {
  ProtectedAccesses::Entry entry;
  const auto protection = protection_of(first);
  if (!protection) fail_at(path, number, "'" + first + "' is no way to be protected");
  entry.protection = *protection;
  entry.number = number;
  std::string word;
  if (!(words >> word)) fail_at(path, number, "it does not say of which access");
  if (word.starts_with("0x")) {
    std::uint64_t site = 0;
    if (!reads_number(std::string_view(word).substr(2), 16, site)) {
      fail_at(path, number, "'" + word + "' is no number");
    }
    entry.site = site;
    if (!(words >> word)) return entry;
  }
  if (!reads_place(word, entry)) fail_at(path, number, "'" + word + "' is no FILE:LINE");
  std::getline(words >> std::ws, entry.function);
  return entry;
}

}  // namespace

ProtectedAccesses ProtectedAccesses::read(const std::string& path, std::string_view where) {
  std::istringstream lines(read_whole_file(path, where));
  ProtectedAccesses list;
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first;
    if (!(words >> first)) continue;
    if (first != build_id_word) {
      list.entries.push_back(entry_of(words, first, path, number));
    } else if (!(words >> list.build_id)) {
      fail_at(path, number, "the build id is not there");
    }
  }
  for (const Entry& entry : list.entries) {
    if (entry.site && list.build_id.empty()) {
      fail_at(path, entry.number, "it names a site, and no line says of which build-id");
    }
  }
  return list;
}

std::string ProtectedAccesses::text() const {
  std::string text =
      "# Which accesses of a program are ordered by its locks and the like: all (protected_rw), "
      "or\n"
      "# the writes among themselves (protected_w).  orrery record --method "
      "stride:protected=FILE\n";
  if (!build_id.empty()) text += fmt::format("{} {}\n", build_id_word, build_id);
  for (const Entry& entry : entries) {
    text += fmt::format("{:12}", name(entry.protection));
    if (entry.site) text += fmt::format(" {:#x}", *entry.site);
    if (!entry.file.empty()) text += fmt::format(" {}:{}", entry.file, entry.line);
    if (!entry.file.empty() && !entry.function.empty()) text += " " + entry.function;
    text += "\n";
  }
  return text;
}

void ProtectedAccesses::add(const ProtectedAccesses& other) {
  std::map<std::uint64_t, Entry*> known;
  for (Entry& entry : entries) {
    if (entry.site) known[*entry.site] = &entry;
  }
  std::vector<Entry> more;
  for (const Entry& entry : other.entries) {
    const auto found = entry.site ? known.find(*entry.site) : known.end();
    if (found == known.end()) {
      more.push_back(entry);
    } else {
      found->second->protection = std::max(found->second->protection, entry.protection);
    }
  }
  entries.insert(entries.end(), more.begin(), more.end());
  std::ranges::stable_sort(entries, {}, [](const Entry& one) { return one.site.value_or(0); });
}

void ProtectedAccesses::check_build(const std::string& program_build_id,
                                    const std::string& path) const {
  if (build_id.empty() || build_id == program_build_id) return;
  throw UsageError("it is a list of the accesses of another build of the program", path,
                   "make another one: orrery run --profile-locks FILE ./app");
}

AccessRecords::SwitchedOff ProtectedAccesses::switch_off(std::span<std::byte> image,
                                                         const std::string& path) const {
  const std::vector<std::byte> original(image.begin(), image.end());
  const AccessSites sites(original);
  if (sites.calls().empty()) {
    throw UsageError("its accesses have no names, so none can be switched off", path,
                     "link the program without -s");
  }
  std::map<std::uint64_t, Protection> wanted;
  for (const Entry& entry : entries) {
    const bool is_by_site = entry.site.has_value();
    std::vector<const AccessSites::Call*> calls;
    if (!is_by_site) {
      calls = sites.of_line(entry.file, entry.line);
    } else if (const AccessSites::Call* const call = sites.find(*entry.site)) {
      calls.push_back(call);
    }
    if (calls.empty()) {
      throw UsageError(is_by_site ? fmt::format("no access is at {:#x}", *entry.site)
                                  : fmt::format("no access is at {}:{}", entry.file, entry.line),
                       fmt::format("{}:{}", path, entry.number),
                       "orrery run --profile-locks FILE ./app lists those that a run comes to");
    }
    for (const AccessSites::Call* const call : calls) {
      const auto [found, is_new] = wanted.try_emplace(call->site, entry.protection);
      if (!is_new) found->second = std::max(found->second, entry.protection);
    }
  }
  AccessRecords::SwitchedOff off;
  for (const auto& [site, protection] : wanted) {
    if (protection == Protection::none) continue;
    if (protection == Protection::writes) {
      off.orders.push_back(site);
      continue;
    }
    off.accesses.push_back(site);
    AccessSites::switch_off(*sites.find(site), image);
  }
  return off;
}

}  // namespace orrery::cli
