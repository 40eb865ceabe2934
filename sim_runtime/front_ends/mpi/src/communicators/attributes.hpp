// What programs keep with communicators, types and windows (MPI 3.1, section 6.7).
#pragma once

#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

#include "handles/handles.hpp"

namespace orrery::mpi {

struct Call;
struct ErrorOwner;
struct RankState;

/// What has attributes.  Keys are for one of them.
enum class AttributeKind : std::uint8_t { communicator, datatype, window };

/// Functions of programs.
using AttributeCopy = std::variant<MPI_Comm_copy_attr_function*, MPI_Type_copy_attr_function*,
                                   MPI_Win_copy_attr_function*>;
using AttributeDelete = std::variant<MPI_Comm_delete_attr_function*, MPI_Type_delete_attr_function*,
                                     MPI_Win_delete_attr_function*>;

/// What MPI_Comm_create_keyval and its kin make.
struct Keyval {
  AttributeKind kind = AttributeKind::communicator;
  AttributeCopy copy;
  AttributeDelete remove;
  void* extra_state = nullptr;
  bool freed = false;      ///< by the program
  std::uint32_t uses = 0;  ///< attributes that have it: until the last of them goes, it is a key
  CallSite made{};
  [[nodiscard]] bool is_gone() const { return freed && uses == 0; }
};

/// The keys of one rank.  Numbers are never used again, so that one that was kept too long is seen.
class Keyvals {
 public:
  /// Gives its number.
  int add(const Keyval& keyval);
  /// Null: there never was such a key.
  [[nodiscard]] Keyval* find(int number);
  template <typename Visitor>
  void for_each(Visitor&& visit) const {
    for (const Keyval& keyval : keyvals_) visit(keyval);
  }

 private:
  std::deque<Keyval> keyvals_;
};

/// What the predefined keys of communicators give (section 8.1.2).  Programs are given the
/// addresses, so each rank has values of its own.
struct PredefinedAttributes {
  int tag_upper_bound = 0x7fffffff;
  int host = MPI_PROC_NULL;
  int io = MPI_ANY_SOURCE;
  int clock_is_global = 1;
  int application_number = 0;
  int last_used_code = MPI_ERR_LASTCODE;
  int universe_size = 0;
  /// Null: no such key.
  [[nodiscard]] int* find(int keyval);
};

/// The attributes of one object, in the order in which they were set first.
class AttributeList {
 public:
  struct Attribute {
    int keyval = MPI_KEYVAL_INVALID;
    void* value = nullptr;
  };
  [[nodiscard]] const Attribute* find(int keyval) const;
  /// Puts a new one at the end, or changes the one that is there.
  void put(int keyval, void* value);
  void remove(int keyval);
  [[nodiscard]] const std::vector<Attribute>& all() const { return attributes_; }

 private:
  std::vector<Attribute> attributes_;
};

/// An object with attributes, for a call.
struct AttributeHolder {
  AttributeKind kind = AttributeKind::communicator;
  void* handle = nullptr;  ///< as the program knows it: what callbacks are given
  AttributeList* attributes = nullptr;
  const ErrorOwner* errors = nullptr;  ///< null: MPI_COMM_WORLD's handler is told of errors
};

/// A key for objects of that kind, which the functions are for, too.
int create_keyval(const Call& call, AttributeKind kind, AttributeCopy copy, AttributeDelete remove,
                  int* number, void* extra_state);
int free_keyval(const Call& call, AttributeKind kind, int* number);

/// What the functions of section 6.7 do, once the object is known.  Callbacks of the program run
/// inside, and may fail: then their code is handed on.
int set_attribute(const Call& call, const AttributeHolder& holder, int keyval, void* value);
int get_attribute(const Call& call, const AttributeHolder& holder, int keyval, void* value,
                  int* flag);
int delete_attribute(const Call& call, const AttributeHolder& holder, int keyval);
/// For a duplicate, whose list is `to`.
int copy_attributes(const Call& call, const AttributeHolder& from, AttributeList& to);
/// Before the object goes: the attribute that was set last goes first.
int delete_attributes(const Call& call, const AttributeHolder& holder);

}  // namespace orrery::mpi
