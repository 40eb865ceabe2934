#include "instruction.hpp"

#include <algorithm>
#include <array>

namespace orrery::cli {
namespace {

// What follows an operation's own bytes.
constexpr unsigned none = 0;
constexpr unsigned place = 1;   // a byte that says which register or memory, and what belongs to it
constexpr unsigned byte = 2;    // a number of one byte
constexpr unsigned word = 4;    // of four, or two where the operand is short
constexpr unsigned target = 8;  // of four
constexpr unsigned invalid = 16;

unsigned operands_of_arithmetic(unsigned operation) {
  const unsigned form = operation & 7U;
  if (form < 4) return place;
  if (form == 4) return byte;
  return form == 5 ? word : invalid;
}

/// What operations from one to another have.
struct Row {
  unsigned first;
  unsigned last;
  unsigned operands;
};

// Of one byte, from 0x40 on; of the others nothing follows, or it is of another size.
constexpr std::array operations{
    Row{0x60, 0x61, invalid},      Row{0x63, 0x63, place},        Row{0x68, 0x68, word},
    Row{0x69, 0x69, place | word}, Row{0x6a, 0x6a, byte},         Row{0x6b, 0x6b, place | byte},
    Row{0x70, 0x7f, byte},         Row{0x80, 0x80, place | byte}, Row{0x81, 0x81, place | word},
    Row{0x82, 0x82, invalid},      Row{0x83, 0x83, place | byte}, Row{0x84, 0x8f, place},
    Row{0x9a, 0x9a, invalid},      Row{0xa8, 0xa8, byte},         Row{0xa9, 0xa9, word},
    Row{0xb0, 0xb7, byte},         Row{0xc0, 0xc1, place | byte}, Row{0xc6, 0xc6, place | byte},
    Row{0xc7, 0xc7, place | word}, Row{0xcd, 0xcd, byte},         Row{0xce, 0xce, invalid},
    Row{0xd0, 0xd3, place},        Row{0xd4, 0xd6, invalid},      Row{0xd8, 0xdf, place},
    Row{0xe0, 0xe7, byte},         Row{0xe8, 0xe9, target},       Row{0xea, 0xea, invalid},
    Row{0xeb, 0xeb, byte},         Row{0xfe, 0xff, place},
};

// Of two bytes, the first of which is 0x0f; all others have a place.
constexpr std::array second_operations{
    Row{0x05, 0x09, none},         Row{0x0b, 0x0b, none},         Row{0x0e, 0x0e, none},
    Row{0x30, 0x37, none},         Row{0x70, 0x73, place | byte}, Row{0x77, 0x77, none},
    Row{0x80, 0x8f, target},       Row{0xa0, 0xa2, none},         Row{0xa4, 0xa4, place | byte},
    Row{0xa8, 0xaa, none},         Row{0xac, 0xac, place | byte}, Row{0xba, 0xba, place | byte},
    Row{0xc2, 0xc2, place | byte}, Row{0xc4, 0xc6, place | byte}, Row{0xc8, 0xcf, none},
};

unsigned find(std::span<const Row> rows, unsigned operation, unsigned otherwise) {
  const auto row = std::ranges::find_if(rows, [operation](const Row& one) {
    return operation >= one.first && operation <= one.last;
  });
  return row == rows.end() ? otherwise : row->operands;
}

unsigned operands_of(unsigned operation) {
  if (operation < 0x40) return operands_of_arithmetic(operation);
  return find(operations, operation, none);
}

/// Reads one, byte by byte.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> code) : code_(code) {}

  Instruction decode() {
    read_prefixes();
    const unsigned operation = next();
    read_operation(operation);
    const bool is_whole = !is_invalid_ && at_ <= code_.size();
    const bool is_exchange = (operation & 0xfeU) == 0x86 && !is_extended_;
    return is_whole ? Instruction{at_, is_memory_ && (is_locked_ || is_exchange)} : Instruction{};
  }

 private:
  unsigned peek() const { return at_ < code_.size() ? std::to_integer<unsigned>(code_[at_]) : 0; }
  unsigned next() {
    const unsigned result = peek();
    ++at_;
    return result;
  }

  void read_prefixes() {
    for (;; ++at_) {
      switch (peek()) {
        case 0xf0: is_locked_ = true; continue;
        case 0x66: is_short_ = true; continue;
        case 0x67: has_short_address_ = true; continue;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0xf2:
        case 0xf3: continue;
        default: break;
      }
      break;
    }
    if ((peek() & 0xf0U) == 0x40) is_long_ = (next() & 8U) != 0;
  }

  void read_operation(unsigned operation) {
    switch (operation) {
      case 0x0f: return read_extended(1);
      case 0xc5: ++at_; return read_extended(1, /*is_vector=*/true);
      case 0xc4: {
        const unsigned map = next() & 0x1fU;
        ++at_;
        return read_extended(map, /*is_vector=*/true);
      }
      case 0x62: {
        const unsigned map = next() & 7U;
        at_ += 2;
        return read_extended(map, /*is_vector=*/true);
      }
      case 0xa0:
      case 0xa1:
      case 0xa2:
      case 0xa3: at_ += has_short_address_ ? 4 : 8; return;
      case 0xc2:
      case 0xca: at_ += 2; return;
      case 0xc8: at_ += 3; return;
      case 0xf6: return read_tested(byte);
      case 0xf7: return read_tested(word);
      default: break;
    }
    if (operation >= 0xb8 && operation < 0xc0) {
      at_ += is_long_ ? 8 : is_short_ ? 2 : 4;
      return;
    }
    read_operands(operands_of(operation));
  }

  void read_extended(unsigned map, bool is_vector = false) {
    is_extended_ = true;
    unsigned operation = next();
    if (!is_vector && operation == 0x38) map = 2;
    if (!is_vector && operation == 0x3a) map = 3;
    if (!is_vector && map > 1) operation = next();
    if (map == 1) return read_operands(find(second_operations, operation, place));
    read_operands(map == 3 ? place | byte : place);
  }

  /// Two of these eight have a number, too.
  void read_tested(unsigned number) {
    const bool has_number = ((peek() >> 3U) & 7U) < 2;
    read_operands(has_number ? place | number : place);
  }

  void read_operands(unsigned operands) {
    if ((operands & place) != 0) read_place();
    if ((operands & byte) != 0) ++at_;
    if ((operands & word) != 0) at_ += is_short_ ? 2 : 4;
    if ((operands & target) != 0) at_ += 4;
    is_invalid_ = is_invalid_ || (operands & invalid) != 0;
  }

  void read_place() {
    const unsigned said = next();
    const unsigned mode = said >> 6U;
    if (mode == 3) return;
    is_memory_ = true;
    unsigned base = said & 7U;
    if (base == 4) base = next() & 7U;
    if (mode == 1) ++at_;
    if (mode == 2 || (mode == 0 && base == 5)) at_ += 4;
  }

  std::span<const std::byte> code_;
  std::size_t at_ = 0;
  bool is_locked_ = false;
  bool is_short_ = false;
  bool is_long_ = false;
  bool has_short_address_ = false;
  bool is_extended_ = false;
  bool is_memory_ = false;
  bool is_invalid_ = false;
};

}  // namespace

Instruction decode_instruction(std::span<const std::byte> code) {
  return Decoder(code).decode();
}

}  // namespace orrery::cli
