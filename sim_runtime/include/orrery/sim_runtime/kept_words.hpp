// Which words of memory are the same objects for a whole run, also where they are handed out anew.
#pragma once

#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// Does a word of an unchanged program, in the run that goes on on this thread, lie in a block that
/// each replay hands out at this very address?  Then the order of those who come to the word goes
/// on when the block is handed out again, so that it holds for who has not noticed that, too.
[[nodiscard]] bool keeps_word_at(Address address);

}  // namespace orrery
