#include "flags.hpp"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {
namespace {

/// `--runs` of `-r,--runs`: the name to use in errors.
std::string shown(const std::string& name) {
  return name.substr(name.rfind(',') + 1);
}

template <typename Read>
void add(CLI::App& app, const std::string& name, const std::string& value, const std::string& help,
         Read read) {
  app.add_option_function<std::string>(name, std::move(read), help)->type_name(value);
}

}  // namespace

void Flags::toggle(const std::string& name, bool& into, const std::string& help) {
  app_.add_flag_callback(
      name, [&into] { into = true; }, help);
}

void Flags::text(const std::string& name, std::optional<std::string>& into,
                 const std::string& value, const std::string& help) {
  add(app_, name, value, help, [&into, where = shown(name)](const std::string& given) {
    if (given.empty()) throw UsageError("the value is empty", where, "give it one");
    into = given;
  });
}

void Flags::toggle_with_value(const std::string& name, std::string& into,
                              const std::string& otherwise, const std::string& help) {
  app_.add_flag(fmt::format("{}{{{}}}", name, otherwise), into, help);
}

void Flags::whole_number(const std::string& name, std::optional<std::uint64_t>& into,
                         const std::string& help, std::uint64_t least, std::uint64_t most) {
  add(app_, name, "N", help, [&into, where = shown(name), least, most](const std::string& given) {
    into = parse_whole_number(given, where, least, most);
  });
}

void Flags::duration(const std::string& name, std::optional<VirtualDuration>& into,
                     const std::string& help) {
  add(app_, name, "DURATION", help, [&into, where = shown(name)](const std::string& given) {
    into = parse_duration(given, where);
  });
}

void Flags::size(const std::string& name, std::optional<std::uint64_t>& into,
                 const std::string& help, std::uint64_t least, std::uint64_t most) {
  add(app_, name, "BYTES", help,
      [&into, where = shown(name), least, most](const std::string& given) {
        into = parse_size(given, where, least, most);
      });
}

}  // namespace orrery::cli
