// Random types of types, compared with a naive interpreter of their type maps.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

// One entry of a type map: a value of `bytes` bytes at `offset`.
struct Entry {
  MPI_Aint offset;
  int bytes;
};

// A type, and what the standard says that it is.
struct Made {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::vector<Entry> map;
  MPI_Aint lower = 0;
  MPI_Aint upper = 0;
  bool marked = false;
  [[nodiscard]] MPI_Aint extent() const { return upper - lower; }
};

class TypeMaker {
 public:
  explicit TypeMaker(std::uint32_t seed) : random_(seed) {}

  Made make(int depth) {
    if (depth == 0) return basic();
    switch (below(7)) {
      case 0: return contiguous(depth);
      case 1: return vector(depth);
      case 2: return indexed(depth);
      case 3: return record(depth);
      case 4: return resized(depth);
      case 5: return subarray(depth);
      default: return indexed_block(depth);
    }
  }
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

 private:
  struct Placed {
    const Made* type;
    int count;
    MPI_Aint offset;
  };

  Made basic() {
    const std::array<MPI_Datatype, 4> types{MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE};
    const std::array<int, 4> sizes{1, 2, 4, 8};
    const auto which = static_cast<std::size_t>(below(4));
    return {types[which], {{0, sizes[which]}}, 0, sizes[which], false};
  }

  // The type map, and the bounds by section 4.1.6, one entry at a time.
  static Made joined(const std::vector<Placed>& parts) {
    Made made;
    MPI_Aint lower[2] = {PTRDIFF_MAX, PTRDIFF_MAX};
    MPI_Aint upper[2] = {PTRDIFF_MIN, PTRDIFF_MIN};
    MPI_Aint alignment = 1;
    for (const Placed& part : parts) {
      if (part.type->map.empty() && !part.type->marked) continue;
      for (int element = 0; element < part.count; ++element) {
        const MPI_Aint base = part.offset + element * part.type->extent();
        const int kind = part.type->marked ? 1 : 0;
        lower[kind] = std::min(lower[kind], base + part.type->lower);
        upper[kind] = std::max(upper[kind], base + part.type->upper);
        for (const Entry& entry : part.type->map) {
          made.map.push_back({base + entry.offset, entry.bytes});
          alignment = std::max<MPI_Aint>(alignment, entry.bytes);
        }
      }
    }
    made.marked = lower[1] != PTRDIFF_MAX;
    const int kind = made.marked ? 1 : 0;
    if (lower[kind] == PTRDIFF_MAX) return made;
    made.lower = lower[kind];
    made.upper = upper[kind];
    if (!made.marked)
      while (made.extent() % alignment != 0) ++made.upper;
    return made;
  }

  Made contiguous(int depth) {
    const Made old = make(depth - 1);
    const int count = below(4);
    Made made = joined({{&old, count, 0}});
    MPI_Type_contiguous(count, old.handle, &made.handle);
    return made;
  }
  Made vector(int depth) {
    const Made old = make(depth - 1);
    const int count = below(4);
    const int length = below(3);
    const int stride = below(9) - 4;
    const bool in_bytes = below(2) == 0;
    const MPI_Aint step = in_bytes ? stride * 5 : stride * old.extent();
    std::vector<Placed> parts;
    for (int block = 0; block < count; ++block) parts.push_back({&old, length, block * step});
    Made made = joined(parts);
    if (in_bytes)
      MPI_Type_create_hvector(count, length, step, old.handle, &made.handle);
    else
      MPI_Type_vector(count, length, stride, old.handle, &made.handle);
    return made;
  }
  Made indexed(int depth) {
    const Made old = make(depth - 1);
    const int count = below(6);
    const bool in_bytes = below(2) == 0;
    std::vector<int> lengths;
    std::vector<int> steps;
    std::vector<MPI_Aint> offsets;
    std::vector<Placed> parts;
    for (int block = 0; block < count; ++block) {
      lengths.push_back(below(3));
      steps.push_back(below(12) - 4);
      offsets.push_back(below(60) - 20);
      const MPI_Aint offset = in_bytes ? offsets.back() : steps.back() * old.extent();
      parts.push_back({&old, lengths.back(), offset});
    }
    Made made = joined(parts);
    if (in_bytes)
      MPI_Type_create_hindexed(count, lengths.data(), offsets.data(), old.handle, &made.handle);
    else
      MPI_Type_indexed(count, lengths.data(), steps.data(), old.handle, &made.handle);
    return made;
  }
  Made indexed_block(int depth) {
    const Made old = make(depth - 1);
    const int count = below(12);
    const int length = below(3);
    const int gap = 1 + below(4);
    std::vector<int> steps;
    std::vector<Placed> parts;
    for (int block = 0; block < count; ++block) {
      steps.push_back(below(5) == 0 ? below(8) : block * gap);
      parts.push_back({&old, length, steps.back() * old.extent()});
    }
    Made made = joined(parts);
    MPI_Type_create_indexed_block(count, length, steps.data(), old.handle, &made.handle);
    return made;
  }
  Made record(int depth) {
    const int count = 1 + below(3);
    std::vector<Made> fields;
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    std::vector<MPI_Datatype> types;
    std::vector<Placed> parts;
    for (int field = 0; field < count; ++field) {
      fields.push_back(make(below(depth)));
      lengths.push_back(below(3));
      offsets.push_back(below(80) - 20);
      types.push_back(fields.back().handle);
    }
    for (std::size_t field = 0; field < fields.size(); ++field)
      parts.push_back({&fields[field], lengths[field], offsets[field]});
    Made made = joined(parts);
    MPI_Type_create_struct(count, lengths.data(), offsets.data(), types.data(), &made.handle);
    return made;
  }
  Made resized(int depth) {
    Made made = make(depth - 1);
    made.lower = below(20) - 10;
    made.upper = made.lower + below(60) - 10;
    made.marked = true;
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(made.handle, made.lower, made.extent(), &handle);
    made.handle = handle;
    return made;
  }
  Made subarray(int depth) {
    const Made old = make(depth - 1);
    const std::array<int, 2> sizes{2 + below(2), 2 + below(2)};
    const std::array<int, 2> parts{1 + below(2), 1 + below(2)};
    const std::array<int, 2> starts{below(sizes[0] - parts[0] + 1), below(sizes[1] - parts[1] + 1)};
    std::vector<Placed> placed;
    for (int row = 0; row < parts[0]; ++row)
      for (int column = 0; column < parts[1]; ++column)
        placed.push_back(
            {&old, 1, ((starts[0] + row) * sizes[1] + starts[1] + column) * old.extent()});
    Made made = joined(placed);
    made.lower = 0;
    made.upper = sizes[0] * sizes[1] * old.extent();
    made.marked = true;
    MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, old.handle,
                             &made.handle);
    return made;
  }

  std::mt19937 random_;
};

struct Memory {
  static constexpr MPI_Aint origin = 60'000;
  std::vector<unsigned char> bytes = std::vector<unsigned char>(2 * origin);
  [[nodiscard]] bool holds(const Made& type, int count) const {
    for (int element = 0; element < count; ++element)
      for (const Entry& entry : type.map) {
        const MPI_Aint place = origin + element * type.extent() + entry.offset;
        if (place < 0 || place + entry.bytes > 2 * origin) return false;
      }
    return true;
  }
};

template <typename Visit>
void for_each_byte(const Made& type, int count, Visit visit) {
  for (int element = 0; element < count; ++element)
    for (const Entry& entry : type.map)
      for (int byte = 0; byte < entry.bytes; ++byte)
        visit(static_cast<std::size_t>(Memory::origin + element * type.extent() + entry.offset +
                                       byte));
}

void compare_description(const Made& type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type.handle, &lower, &extent);
  CHECK(lower == type.lower);
  CHECK(extent == type.extent());
  int size = 0;
  int expected = 0;
  MPI_Type_size(type.handle, &size);
  for (const Entry& entry : type.map) expected += entry.bytes;
  CHECK(size == expected);
  MPI_Status status{};
  status._ucount = static_cast<std::size_t>(size);
  int elements = -1;
  MPI_Get_elements(&status, type.handle, &elements);
  CHECK(elements == static_cast<int>(type.map.size()));
  if (type.map.empty()) return;
  MPI_Aint true_lower = PTRDIFF_MAX;
  MPI_Aint true_upper = PTRDIFF_MIN;
  for (const Entry& entry : type.map) {
    true_lower = std::min(true_lower, entry.offset);
    true_upper = std::max(true_upper, entry.offset + entry.bytes);
  }
  MPI_Type_get_true_extent(type.handle, &lower, &extent);
  CHECK(lower == true_lower);
  CHECK(extent == true_upper - true_lower);
}

// Is any byte of it there twice?
bool has_overlap(const Made& type, int count) {
  std::vector<bool> seen(2 * Memory::origin);
  bool twice = false;
  for_each_byte(type, count, [&](std::size_t place) {
    twice = twice || seen[place];
    seen[place] = true;
  });
  return twice;
}

void compare_data(const Made& type, int count, TypeMaker& random) {
  Memory memory;
  for (unsigned char& byte : memory.bytes) byte = static_cast<unsigned char>(random.below(256));
  std::vector<unsigned char> expected;
  for_each_byte(type, count, [&](std::size_t place) { expected.push_back(memory.bytes[place]); });
  std::vector<unsigned char> packed(expected.size() + 1);
  int position = 0;
  const auto room = static_cast<int>(expected.size());
  MPI_Pack(&memory.bytes[Memory::origin], count, type.handle, packed.data(), room, &position,
           MPI_COMM_WORLD);
  packed.pop_back();
  CHECK(position == room);
  CHECK(packed == expected);
  if (has_overlap(type, count)) return;
  Memory copy;
  position = 0;
  MPI_Unpack(packed.data(), room, &position, &copy.bytes[Memory::origin], count, type.handle,
             MPI_COMM_WORLD);
  Memory naive;
  std::size_t next = 0;
  for_each_byte(type, count, [&](std::size_t place) { naive.bytes[place] = packed[next++]; });
  CHECK(copy.bytes == naive.bytes);
}

}  // namespace

TEST_CASE("random types are packed as their type maps say, and overlaps are found") {
  int overlapping = 0;
  const auto outcome = fake::run(1, [&](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (std::uint32_t seed = 0; seed < 1500; ++seed) {
      INFO("seed " << seed);
      TypeMaker random(seed);
      Made type = random.make(1 + random.below(4));
      const int count = 1 + random.below(3);
      if (!Memory{}.holds(type, count)) continue;
      MPI_Type_commit(&type.handle);
      compare_description(type);
      compare_data(type, count, random);
      Memory memory;
      const bool overlaps = has_overlap(type, count);
      overlapping += overlaps ? 1 : 0;
      CHECK(MPI_Recv(&memory.bytes[Memory::origin], count, type.handle, MPI_PROC_NULL, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE) == (overlaps ? MPI_ERR_TYPE : MPI_SUCCESS));
    }
  });
  CHECK(outcome.message == "");
  CHECK(overlapping > 100);
}
