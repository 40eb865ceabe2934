// Of std::map, std::set and their like, what lies in the C++ library: how a tree is walked, and how
// it is balanced.  No compiler of ours has seen that, so it is done here, by accesses that are told
// as the caller's.
//
// Red-black trees as in Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", chapter
// 13, in the shape that the library's headers know: a header whose parent is the root, and whose
// children are the first and the last node; whoever is erased is taken out by itself, and its
// successor linked into its place.
#include "wrapped.hpp"

using orrery::hooks::load;
using orrery::hooks::store;

namespace orrery::hooks {
namespace {

/// `std::_Rb_tree_node_base`.
struct TreeNode {
  std::uint32_t color;
  TreeNode* parent;
  TreeNode* children[2];
};

enum Side : unsigned { left = 0, right = 1 };
constexpr Side other(Side side) {
  return side == left ? right : left;
}

constexpr std::uint32_t red = 0;
constexpr std::uint32_t black = 1;

/// The nodes, as a caller accesses them.
class TreeWalk {
 public:
  explicit TreeWalk(std::uintptr_t caller) : caller_(caller) {}

  [[nodiscard]] TreeNode* parent(const TreeNode* node) const { return load(node->parent, caller_); }
  [[nodiscard]] TreeNode* child(const TreeNode* node, Side side) const {
    return load(node->children[side], caller_);
  }
  [[nodiscard]] std::uint32_t color(const TreeNode* node) const {
    return load(node->color, caller_);
  }
  [[nodiscard]] bool is_red(const TreeNode* node) const {
    return node != nullptr && color(node) == red;
  }
  void set_parent(TreeNode* node, TreeNode* parent) const { store(node->parent, parent, caller_); }
  void set_child(TreeNode* node, Side side, TreeNode* child) const {
    store(node->children[side], child, caller_);
  }
  void set_color(TreeNode* node, std::uint32_t color) const { store(node->color, color, caller_); }

  [[nodiscard]] TreeNode* last_of(TreeNode* node, Side side) const {
    while (TreeNode* const next = child(node, side)) node = next;
    return node;
  }
  /// The next node in the order, or the one before it.
  [[nodiscard]] TreeNode* neighbour(TreeNode* node, Side side) const {
    if (TreeNode* const below = child(node, side)) return last_of(below, other(side));
    TreeNode* above = parent(node);
    while (node == child(above, side)) {
      node = above;
      above = parent(above);
    }
    // From the last node of a tree whose root it is, both are the header.
    return side == right && child(node, right) == above ? node : above;
  }

 private:
  std::uintptr_t caller_;
};

/// A tree that changes.
class TreeChange {
 public:
  TreeChange(TreeNode* header, std::uintptr_t caller) : walk_(caller), header_(header) {}

  void insert(TreeNode* node, TreeNode* parent, Side side) const {
    walk_.set_parent(node, parent);
    walk_.set_child(node, left, nullptr);
    walk_.set_child(node, right, nullptr);
    walk_.set_color(node, red);
    const bool is_end = parent == header_ || parent == walk_.child(header_, side);
    walk_.set_child(parent, side, node);
    if (parent == header_) {
      walk_.set_parent(header_, node);
      walk_.set_child(header_, other(side), node);
    } else if (is_end) {
      walk_.set_child(header_, side, node);
    }
    mend_red(node);
  }

  void erase(TreeNode* node) const {
    if (walk_.child(node, left) != nullptr && walk_.child(node, right) != nullptr) {
      erase_inner(node);
    } else {
      erase_outer(node);
    }
  }

 private:
  [[nodiscard]] TreeNode* root() const { return walk_.parent(header_); }

  /// Whoever has `node` below it, has `by` there instead.
  void put_in_place_of(TreeNode* node, TreeNode* by) const {
    TreeNode* const above = walk_.parent(node);
    if (root() == node) {
      walk_.set_parent(header_, by);
    } else {
      walk_.set_child(above, walk_.child(above, left) == node ? left : right, by);
    }
    if (by != nullptr) walk_.set_parent(by, above);
  }

  /// Its child at the other side comes above it.
  void rotate(TreeNode* node, Side side) const {
    TreeNode* const up = walk_.child(node, other(side));
    TreeNode* const middle = walk_.child(up, side);
    walk_.set_child(node, other(side), middle);
    if (middle != nullptr) walk_.set_parent(middle, node);
    put_in_place_of(node, up);
    walk_.set_child(up, side, node);
    walk_.set_parent(node, up);
  }

  /// The node is red; so may its parent be, which must not be.
  void mend_red(TreeNode* node) const {
    while (node != root() && walk_.is_red(walk_.parent(node))) {
      TreeNode* parent = walk_.parent(node);
      TreeNode* const above = walk_.parent(parent);
      const Side side = walk_.child(above, left) == parent ? left : right;
      TreeNode* const uncle = walk_.child(above, other(side));
      walk_.set_color(above, red);
      if (walk_.is_red(uncle)) {
        walk_.set_color(parent, black);
        walk_.set_color(uncle, black);
        node = above;
        continue;
      }
      if (node == walk_.child(parent, other(side))) {
        rotate(parent, side);
        parent = node;
      }
      walk_.set_color(parent, black);
      rotate(above, other(side));
      break;
    }
    walk_.set_color(root(), black);
  }

  /// With at most one child, which takes its place.
  void erase_outer(TreeNode* node) const {
    TreeNode* const above = walk_.parent(node);
    const Side side = walk_.child(node, left) != nullptr ? left : right;
    TreeNode* const child = walk_.child(node, side);
    const bool was_black = walk_.color(node) == black;
    put_in_place_of(node, child);
    take_from_end(left, node, child, above);
    take_from_end(right, node, child, above);
    if (was_black) mend_black(child, above);
  }

  /// It may have been the first or the last one.
  void take_from_end(Side end, const TreeNode* node, TreeNode* child, TreeNode* above) const {
    if (walk_.child(header_, end) != node) return;
    walk_.set_child(header_, end, child != nullptr ? walk_.last_of(child, end) : above);
  }

  /// With two children: its successor takes its place.
  void erase_inner(TreeNode* node) const {
    TreeNode* const next = walk_.last_of(walk_.child(node, right), left);
    TreeNode* const child = walk_.child(next, right);
    const bool was_black = walk_.color(next) == black;
    TreeNode* above = walk_.parent(next);
    if (above == node) {
      above = next;
    } else {
      if (child != nullptr) walk_.set_parent(child, above);
      walk_.set_child(above, left, child);
      TreeNode* const below = walk_.child(node, right);
      walk_.set_child(next, right, below);
      walk_.set_parent(below, next);
    }
    TreeNode* const before = walk_.child(node, left);
    walk_.set_child(next, left, before);
    walk_.set_parent(before, next);
    put_in_place_of(node, next);
    walk_.set_color(next, walk_.color(node));
    if (was_black) mend_black(child, above);
  }

  /// The paths through this child, which may be none, have one black node too few.
  void mend_black(TreeNode* node, TreeNode* parent) const {
    while (node != root() && !walk_.is_red(node)) {
      const Side side = walk_.child(parent, left) == node ? left : right;
      TreeNode* sibling = walk_.child(parent, other(side));
      if (walk_.is_red(sibling)) {
        walk_.set_color(sibling, black);
        walk_.set_color(parent, red);
        rotate(parent, side);
        sibling = walk_.child(parent, other(side));
      }
      const bool is_near_red = walk_.is_red(walk_.child(sibling, side));
      const bool is_far_red = walk_.is_red(walk_.child(sibling, other(side)));
      if (!is_near_red && !is_far_red) {
        walk_.set_color(sibling, red);
        node = parent;
        parent = walk_.parent(parent);
        continue;
      }
      if (!is_far_red) {
        walk_.set_color(walk_.child(sibling, side), black);
        walk_.set_color(sibling, red);
        rotate(sibling, other(side));
        sibling = walk_.child(parent, other(side));
      }
      walk_.set_color(sibling, walk_.color(parent));
      walk_.set_color(parent, black);
      walk_.set_color(walk_.child(sibling, other(side)), black);
      rotate(parent, side);
      break;
    }
    if (node != nullptr) walk_.set_color(node, black);
  }

  TreeWalk walk_;
  TreeNode* header_;
};

/// The header comes behind the last node, and is the only red one that is its parent's parent.
TreeNode* previous(TreeNode* node, std::uintptr_t caller) {
  const TreeWalk walk(caller);
  const bool is_header = walk.is_red(node) && walk.parent(walk.parent(node)) == node;
  return is_header ? walk.child(node, right) : walk.neighbour(node, left);
}

}  // namespace
}  // namespace orrery::hooks

using namespace orrery::hooks;

ORRERY_WRAP(TreeNode*, _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, (TreeNode * node)) {
  return TreeWalk(ORRERY_CALLER).neighbour(node, right);
}

ORRERY_WRAP(TreeNode*, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, (TreeNode * node)) {
  return TreeWalk(ORRERY_CALLER).neighbour(node, right);
}

ORRERY_WRAP(TreeNode*, _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, (TreeNode * node)) {
  return previous(node, ORRERY_CALLER);
}

ORRERY_WRAP(TreeNode*, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, (TreeNode * node)) {
  return previous(node, ORRERY_CALLER);
}

ORRERY_WRAP(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
            (bool is_left, TreeNode* node, TreeNode* parent, TreeNode* header)) {
  TreeChange(header, ORRERY_CALLER).insert(node, parent, is_left ? left : right);
}

ORRERY_WRAP(TreeNode*, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
            (TreeNode * node, TreeNode* header)) {
  TreeChange(header, ORRERY_CALLER).erase(node);
  return node;
}
