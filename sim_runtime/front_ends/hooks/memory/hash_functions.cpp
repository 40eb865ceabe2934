// Of std::unordered_map, std::hash and their like, what lies in the C++ library: when a table
// grows, and what bytes come to.
#include <cstddef>

#include "wrapped.hpp"

namespace orrery::hooks {
namespace {

/// `std::__detail::_Prime_rehash_policy`, which functions change that are const.
struct RehashPolicy {
  float max_load_factor;
  std::size_t next_resize;
};

/// Has the library look at a copy.
template <typename Function>
auto with_copy(RehashPolicy* policy, std::uintptr_t caller, const Function& function) {
  RehashPolicy copy{load(policy->max_load_factor, caller), load(policy->next_resize, caller)};
  const std::size_t before = copy.next_resize;
  const auto result = function(&copy);
  if (copy.next_resize != before) store(policy->next_resize, copy.next_resize, caller);
  return result;
}

}  // namespace
}  // namespace orrery::hooks

/// Comes back as the library's `std::pair<bool, std::size_t>` does, and is a type of C's, too.
struct NeedRehash {
  bool is_needed;
  std::size_t buckets;
};

using namespace orrery::hooks;

ORRERY_WRAP(std::size_t, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm,
            (RehashPolicy * policy, std::size_t buckets)) {
  return with_copy(policy, ORRERY_CALLER, [=](RehashPolicy* copy) {
    return real__ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(copy, buckets);
  });
}

ORRERY_WRAP(NeedRehash, _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm,
            (RehashPolicy * policy, std::size_t buckets, std::size_t elements, std::size_t more)) {
  return with_copy(policy, ORRERY_CALLER, [=](RehashPolicy* copy) {
    return real__ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(copy, buckets, elements,
                                                                          more);
  });
}

// Piece by piece where others may have a turn between them: so that what is hashed is what was
// read.
ORRERY_WRAP(std::size_t, _ZSt11_Hash_bytesPKvmm,
            (const void* bytes, std::size_t size, std::size_t seed)) {
  char read[kept_bytes];
  if (!come_one_by_one() || size > kept_bytes) {
    reads(bytes, size, ORRERY_CALLER);
    return real__ZSt11_Hash_bytesPKvmm(bytes, size, seed);
  }
  const char* const begin = static_cast<const char*>(bytes);
  for (std::size_t done = 0; done < size;) {
    const std::size_t piece = rest_of_word(begin + done, size - done);
    reads(begin + done, piece, ORRERY_CALLER);
    for (std::size_t i = done; i < done + piece; ++i) read[i] = begin[i];
    done += piece;
  }
  return real__ZSt11_Hash_bytesPKvmm(read, size, seed);
}
