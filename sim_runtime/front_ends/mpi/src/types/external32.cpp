#include "external32.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace orrery::mpi {
namespace {

// How one value of a predefined type is written: as so many numbers of so many bytes, the most
// significant byte first.
struct ExternalForm {
  std::size_t native_bytes;
  std::size_t external_bytes;
  bool is_signed;    ///< a shorter one is widened by its sign
  bool is_extended;  ///< our `long double`, which travels as an IEEE number of 16 bytes
  std::size_t numbers = 1;
};

ExternalForm form_of(Builtin type) {
  const std::size_t bytes = describe(type).extent_bytes;
  switch (type) {
    // Sizes that are not those of this machine (table 13.2).
    case Builtin::long_: return {sizeof(long), 4, true, false};
    case Builtin::unsigned_long: return {sizeof(long), 4, false, false};
    case Builtin::wchar: return {sizeof(wchar_t), 2, false, false};
    case Builtin::long_double: return {sizeof(long double), 16, false, true};
    case Builtin::c_long_double_complex:
    case Builtin::cxx_long_double_complex: return {sizeof(long double), 16, false, true, 2};
    case Builtin::c_float_complex:
    case Builtin::c_double_complex:
    case Builtin::cxx_float_complex:
    case Builtin::cxx_double_complex:
    case Builtin::complex:
    case Builtin::complex8:
    case Builtin::complex16:
    case Builtin::complex32:
    case Builtin::double_complex: return {bytes / 2, bytes / 2, false, false, 2};
    default: return {bytes, bytes, false, false};
  }
}

using Number = std::array<std::byte, 16>;

void write_number(const ExternalForm& form, const std::byte* native, std::byte* external) {
  Number number{};
  if (form.is_extended) {
    long double value = 0;
    std::memcpy(&value, native, sizeof(value));
    const Float128 wide = value;
    std::memcpy(number.data(), &wide, sizeof(wide));
  } else {
    std::memcpy(number.data(), native, form.native_bytes);
  }
  // Of a number that is longer here the less significant bytes are moved (section 13.5.2).
  std::reverse_copy(number.begin(),
                    number.begin() + static_cast<std::ptrdiff_t>(form.external_bytes), external);
}

void read_number(const ExternalForm& form, const std::byte* external, std::byte* native) {
  const bool is_negative = form.is_signed && (external[0] & std::byte{0x80}) != std::byte{0};
  Number number{};
  if (is_negative) number.fill(std::byte{0xff});
  std::reverse_copy(external, external + form.external_bytes, number.begin());
  if (!form.is_extended) {
    std::memcpy(native, number.data(), form.native_bytes);
    return;
  }
  Float128 wide = 0;
  std::memcpy(&wide, number.data(), sizeof(wide));
  const auto value = static_cast<long double>(wide);
  std::memcpy(native, &value, sizeof(value));
}

}  // namespace

std::size_t external_size_bytes(const Datatype& type, std::size_t count) {
  std::size_t bytes = 0;
  for_each_run(*type.layout, 0, [&](std::ptrdiff_t, Builtin basic, std::size_t values) {
    const ExternalForm form = form_of(basic);
    bytes += values * form.numbers * form.external_bytes;
  });
  return bytes * count;
}

void pack_external(const Datatype& type, std::size_t count, const void* buffer,
                   std::byte* external) {
  const auto* const memory = static_cast<const std::byte*>(buffer);
  for_each_run(type, count, [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
    const ExternalForm form = form_of(basic);
    const std::byte* native = memory + offset_bytes;
    for (std::size_t number = 0; number < values * form.numbers; ++number) {
      write_number(form, native, external);
      native += form.native_bytes;
      external += form.external_bytes;
    }
  });
}

void unpack_external(const Datatype& type, std::size_t count, void* buffer,
                     const std::byte* external) {
  auto* const memory = static_cast<std::byte*>(buffer);
  for_each_run(type, count, [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
    const ExternalForm form = form_of(basic);
    std::byte* native = memory + offset_bytes;
    for (std::size_t number = 0; number < values * form.numbers; ++number) {
      read_number(form, external, native);
      native += form.native_bytes;
      external += form.external_bytes;
    }
  });
}

}  // namespace orrery::mpi
