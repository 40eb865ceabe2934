#include <map>

#include <fmt/format.h>

#include <orrery/sim_runtime/symbolizer.hpp>

#include "ample_stack.hpp"
#include "debug_information.hpp"
#include "loaded_objects.hpp"

namespace orrery {

/// Files by build id (or path), places by address.
class Symbolizer::Implementation {
 public:
  const SourcePlace& resolve(std::uintptr_t address) {
    const auto known = places_.find(address);
    if (known != places_.end()) return known->second;
    detail::call_with_room([&] { places_.emplace(address, find_place(address)); });
    return places_.at(address);
  }

  std::string function_at(std::uintptr_t address) {
    std::string name;
    detail::call_with_room([&] { name = find_function(address); });
    return name;
  }

  std::string variable(std::uintptr_t address) {
    const auto known = variables_.find(address);
    if (known != variables_.end()) return known->second;
    std::string& name = variables_[address];
    detail::call_with_room([&] { name = find_variable(address); });
    return name;
  }

 private:
  SourcePlace find_place(std::uintptr_t address) {
    SourcePlace place{{SourceFrame{}}, {}, 0};
    if (const auto object = detail::find_loaded_object(address)) {
      place = information_of(*object).place_of(address - object->base);
      place.object = object->path;
      place.object_base = object->base;
      std::string& function = place.frames.front().function;
      if (function.empty()) {
        function = fmt::format("{}+{:#x}", detail::display_name(*object), address - object->base);
      }
    }
    return place;
  }

  std::string find_function(std::uintptr_t address) {
    const auto object = detail::find_loaded_object(address);
    if (!object) return {};
    std::string name = information_of(*object).symbol_of(address - object->base);
    if (!name.empty()) return name;
    return fmt::format("{}+{:#x}", detail::display_name(*object), address - object->base);
  }

  std::string find_variable(std::uintptr_t address) {
    const auto object = detail::find_loaded_object(address);
    return object ? information_of(*object).variable_at(address - object->base) : std::string();
  }

  const detail::DebugInformation& information_of(const detail::LoadedObject& object) {
    const std::string& key = object.build_id.empty() ? object.path : object.build_id;
    const auto known = files_.find(key);
    if (known != files_.end()) return known->second;
    const std::string path =
        object.build_id.empty() ? object.path : detail::path_of_build(object.build_id);
    return files_.try_emplace(key, path).first->second;
  }

  std::map<std::string, detail::DebugInformation> files_;
  std::map<std::uintptr_t, SourcePlace> places_;
  std::map<std::uintptr_t, std::string> variables_;
};

Symbolizer::Symbolizer() : implementation_(std::make_unique<Implementation>()) {}
Symbolizer::~Symbolizer() = default;
Symbolizer::Symbolizer(Symbolizer&&) noexcept = default;
Symbolizer& Symbolizer::operator=(Symbolizer&&) noexcept = default;

const SourcePlace& Symbolizer::resolve(std::uintptr_t return_address) {
  return implementation_->resolve(return_address == 0 ? 0 : return_address - 1);
}

std::string Symbolizer::variable(std::uintptr_t address) {
  return implementation_->variable(address);
}

const SourcePlace& Symbolizer::resolve_exact(std::uintptr_t program_counter) {
  return implementation_->resolve(program_counter);
}

std::string Symbolizer::function_at(std::uintptr_t address) {
  return implementation_->function_at(address);
}

}  // namespace orrery
