// The second image of what `orrery cc` builds, within the first: a section that is not loaded.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace orrery {

/// What one unit was compiled to with hooks at its accesses, or a link of such.
inline constexpr std::string_view instrumented_section = ".orrery.instrumented";
/// Where the guards of function-local statics lie (`_ZGV...`): sorted addresses, eight bytes each.
/// Of each linked image; `strip` leaves it in place.
inline constexpr std::string_view guards_section = ".orrery.guards";
/// Names of objects that were linked but not built with `orrery cc`, each with a newline.
inline constexpr std::string_view foreign_section = ".orrery.foreign";

/// An image as the section holds it: a linker that only puts objects together (`ld -r`) lays the
/// sections of several behind each other.
[[nodiscard]] std::vector<std::byte> framed(std::span<const std::byte> image);

/// The images in a file's section; empty if it has none, or a damaged one.
[[nodiscard]] std::vector<std::span<const std::byte>> images_in(std::span<const std::byte> file);

}  // namespace orrery
