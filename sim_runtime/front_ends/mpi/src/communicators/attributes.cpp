#include "attributes.hpp"

#include <algorithm>

#include "calls/call.hpp"

namespace orrery::mpi {
namespace {

// The numbers before these are the predefined attributes.
constexpr int first_keyval = 32;

const char* noun(AttributeKind kind) {
  if (kind == AttributeKind::communicator) return "a communicator";
  return kind == AttributeKind::datatype ? "a type" : "a window";
}

int fail_keyval(const Call& call, const AttributeHolder& holder, int number) {
  Keyval* const keyval = call.state.keyvals.find(number);
  const char* what = "no attribute key";
  if (number == MPI_KEYVAL_INVALID) what = "MPI_KEYVAL_INVALID";
  if (keyval != nullptr)
    what = keyval->is_gone() ? "a key that was freed" : "a key of another kind";
  if (number >= 0 && number < first_keyval) what = "a predefined key, which programs only read";
  return call.fail(holder.errors, MPI_ERR_KEYVAL,
                   "the attribute key is %d, which is %s, where a key for %s is needed (MPI 3.1, "
                   "section 6.7.2)",
                   number, what, noun(holder.kind));
}

Keyval* find_keyval(const Call& call, const AttributeHolder& holder, int number) {
  Keyval* const keyval = call.state.keyvals.find(number);
  if (keyval == nullptr || keyval->is_gone()) return nullptr;
  return keyval->kind == holder.kind ? keyval : nullptr;
}

// The kind of handle that a callback is given; only its type is wanted.
template <typename Handle, typename... Others>
Handle handle_of(int (*)(Handle, Others...));

int call_copy(const Keyval& keyval, void* object, int number, void* value, void** copied,
              int* flag) {
  const auto call_with = [&](auto* function) {
    return function(static_cast<decltype(handle_of(function))>(object), number, keyval.extra_state,
                    value, static_cast<void*>(copied), flag);
  };
  return std::visit(call_with, keyval.copy);
}

int call_delete(const Keyval& keyval, void* object, int number, void* value) {
  const auto call_with = [&](auto* function) {
    return function(static_cast<decltype(handle_of(function))>(object), number, value,
                    keyval.extra_state);
  };
  return std::visit(call_with, keyval.remove);
}

int fail_callback(const Call& call, const AttributeHolder& holder, const char* which, int number,
                  int code) {
  return call.fail(holder.errors, code,
                   "the %s callback of attribute key %d has returned the error code %d, so this "
                   "call has failed (MPI 3.1, section 6.7.2)",
                   which, number, code);
}

// The value goes: its callback first, which may still find it.
int remove_value(const Call& call, const AttributeHolder& holder, int number) {
  Keyval* const keyval = call.state.keyvals.find(number);
  const AttributeList::Attribute* const attribute = holder.attributes->find(number);
  if (attribute == nullptr) return MPI_SUCCESS;
  const int code = call_delete(*keyval, holder.handle, number, attribute->value);
  if (code != MPI_SUCCESS) return fail_callback(call, holder, "delete", number, code);
  if (holder.attributes->find(number) == nullptr) return MPI_SUCCESS;  // by the callback itself
  holder.attributes->remove(number);
  --keyval->uses;
  return MPI_SUCCESS;
}

}  // namespace

int Keyvals::add(const Keyval& keyval) {
  keyvals_.push_back(keyval);
  return first_keyval + static_cast<int>(keyvals_.size()) - 1;
}

Keyval* Keyvals::find(int number) {
  const int index = number - first_keyval;
  if (index < 0 || index >= static_cast<int>(keyvals_.size())) return nullptr;
  return &keyvals_[static_cast<std::size_t>(index)];
}

int* PredefinedAttributes::find(int keyval) {
  switch (keyval) {
    case MPI_TAG_UB: return &tag_upper_bound;
    case MPI_HOST: return &host;
    case MPI_IO: return &io;
    case MPI_WTIME_IS_GLOBAL: return &clock_is_global;
    case MPI_APPNUM: return &application_number;
    case MPI_LASTUSEDCODE: return &last_used_code;
    case MPI_UNIVERSE_SIZE: return &universe_size;
    default: return nullptr;
  }
}

const AttributeList::Attribute* AttributeList::find(int keyval) const {
  const auto found =
      std::find_if(attributes_.begin(), attributes_.end(),
                   [&](const Attribute& attribute) { return attribute.keyval == keyval; });
  return found == attributes_.end() ? nullptr : &*found;
}

void AttributeList::put(int keyval, void* value) {
  for (Attribute& attribute : attributes_) {
    if (attribute.keyval != keyval) continue;
    attribute.value = value;
    return;
  }
  attributes_.push_back({keyval, value});
}

void AttributeList::remove(int keyval) {
  std::erase_if(attributes_,
                [&](const Attribute& attribute) { return attribute.keyval == keyval; });
}

int create_keyval(const Call& call, AttributeKind kind, AttributeCopy copy, AttributeDelete remove,
                  int* number, void* extra_state) {
  if (const int error = call.check_result(number, "keyval")) return error;
  const auto is_null = [](auto* function) { return function == nullptr; };
  if (std::visit(is_null, copy) || std::visit(is_null, remove))
    return call.fail(
        nullptr, MPI_ERR_ARG,
        "the function that copies or deletes attributes is a null pointer; where there "
        "is nothing to do it is MPI_COMM_NULL_COPY_FN or MPI_COMM_NULL_DELETE_FN, or "
        "what is named so for types and windows (MPI 3.1, section 6.7.2)");
  *number =
      call.state.keyvals.add({kind, copy, remove, extra_state, false, 0, {call.name, call.pc}});
  return MPI_SUCCESS;
}

int free_keyval(const Call& call, AttributeKind kind, int* number) {
  if (const int error = call.check_result(number, "keyval")) return error;
  const AttributeHolder none{kind};
  Keyval* const keyval = find_keyval(call, none, *number);
  if (keyval == nullptr) return fail_keyval(call, none, *number);
  // While attributes have it, it may be freed again: each delete callback might (section 6.7.2).
  keyval->freed = true;
  *number = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

int set_attribute(const Call& call, const AttributeHolder& holder, int number, void* value) {
  Keyval* const keyval = find_keyval(call, holder, number);
  if (keyval == nullptr) return fail_keyval(call, holder, number);
  // The old value is deleted as by a call of its own (section 6.7.2).
  if (const int error = remove_value(call, holder, number)) return error;
  if (holder.attributes->find(number) == nullptr) ++keyval->uses;
  holder.attributes->put(number, value);
  return MPI_SUCCESS;
}

int get_attribute(const Call& call, const AttributeHolder& holder, int number, void* value,
                  int* flag) {
  if (const int error = call.check_result(value, "attribute_val")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  if (find_keyval(call, holder, number) == nullptr) return fail_keyval(call, holder, number);
  const AttributeList::Attribute* const attribute = holder.attributes->find(number);
  *flag = attribute != nullptr ? 1 : 0;
  if (attribute != nullptr) *static_cast<void**>(value) = attribute->value;
  return MPI_SUCCESS;
}

int delete_attribute(const Call& call, const AttributeHolder& holder, int number) {
  if (find_keyval(call, holder, number) == nullptr) return fail_keyval(call, holder, number);
  return remove_value(call, holder, number);
}

int copy_attributes(const Call& call, const AttributeHolder& from, AttributeList& to) {
  // By index: callbacks may set attributes, too.
  for (std::size_t index = 0; index < from.attributes->all().size(); ++index) {
    const AttributeList::Attribute attribute = from.attributes->all()[index];
    Keyval* const keyval = call.state.keyvals.find(attribute.keyval);
    int flag = 0;
    void* copied = nullptr;
    const int code =
        call_copy(*keyval, from.handle, attribute.keyval, attribute.value, &copied, &flag);
    if (code != MPI_SUCCESS) return fail_callback(call, from, "copy", attribute.keyval, code);
    if (flag == 0) continue;
    to.put(attribute.keyval, copied);
    ++keyval->uses;
  }
  return MPI_SUCCESS;
}

int delete_attributes(const Call& call, const AttributeHolder& holder) {
  while (!holder.attributes->all().empty()) {
    const int number = holder.attributes->all().back().keyval;
    if (const int error = remove_value(call, holder, number)) return error;
  }
  return MPI_SUCCESS;
}

AttributeHolder holder_of(RankState& state, MPI_Datatype handle, const Datatype& type) {
  AttributeList& attributes =
      state.types.contains(&type) ? type.attributes : state.type_attributes[type.builtin()];
  return {AttributeKind::datatype, handle, &attributes, nullptr};
}

}  // namespace orrery::mpi
