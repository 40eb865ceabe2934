// MPI 3.1, sections 6.7 and 15: attributes of communicators, with their older names, and of types.
#include "calls/call.hpp"
#include "communicators/communicator_making.hpp"

using namespace orrery::mpi;

namespace {

int find_holder(const Call& call, MPI_Comm comm, AttributeHolder& holder) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  holder = holder_of(call.state, *communicator);
  return MPI_SUCCESS;
}

int find_holder(const Call& call, MPI_Datatype type, AttributeHolder& holder) {
  const Datatype* found = nullptr;
  if (const int error = call.check_type(nullptr, type, "datatype", found)) return error;
  holder = holder_of(call.state, type, *found);
  return MPI_SUCCESS;
}

template <typename Handle>
int set(const Call& call, Handle object, int keyval, void* value) {
  AttributeHolder holder;
  if (const int error = find_holder(call, object, holder)) return error;
  return set_attribute(call, holder, keyval, value);
}

template <typename Handle>
int remove(const Call& call, Handle object, int keyval) {
  AttributeHolder holder;
  if (const int error = find_holder(call, object, holder)) return error;
  return delete_attribute(call, holder, keyval);
}

int get_of_communicator(const Call& call, MPI_Comm comm, int keyval, void* value, int* flag) {
  AttributeHolder holder;
  if (const int error = find_holder(call, comm, holder)) return error;
  int* const predefined = call.state.predefined_attributes.find(keyval);
  if (predefined == nullptr) return get_attribute(call, holder, keyval, value, flag);
  if (const int error = call.check_result(value, "attribute_val")) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  *static_cast<int**>(value) = predefined;
  *flag = 1;
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                                          MPI_Comm_delete_attr_function* comm_delete_attr_fn,
                                          int* comm_keyval, void* extra_state) {
  const Call call = ORRERY_CALL("MPI_Comm_create_keyval");
  return create_keyval(call, AttributeKind::communicator, comm_copy_attr_fn, comm_delete_attr_fn,
                       comm_keyval, extra_state);
}
ORRERY_PROFILED(MPI_Comm_create_keyval);

ORRERY_MPI_API int MPI_Comm_free_keyval(int* comm_keyval) {
  const Call call = ORRERY_CALL("MPI_Comm_free_keyval");
  return free_keyval(call, AttributeKind::communicator, comm_keyval);
}
ORRERY_PROFILED(MPI_Comm_free_keyval);

ORRERY_MPI_API int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return set(ORRERY_CALL("MPI_Comm_set_attr"), comm, comm_keyval, attribute_val);
}
ORRERY_PROFILED(MPI_Comm_set_attr);

ORRERY_MPI_API int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val,
                                     int* flag) {
  const Call call = ORRERY_CALL("MPI_Comm_get_attr");
  return get_of_communicator(call, comm, comm_keyval, attribute_val, flag);
}
ORRERY_PROFILED(MPI_Comm_get_attr);

ORRERY_MPI_API int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  return remove(ORRERY_CALL("MPI_Comm_delete_attr"), comm, comm_keyval);
}
ORRERY_PROFILED(MPI_Comm_delete_attr);

ORRERY_MPI_API int MPI_Type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                                          MPI_Type_delete_attr_function* type_delete_attr_fn,
                                          int* type_keyval, void* extra_state) {
  const Call call = ORRERY_CALL("MPI_Type_create_keyval");
  return create_keyval(call, AttributeKind::datatype, type_copy_attr_fn, type_delete_attr_fn,
                       type_keyval, extra_state);
}
ORRERY_PROFILED(MPI_Type_create_keyval);

ORRERY_MPI_API int MPI_Type_free_keyval(int* type_keyval) {
  const Call call = ORRERY_CALL("MPI_Type_free_keyval");
  return free_keyval(call, AttributeKind::datatype, type_keyval);
}
ORRERY_PROFILED(MPI_Type_free_keyval);

ORRERY_MPI_API int MPI_Type_set_attr(MPI_Datatype type, int type_keyval, void* attr_val) {
  return set(ORRERY_CALL("MPI_Type_set_attr"), type, type_keyval, attr_val);
}
ORRERY_PROFILED(MPI_Type_set_attr);

ORRERY_MPI_API int MPI_Type_get_attr(MPI_Datatype type, int type_keyval, void* attribute_val,
                                     int* flag) {
  const Call call = ORRERY_CALL("MPI_Type_get_attr");
  AttributeHolder holder;
  if (const int error = find_holder(call, type, holder)) return error;
  return get_attribute(call, holder, type_keyval, attribute_val, flag);
}
ORRERY_PROFILED(MPI_Type_get_attr);

ORRERY_MPI_API int MPI_Type_delete_attr(MPI_Datatype type, int type_keyval) {
  return remove(ORRERY_CALL("MPI_Type_delete_attr"), type, type_keyval);
}
ORRERY_PROFILED(MPI_Type_delete_attr);

ORRERY_MPI_API int MPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn,
                                     int* keyval, void* extra_state) {
  const Call call = ORRERY_CALL("MPI_Keyval_create");
  return create_keyval(call, AttributeKind::communicator, copy_fn, delete_fn, keyval, extra_state);
}
ORRERY_PROFILED(MPI_Keyval_create);

ORRERY_MPI_API int MPI_Keyval_free(int* keyval) {
  return free_keyval(ORRERY_CALL("MPI_Keyval_free"), AttributeKind::communicator, keyval);
}
ORRERY_PROFILED(MPI_Keyval_free);

ORRERY_MPI_API int MPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val) {
  return set(ORRERY_CALL("MPI_Attr_put"), comm, keyval, attribute_val);
}
ORRERY_PROFILED(MPI_Attr_put);

ORRERY_MPI_API int MPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  const Call call = ORRERY_CALL("MPI_Attr_get");
  return get_of_communicator(call, comm, keyval, attribute_val, flag);
}
ORRERY_PROFILED(MPI_Attr_get);

ORRERY_MPI_API int MPI_Attr_delete(MPI_Comm comm, int keyval) {
  return remove(ORRERY_CALL("MPI_Attr_delete"), comm, keyval);
}
ORRERY_PROFILED(MPI_Attr_delete);
