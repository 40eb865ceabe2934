// Type signatures: which basic types follow each other, without where they lie (section 4.1).
#pragma once

#include <cstddef>
#include <cstdint>

#include "builtins.hpp"

namespace orrery::mpi {

/// What is compared when two sides must use the same type signature.
struct Signature {
  std::uint64_t hash = 0;
  std::uint64_t size_bytes = 0;
  bool operator==(const Signature&) const = default;
};

/// A sequence of basic types, as its length and a hash that is made of the parts' hashes: that of a
/// million elements costs twenty steps, and does not depend on how the sequence was put together.
/// (Rabin and Karp's polynomial modulo 2^61 - 1; R. Karp, M. Rabin 1987.)
struct ValueSequence {
  std::uint64_t values = 0;
  std::uint64_t hash = 0;
  std::uint64_t power = 1;  ///< of the base, to the number of values
};

ValueSequence sequence_of(Builtin basic);
ValueSequence joined(const ValueSequence& first, const ValueSequence& second);
ValueSequence repeated(const ValueSequence& sequence, std::uint64_t times);

}  // namespace orrery::mpi
