#include "memory_digest.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace orrery::mpi {
namespace {

constexpr std::size_t whole_bytes_max = 32 * 1024;
constexpr std::size_t end_bytes = 8 * 1024;  // at either end of what is not taken whole
constexpr std::size_t sample_bytes = 64;
constexpr std::size_t samples = 256;
constexpr std::size_t runs_max = 256;

// Two sums, the second one of the first: sees each change of one word, and words that change
// places (Fletcher, 1982, with words of 64 bits and no modulus).  Four lanes of each, in vectors.
class Sums {
 public:
  void add(const std::byte* bytes, std::size_t size_bytes) {
    if (size_bytes < sizeof(first_)) return add_words(bytes, size_bytes);
    // Not in the members: bytes might be theirs, for all that the compiler knows.
    std::array<Words, 2> first = first_;
    std::array<Words, 2> second = second_;
    const auto take = [&](const std::array<Words, 2>& words) {
      for (std::size_t half = 0; half < words.size(); ++half) {
        first[half] += words[half];
        second[half] += first[half];
      }
    };
    std::array<Words, 2> words;
    for (; size_bytes >= sizeof(words); bytes += sizeof(words), size_bytes -= sizeof(words)) {
      std::memcpy(&words, bytes, sizeof(words));
      take(words);
    }
    if (size_bytes > 0) {
      words = {};
      std::memcpy(&words, bytes, size_bytes);
      take(words);
    }
    first_ = first;
    second_ = second;
  }

  /// So many words, each at this distance from the one before: a column of a matrix.
  void add_column(const std::byte* bytes, std::ptrdiff_t stride_bytes, std::size_t words) {
    std::uint64_t first = first_word_;
    std::uint64_t second = second_word_;
    for (; words > 0; bytes += stride_bytes, --words) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes, sizeof(word));
      first += word;
      second += first;
    }
    first_word_ = first;
    second_word_ = second;
  }

  [[nodiscard]] std::uint64_t finish() const {
    std::uint64_t hash = (first_word_ ^ second_word_ >> 29U) * 0x94d049bb133111ebU + second_word_;
    for (const auto& sums : {first_, second_}) {
      for (const Words& words : sums) {
        hash = (hash ^ words[0]) * 0x9e3779b97f4a7c15U;
        hash = (hash ^ hash >> 29U ^ words[1]) * 0xbf58476d1ce4e5b9U;
      }
    }
    return hash ^ hash >> 32U;
  }

 private:
  // Types with holes have many short runs.
  void add_words(const std::byte* bytes, std::size_t size_bytes) {
    std::uint64_t word = 0;
    for (; size_bytes >= sizeof(word); bytes += sizeof(word), size_bytes -= sizeof(word)) {
      std::memcpy(&word, bytes, sizeof(word));
      first_word_ += word;
      second_word_ += first_word_;
    }
    if (size_bytes == 0) return;
    word = 0;
    std::memcpy(&word, bytes, size_bytes);
    first_word_ += word;
    second_word_ += first_word_;
  }

  using Words = std::uint64_t __attribute__((vector_size(16)));
  std::array<Words, 2> first_{};
  std::array<Words, 2> second_{};
  std::uint64_t first_word_ = 0;
  std::uint64_t second_word_ = 0;
};

void add_run(Sums& sums, const std::byte* bytes, std::size_t size_bytes) {
  if (size_bytes <= whole_bytes_max) return sums.add(bytes, size_bytes);
  sums.add(bytes, end_bytes);
  sums.add(bytes + size_bytes - end_bytes, end_bytes);
  const std::size_t between = size_bytes - 2 * end_bytes - sample_bytes;
  for (std::size_t sample = 0; sample < samples; ++sample)
    sums.add(bytes + end_bytes + between / samples * sample, sample_bytes);
}

// Every so many of the runs of a layout, or of several one after the other.
class SampledRuns {
 public:
  SampledRuns(Sums& sums, std::size_t step) : sums_(sums), step_(step) {}

  void add(const Layout& layout, const std::byte* origin) {
    if (skipped_ >= layout.runs) {
      skipped_ -= layout.runs;
      return;
    }
    for (const LayoutNode& node : layout.nodes) {
      const std::byte* place = origin + node.offset_bytes;
      if (node.inner == nullptr) {
        add_runs(node, place);
        continue;
      }
      for (std::size_t repeat = 0; repeat < node.repeats; ++repeat, place += node.stride_bytes)
        add(*node.inner, place);
    }
  }

 private:
  void add_runs(const LayoutNode& node, const std::byte* place) {
    if (skipped_ >= node.repeats) {
      skipped_ -= node.repeats;
      return;
    }
    const std::size_t bytes = node.run_bytes();
    const std::size_t taken = (node.repeats - skipped_ + step_ - 1) / step_;
    const std::ptrdiff_t stride_bytes = node.stride_bytes * static_cast<std::ptrdiff_t>(step_);
    place += node.stride_bytes * static_cast<std::ptrdiff_t>(skipped_);
    skipped_ += taken * step_ - node.repeats;
    if (bytes == sizeof(std::uint64_t)) return sums_.add_column(place, stride_bytes, taken);
    for (std::size_t run = 0; run < taken; ++run, place += stride_bytes)
      add_run(sums_, place, bytes);
  }

  Sums& sums_;
  std::size_t step_;
  std::size_t skipped_ = 0;  // runs from here on that are not taken
};

}  // namespace

std::uint64_t digest(const Datatype& type, std::size_t count, const void* buffer) {
  Sums sums;
  if (const void* const run = find_packed(type, count, buffer)) {
    add_run(sums, static_cast<const std::byte*>(run), count * type.size_bytes);
    return sums.finish();
  }
  const auto* element = static_cast<const std::byte*>(buffer);
  const std::size_t runs = type.layout->runs * count;
  SampledRuns sampled(sums, std::max<std::size_t>(1, runs / runs_max));
  for (std::size_t index = 0; index < count; ++index, element += type.extent_bytes())
    sampled.add(*type.layout, element);
  return sums.finish();
}

}  // namespace orrery::mpi
