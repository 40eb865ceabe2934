// What a thread of a real program leaves of its accesses to memory while it is recorded by `leap`,
// `stride` or `global-writes`: the layout of its second file.
#pragma once

#include <cstdint>
#include <type_traits>

#include <orrery/replay_core/memory_groups.hpp>
#include <orrery/replay_core/rank_spool.hpp>

namespace orrery::memory_spool {

/// The file of the N-th thread is `memory-N`, beside `thread-N`.
inline constexpr const char* memory_file_prefix = "memory-";

/// The variable of the environment that names the method: `leap`, `stride` or `global-writes`.
inline constexpr const char* method_variable = "ORRERY_RECORD_METHOD";
/// The one that says which words are in one group, as `MemoryGroups` reads it; by `stride` alone.
inline constexpr const char* groups_variable = "ORRERY_RECORD_GROUPS";

/// What a record says.  It begins with a number: the kind in the low three bits, above them the
/// number that is named first.  Variables have numbers in the order in which they came up; each
/// thread takes `batch` of these at a time.
enum class Record : std::uint8_t {
  batch = 0,  ///< the first of these numbers: those that the thread gives from now on
  fresh = 1,  ///< so many new variables, whose numbers are the next of the batch
  use = 2,    ///< the number of a variable that others came to before
  stack = 3,  ///< the same on another's stack: its owner, and words below where that one's frames
              ///< begin, zigzag
  turn = 4,   ///< the number of a variable that another thread had the last turn of: accesses so
              ///< far, and that thread, or `nobody`.  By `global-writes`: of `all_variables`
  bound = 5,  ///< reads whose versions were known since the last such; how far this one is ahead
  wide = 6,   ///< accesses of one word since the last such; words
  named = 7,  ///< the number of a variable that has a name: its word, as far behind the last such,
              ///< zigzag.  By who comes there second, or third; by `global-writes` by all.  With
              ///< groups: see `Groups`
};

/// With groups a word that may be in one is told of by `named`, by each thread that comes to its
/// group first; where the word itself is not in the group's name, by each that comes to it first.
/// Of a word with a name (`NamedHeap`): the number is the group's, and the name the word's, or by
/// `block` that of the block's first word.  Of others, which are known by when a thread comes to
/// them first: the number is the word's, and the name the group's number.  In turns and bounds
/// numbers are those of groups; a word that is in none is one by itself.
using Groups = MemoryGroups;

/// A variable is a word of so many bytes; words have numbers in the order of addresses.
inline constexpr std::uint64_t word_bytes = MemoryGroups::word_bytes;

/// Assignments that gcc writes out itself have at most so many words.  Longer ones are copied by
/// functions, which have read before they write.
inline constexpr std::uint64_t assigned_words_max = 64;

/// The range of the heap whose blocks a replay has at the same addresses (decision 45).  Words
/// there have names, so that nobody has to say when he came to them first: the words' own
/// numbers. (Not those of the program's own image: which of them a library takes may depend on
/// where a stack lies, as in `std::atomic::wait`.)
struct NamedHeap {
  std::uint64_t begin;
  std::uint64_t bytes;  ///< 0: it lies elsewhere in a replay
};

/// Numbers that a thread takes at a time.
inline constexpr std::uint32_t batch = 1024;

/// In a turn: the last ones are anybody's, since synchronisation orders them.
inline constexpr std::uint32_t nobody = 0xffff'ffff;
/// In a turn: it is one of the writes to all variables.  No variable has this number.
inline constexpr std::uint32_t all_variables = 0;

/// Who is told of: accesses of all kinds; writes by variable, and versions of reads; or writes to
/// all variables, and of reads by how many writes they come behind.
enum class Method : std::uint32_t { none = 0, leap = 1, stride = 2, global_writes = 3 };

/// Which accesses need not be told of, as a list says that was given: a file beside those of the
/// threads, of numbers of eight bytes.  First how many sites are switched off, and those; then the
/// same of those whose writes are in no order.  A site is the return address of a hook's call, from
/// where the program's image begins; ascending.
inline constexpr const char* protected_sites_file = "protected-sites";

/// What runs in the program's place: a file beside those, too.
inline constexpr const char* image_file = "image";

/// `rank_spool::Header::cut` of a thread that has come to more variables than have numbers.
inline constexpr std::uint32_t too_many_variables = 100;
/// Likewise: that has come to a word, or by `global-writes` to any, whose versions are used up.
inline constexpr std::uint32_t too_many_writes = 101;

struct Header {
  rank_spool::Header common;
  std::uint64_t reads;   ///< by the program, from the second thread's start on; not by `leap`
  std::uint64_t others;  ///< likewise: all other accesses
  std::uint64_t fresh;   ///< new variables that are in no record yet
  /// Accesses so far and 1, of which all is written down: those behind are under way, and nobody
  /// has seen anything of them unless by `writes_before`.  0: all of them are whole.
  std::uint64_t whole;
  /// By `global-writes`: of a write that is under way and may be counted among those of all: writes
  /// that came before and 1 (0: it is not counted), and whose the last of them was, or `nobody`.
  std::uint64_t writes_before;
  std::uint32_t writer_before;
  Method method;
  NamedHeap named;
  Groups groups;
};
static_assert(sizeof(Header) <= rank_spool::header_bytes && std::is_trivially_copyable_v<Header>);

}  // namespace orrery::memory_spool
