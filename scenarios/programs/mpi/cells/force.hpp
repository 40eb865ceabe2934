// Forces between atoms, in whole numbers: what is added up does not depend on the order.
#pragma once

#include <span>
#include <vector>

#include "atom.hpp"

/// Atoms further from each other than this, in either direction, do not act on each other.
inline constexpr std::int64_t cut_off = std::int64_t{1} << 28;

struct Force {
  std::array<std::int64_t, dimensions> part{};
  Force& operator+=(const Force& other);
};

/// What `other` does to `atom`; what `atom` does to `other` is the same, the other way.
[[nodiscard]] Force force_on(const Atom& atom, const Atom& other);

/// Moves an atom on by a step.
void move(Atom& atom, const Force& force);

/// Does `steps` steps with all atoms, each with each.
void serial_steps(std::span<Atom> atoms, int steps);
