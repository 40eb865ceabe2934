// What tells the variables of a run apart, and what is known of each.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include <orrery/sim_runtime/operation.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

#include "forgotten_memory.hpp"

namespace orrery::detail {

/// What tells variables apart within a run, and where they lie.  What an unchanged program has in
/// one word of eight bytes is one variable, whatever it is used as: a futex is also an atomic.
class VariableKeys {
 public:
  struct Known {
    std::uint64_t key = 0;
    VariablePlace place;
  };
  void clear() { known_.clear(); }
  const Known& of(ObjectId object);
  /// The word of memory so many words behind that of a place.
  [[nodiscard]] static Known word_behind(const VariablePlace& place, std::uint64_t words);

 private:
  std::unordered_map<std::uint64_t, Known> known_;  // by object
};

/// Does an operation wake those who sleep on a word of memory?  Who does so has used the word
/// before, and they may have gone on by that: so what it wakes them by is still what it used, even
/// where the word lay on the stack of a thread that has ended.
[[nodiscard]] inline bool is_wake(OperationKind kind, const VariablePlace& place) {
  return kind == OperationKind::condition_notify && place.is_futex;
}

/// One value for each variable, until the memory that this lies in is handed out anew.
template <typename Value>
class ByVariable {
 public:
  void clear() { values_.clear(); }
  /// What was there last, whether or not it was forgotten.  Null: nothing.
  [[nodiscard]] const Value* last(const VariableKeys::Known& variable) const {
    const auto found = values_.find(variable.key);
    return found == values_.end() ? nullptr : &found->second.value;
  }
  /// Null: there is none.
  [[nodiscard]] const Value* find(const VariableKeys::Known& variable,
                                  const ForgottenMemory& forgotten) const {
    const auto found = values_.find(variable.key);
    return found == values_.end() || is_forgotten(found->second, variable, forgotten)
               ? nullptr
               : &found->second.value;
  }
  /// The one that there is, and else, as a new one, `value`.
  std::pair<Value&, bool> add(const VariableKeys::Known& variable, const ForgottenMemory& forgotten,
                              Value value) {
    Dated dated{std::move(value), forgotten.date()};
    const auto [found, is_new] = values_.try_emplace(variable.key, dated);
    const bool is_another = !is_new && is_forgotten(found->second, variable, forgotten);
    if (is_another) found->second = std::move(dated);
    return {found->second.value, is_new || is_another};
  }

 private:
  struct Dated {
    Value value;
    std::uint64_t date = 0;  // of the forgotten memory
  };
  [[nodiscard]] static bool is_forgotten(const Dated& dated, const VariableKeys::Known& variable,
                                         const ForgottenMemory& forgotten) {
    return variable.place.program_address != 0 &&
           forgotten.is_forgotten(variable.place.program_address, dated.date);
  }

  std::unordered_map<std::uint64_t, Dated> values_;  // by key
};

}  // namespace orrery::detail
