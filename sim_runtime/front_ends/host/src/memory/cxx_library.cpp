#include "cxx_library.hpp"

#include <iostream>
#include <locale>

namespace orrery::host {

void fill_caches_of_cxx_library() {
  const auto& letters = std::use_facet<std::ctype<char>>(std::locale::classic());
  const char space = ' ';
  char got = '\0';
  letters.widen(&space, &space + 1, &got);
  letters.narrow(&space, &space + 1, '\0', &got);
  for (const auto* const stream : {&std::cout, &std::cerr, &std::clog}) stream->fill();
  std::cin.fill();
  for (const auto* const stream : {&std::wcout, &std::wcerr, &std::wclog}) stream->fill();
  std::wcin.fill();
}

}  // namespace orrery::host
