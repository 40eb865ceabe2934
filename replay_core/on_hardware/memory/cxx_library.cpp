#include "cxx_library.hpp"

#include <array>
#include <cstdlib>
#include <istream>
#include <ostream>

#include <dlfcn.h>

#include "next_function.hpp"

namespace orrery::on_hardware {
namespace {

/// The program's library, not the one that is part of this.
template <typename Function>
Function theirs(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

template <typename Stream>
void fill_up(const char* name) {
  if (const auto* const stream = theirs<const Stream*>(name)) stream->fill();
}

/// As who includes <iostream> does: the streams are there from the first one on.
bool make_streams() {
  using Call = void (*)(void*);
  const auto begin = theirs<Call>("_ZNSt8ios_base4InitC1Ev");
  const auto end = theirs<Call>("_ZNSt8ios_base4InitD1Ev");
  if (begin == nullptr || end == nullptr) return false;
  std::array<char, 16> object{};
  begin(object.data());
  end(object.data());
  return true;
}

void fill_letters() {
  using Locale = const void* (*)();
  using Facet = const void* (*)(const void*);
  using Fill = void (*)(const void*);
  const auto classic = theirs<Locale>("_ZNSt6locale7classicEv");
  const auto letters_of = theirs<Facet>("_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale");
  if (classic == nullptr || letters_of == nullptr) return;
  const void* const letters = letters_of(classic());
  for (const char* const name :
       {"_ZNKSt5ctypeIcE13_M_widen_initEv", "_ZNKSt5ctypeIcE14_M_narrow_initEv"}) {
    if (const auto fill = theirs<Fill>(name)) fill(letters);
  }
}

}  // namespace

void fill_caches_of_cxx_library() {
  // Where something is not found, the C library allocates and frees what it would say of that.
  next<&::malloc>("malloc");
  next<&::free>("free");
  if (!make_streams()) return;
  fill_letters();
  for (const char* const name : {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"}) {
    fill_up<std::ostream>(name);
  }
  for (const char* const name : {"_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog"}) {
    fill_up<std::wostream>(name);
  }
  fill_up<std::istream>("_ZSt3cin");
  fill_up<std::wistream>("_ZSt4wcin");
}

}  // namespace orrery::on_hardware
