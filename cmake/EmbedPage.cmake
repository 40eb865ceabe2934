# cmake -DPAGE=DIRECTORY -DOUTPUT=FILE.cpp -P EmbedPage.cmake: the page of `orrery show --graph` as
# C++, of page.html with page.css and the scripts in it.
set(scripts data categories axis rows lanes picture pointer pane details search main)

set(style)
file(READ ${PAGE}/page.html html)
file(READ ${PAGE}/page.css style)
set(script "'use strict';\n(() => {\n")
foreach(name IN LISTS scripts)
  file(READ ${PAGE}/${name}.js text)
  string(APPEND script "${text}\n")
endforeach()
string(APPEND script "})();")

# In pieces that any compiler takes: some end at 64 KiB.
function(as_literal variable text)
  set(literal)
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND literal "    R\"page(${piece})page\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${variable} "${literal}" PARENT_SCOPE)
endfunction()

string(FIND "${html}" "@RUNS@" middle)
string(SUBSTRING "${html}" 0 ${middle} before)
math(EXPR middle "${middle} + 6")
string(SUBSTRING "${html}" ${middle} -1 behind)
string(REPLACE "@STYLE@" "${style}" before "${before}")
string(REPLACE "@SCRIPT@" "${script}" behind "${behind}")
as_literal(before "${before}")
as_literal(behind "${behind}")
file(WRITE ${OUTPUT} "// Made by cmake/EmbedPage.cmake.
#include \"graph/page_text.hpp\"

namespace orrery::detail {

const std::string_view page_before_runs =
${before}    ;
const std::string_view page_behind_runs =
${behind}    ;

}  // namespace orrery::detail
")
