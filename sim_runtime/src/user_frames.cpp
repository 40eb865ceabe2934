#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <orrery/sim_runtime/user_frames.hpp>

#include "debug_information.hpp"
#include "loaded_objects.hpp"
#include "place_resolver.hpp"

namespace orrery {
namespace {

/// Of the system, or our stand-in for a system's library.
bool is_library(std::string_view object) {
  return detail::is_library_file(object) || object.starts_with("/lib64/") ||
         object.substr(object.rfind('/') + 1).starts_with("libmpi.so");
}

/// The machine's or a hook's, by its name: where the program is linked with it.
bool is_ours(std::string_view function) {
  if (function.starts_with("__wrap_") || function.starts_with("__tsan_")) return true;
  return function.starts_with("orrery::") && !function.starts_with("orrery::scenarios::");
}

/// Written by a compiler, and in no source.
bool is_compilers(const SourceFrame& frame) {
  return frame.file.empty() && frame.function.starts_with("__clang_");
}

/// A file that the user can be shown.
bool is_own_file(const SourceFrame& frame) {
  return !frame.file.empty() && !detail::is_library_file(frame.file);
}

/// `main::{lambda()#1}` of the function that calls what std::thread was given.
std::string without_library(std::string name) {
  constexpr std::string_view given_to_thread = "std::tuple<";
  const auto tuple = name.find(given_to_thread);
  if (tuple != std::string::npos) {
    name.erase(0, tuple + given_to_thread.size());
    int depth = 0;
    const auto end = std::ranges::find_if(name, [&depth](char letter) {
      if (letter == '<' || letter == '(') ++depth;
      if (letter == '>' || letter == ')') --depth;
      return depth < 0 || (depth == 0 && letter == ',');
    });
    name.erase(end, name.end());
  }
  constexpr std::string_view call = "::operator()";
  if (name.ends_with(call)) name.erase(name.size() - call.size());
  return name.empty() ? "thread" : name;
}

}  // namespace

std::string thread_name(Symbolizer& symbolizer, std::uintptr_t start_function) {
  const auto object = detail::find_loaded_object(start_function);
  const auto own = detail::find_loaded_object(reinterpret_cast<std::uintptr_t>(&is_library));
  const bool is_users = object && object != own && !is_library(object->path);
  return is_users ? without_library(symbolizer.function_at(start_function)) : "thread";
}

std::vector<SourceFrame> user_frames(Symbolizer& symbolizer,
                                     std::span<const std::uintptr_t> addresses,
                                     std::uintptr_t program_counter) {
  std::vector<const SourcePlace*> places;
  if (program_counter != 0) places.push_back(&symbolizer.resolve_exact(program_counter));
  for (const std::uintptr_t address : addresses) places.push_back(&symbolizer.resolve(address));

  const auto own = detail::find_loaded_object(reinterpret_cast<std::uintptr_t>(&is_library));
  const auto is_our_object = [&](const SourcePlace& place) {
    return own && place.object == own->path && place.object_base == own->base;
  };
  const auto is_candidate = [](const SourcePlace& place) {
    return !place.object.empty() && !is_library(place.object);
  };
  // To the host a program is a library: nothing in our own object is then the program's.
  const bool is_hosted = std::ranges::any_of(places, [&](const SourcePlace* place) {
    return is_candidate(*place) && !is_our_object(*place);
  });
  std::vector<SourceFrame> result;
  for (const SourcePlace* const place : places) {
    if (!is_candidate(*place) || (is_hosted && is_our_object(*place))) continue;
    const bool has_lines = std::ranges::any_of(
        place->frames, [](const SourceFrame& frame) { return !frame.file.empty(); });
    for (const SourceFrame& frame : place->frames) {
      if (is_ours(frame.function) || is_compilers(frame)) continue;
      if (is_own_file(frame) || (!has_lines && is_hosted)) result.push_back(frame);
    }
  }
  return result;
}

std::vector<SourceFrame> user_frames_in(const std::string& path, const std::string& name,
                                        std::span<const std::uint64_t> calls) {
  const detail::DebugInformation information(path);
  std::vector<SourceFrame> result;
  for (const std::uint64_t call : calls) {
    SourcePlace place = information.place_of(call);
    std::string& function = place.frames.front().function;
    if (function.empty()) function = fmt::format("{}+{:#x}", name, call);
    const bool has_lines = std::ranges::any_of(
        place.frames, [](const SourceFrame& frame) { return !frame.file.empty(); });
    for (const SourceFrame& frame : place.frames) {
      if (is_ours(frame.function) || is_compilers(frame)) continue;
      if (is_own_file(frame) || !has_lines) result.push_back(frame);
    }
  }
  return result;
}

}  // namespace orrery
