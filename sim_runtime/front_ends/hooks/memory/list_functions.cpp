// Of std::list, what lies in the C++ library: how nodes are linked.  It is done here, by accesses
// that are told as the caller's.
#include "wrapped.hpp"

using orrery::hooks::load;
using orrery::hooks::store;

namespace orrery::hooks {
namespace {

/// `std::__detail::_List_node_base`: of a ring, in which the list itself is one.
struct ListNode {
  ListNode* next;
  ListNode* previous;
};

/// The nodes, as a caller accesses them.
class Links {
 public:
  explicit Links(std::uintptr_t caller) : caller_(caller) {}

  [[nodiscard]] ListNode* next(const ListNode* node) const { return load(node->next, caller_); }
  [[nodiscard]] ListNode* previous(const ListNode* node) const {
    return load(node->previous, caller_);
  }
  void set_next(ListNode* node, ListNode* next) const { store(node->next, next, caller_); }
  void set_previous(ListNode* node, ListNode* previous) const {
    store(node->previous, previous, caller_);
  }

  /// `second` comes behind `first`.
  void link(ListNode* first, ListNode* second) const {
    set_next(first, second);
    set_previous(second, first);
  }

  /// A ring of one is that of `from`, which is no more in it.
  void take_ring(ListNode* to, ListNode* first, ListNode* last, const ListNode* from) const {
    if (first == from) return link(to, to);
    link(to, first);
    link(last, to);
  }

 private:
  std::uintptr_t caller_;
};

}  // namespace
}  // namespace orrery::hooks

using namespace orrery::hooks;

ORRERY_WRAP(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_,
            (ListNode * node, ListNode* behind)) {
  const Links links(ORRERY_CALLER);
  links.link(links.previous(behind), node);
  links.link(node, behind);
}

ORRERY_WRAP(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, (ListNode * node)) {
  const Links links(ORRERY_CALLER);
  ListNode* const next = links.next(node);
  links.link(links.previous(node), next);
}

// From `first` on up to `last`, which stays.
ORRERY_WRAP(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
            (ListNode * behind, ListNode* first, ListNode* last)) {
  if (behind == last) return;
  const Links links(ORRERY_CALLER);
  ListNode* const end = links.previous(last);
  ListNode* const before_first = links.previous(first);
  ListNode* const before = links.previous(behind);
  links.link(before_first, last);
  links.link(before, first);
  links.link(end, behind);
}

ORRERY_WRAP(void, _ZNSt8__detail15_List_node_base10_M_reverseEv, (ListNode * ring)) {
  const Links links(ORRERY_CALLER);
  ListNode* node = ring;
  do {
    ListNode* const next = links.next(node);
    links.set_next(node, links.previous(node));
    links.set_previous(node, next);
    node = next;
  } while (node != ring);
}

ORRERY_WRAP(void, _ZNSt8__detail15_List_node_base4swapERS0_S1_, (ListNode * one, ListNode* other)) {
  const Links links(ORRERY_CALLER);
  ListNode* const first = links.next(one);
  ListNode* const last = links.previous(one);
  links.take_ring(one, links.next(other), links.previous(other), other);
  links.take_ring(other, first, last, one);
}
