// Locales that have a name (`std::locale("de_DE.UTF-8")`).
//
// What is needed to format by one is made for all threads when the first of them comes, in code of
// the C++ library: who that is may be another thread in a replay.  So it is made with the locale.
// (Not where a facet of the program's own would be asked, as long as the program has not asked it.)
#include <locale>

#include "atomic_hooks.hpp"

namespace {

void fill_caches(const std::locale& locale) {
  if (locale._M_impl == std::locale::classic()._M_impl) return;
  std::__use_cache<std::__numpunct_cache<char>>()(locale);
  std::__use_cache<std::__numpunct_cache<wchar_t>>()(locale);
  const auto& letters = std::use_facet<std::ctype<char>>(locale);
  if (letters._M_widen_ok == 0) letters._M_widen_init();
  if (letters._M_narrow_ok == 0) letters._M_narrow_init();
}

}  // namespace

ORRERY_WRAP(void, _ZNSt6localeC1EPKc, (std::locale * self, const char* name)) {
  real__ZNSt6localeC1EPKc(self, name);
  if (orrery::hooks::is_attached()) fill_caches(*self);
}
