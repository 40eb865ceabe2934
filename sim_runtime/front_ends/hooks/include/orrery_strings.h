/* Read before each file that is compiled for the image whose accesses are watched (-include).
 *
 * Before C++20 std::string is called in the C++ library, ready-made, where nobody sees what it does
 * with the program's memory.  Its headers know a value by which it is compiled with the program, as
 * it is from C++20 on.
 */
#pragma GCC system_header

#if defined(__cplusplus) && defined(__has_include)
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
#endif
#endif
