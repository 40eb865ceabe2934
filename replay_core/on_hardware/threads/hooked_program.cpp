#include "hooked_program.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <link.h>
#include <orrery_hooks.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/second_image.hpp>

#include "atomic_hooks.hpp"
#include "locked_objects.hpp"
#include "thread_memory.hpp"

namespace orrery::on_hardware {
namespace {

// --- doing them --------------------------------------------------------------------------------

template <typename T>
T taken(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

template <OrreryAtomicKind Kind, typename T>
void update(OrreryAtomicOperation& operation) {
  const T old = hooks::update_natively<Kind, T>(operation.address, taken<T>(operation.operand));
  std::memcpy(operation.value, &old, sizeof old);
}

/// The processor's own: code that is not ours may share the variable.
template <typename T>
void execute_as(OrreryAtomicOperation& operation) {
  switch (operation.kind) {
    case ORRERY_ATOMIC_LOAD: {
      const T value = hooks::load_natively<T>(operation.address);
      std::memcpy(operation.value, &value, sizeof value);
      return;
    }
    case ORRERY_ATOMIC_STORE:
      hooks::update_natively<ORRERY_ATOMIC_EXCHANGE, T>(operation.address,
                                                        taken<T>(operation.operand));
      return;
    case ORRERY_ATOMIC_EXCHANGE: return update<ORRERY_ATOMIC_EXCHANGE, T>(operation);
    case ORRERY_ATOMIC_ADD: return update<ORRERY_ATOMIC_ADD, T>(operation);
    case ORRERY_ATOMIC_SUB: return update<ORRERY_ATOMIC_SUB, T>(operation);
    case ORRERY_ATOMIC_AND: return update<ORRERY_ATOMIC_AND, T>(operation);
    case ORRERY_ATOMIC_OR: return update<ORRERY_ATOMIC_OR, T>(operation);
    case ORRERY_ATOMIC_XOR: return update<ORRERY_ATOMIC_XOR, T>(operation);
    case ORRERY_ATOMIC_NAND: return update<ORRERY_ATOMIC_NAND, T>(operation);
    default: break;
  }
  T expected = taken<T>(operation.value);
  const bool is_written =
      hooks::compare_natively<T>(operation.address, expected, taken<T>(operation.operand));
  operation.has_succeeded = is_written ? 1 : 0;
  if (!is_written) std::memcpy(operation.value, &expected, sizeof expected);
}

void execute_on_bytes(OrreryAtomicOperation& operation) {
  const std::size_t bytes = operation.size_bytes;
  if (operation.kind == ORRERY_ATOMIC_COMPARE_EXCHANGE) {
    const bool is_equal = std::memcmp(operation.address, operation.value, bytes) == 0;
    operation.has_succeeded = is_equal ? 1 : 0;
    if (!is_equal) {
      std::memcpy(operation.value, operation.address, bytes);
    } else {
      std::memcpy(operation.address, operation.operand, bytes);
    }
    return;
  }
  const std::vector<char> wanted(
      static_cast<const char*>(operation.operand),
      static_cast<const char*>(operation.operand) + (operation.operand != nullptr ? bytes : 0));
  if (operation.value != nullptr) std::memcpy(operation.value, operation.address, bytes);
  if (operation.kind != ORRERY_ATOMIC_LOAD) {
    std::memcpy(operation.address, wanted.data(), wanted.size());
  }
}

void execute(OrreryAtomicOperation& operation) {
  switch (operation.size_bytes) {
    case 0: return;  // it only orders
    case 1: return execute_as<std::uint8_t>(operation);
    case 2: return execute_as<std::uint16_t>(operation);
    case 4: return execute_as<std::uint32_t>(operation);
    case 8: return execute_as<std::uint64_t>(operation);
    case sizeof(hooks::Wide): return execute_as<hooks::Wide>(operation);
    default: return execute_on_bytes(operation);
  }
}

// --- recording them ----------------------------------------------------------------------------

OperationKind kind_of(const OrreryAtomicOperation& operation) {
  switch (operation.kind) {
    case ORRERY_ATOMIC_LOAD: return OperationKind::read;
    case ORRERY_ATOMIC_STORE: return OperationKind::write;
    default: return OperationKind::read_modify_write;
  }
}

/// What says of static variables that they are made: a compiler looks at it each time.
std::vector<std::uintptr_t> guards;  // NOLINT: of the process; sorted

bool is_guard(const OrreryAtomicOperation& operation) {
  return operation.kind == ORRERY_ATOMIC_LOAD && operation.size_bytes == 1 &&
         std::binary_search(guards.begin(), guards.end(),
                            reinterpret_cast<std::uintptr_t>(operation.address));
}

std::uint64_t number_in(const void* bytes, std::size_t size) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, size);
  return number;
}

/// Has it left the atomic as it was?  Then `operation.value` is what it found.
bool has_changed_nothing(const OrreryAtomicOperation& operation, std::uint64_t found,
                         std::uint64_t operand) {
  switch (operation.kind) {
    case ORRERY_ATOMIC_LOAD: return true;
    case ORRERY_ATOMIC_COMPARE_EXCHANGE: return operation.has_succeeded == 0;
    case ORRERY_ATOMIC_EXCHANGE: return found == operand;
    case ORRERY_ATOMIC_OR: return (found | operand) == found;
    default: return false;
  }
}

void do_stamped(ThreadRecord& own, SharedObject& object, OrreryAtomicOperation& operation) {
  const std::size_t bytes = operation.size_bytes;
  const bool is_number = bytes <= sizeof(std::uint64_t) && operation.value != nullptr;
  const std::uint64_t operand =
      is_number && operation.operand != nullptr ? number_in(operation.operand, bytes) : 0;
  const std::lock_guard held(object.guard);  // as `count_next` has it
  execute(operation);
  const std::uint64_t found = is_number ? number_in(operation.value, bytes) : 0;
  const bool is_look = is_number && has_changed_nothing(operation, found, operand);
  const Turn turn = next_turn(own, object, /*writes=*/!is_look);
  if (is_look) {
    own.count_poll(kind_of(operation), operation.address, found, turn);
  } else {
    own.count(kind_of(operation), turn);
  }
}

void do_atomic(OrreryHooks*, OrreryAtomicOperation* operation) {
  if (operation->kind == ORRERY_ATOMIC_FENCE) return;  // it has been done
  ThreadRecord* const own = recorded();
  // Nobody can meet a thread that is the only one.
  const bool counts = own != nullptr && process_record.has_threads();
  const bool is_stamped = counts && !is_guard(*operation);
  SharedObject* const object = is_stamped ? shared_word(operation->address) : nullptr;
  if (object == nullptr) return execute(*operation);
  own->before_operation();
  if (ThreadMemory* const memory = own->memory()) {
    const auto address = reinterpret_cast<std::uintptr_t>(operation->address);
    const bool is_write = operation->kind != ORRERY_ATOMIC_LOAD;
    return memory->do_access(address, operation->size_bytes, is_write,
                             [&] { do_stamped(*own, *object, *operation); });
  }
  do_stamped(*own, *object, *operation);
}

// --- accesses to memory --------------------------------------------------------------------------

[[gnu::noinline]] void come_to(ThreadMemory& memory, std::uint64_t address, std::uint64_t bytes,
                               bool is_write, std::uintptr_t caller) {
  if (memory.passes_among_others(address, bytes, is_write, caller)) return;
  if (!process_record.has_threads() || memory.is_left_out(address)) return;
  memory.come_to(address, bytes, is_write, caller);
}

void do_access(OrreryHooks*, OrreryAccess done) {
  ThreadRecord* const own = recorded();
  ThreadMemory* const memory = own != nullptr ? own->memory() : nullptr;
  if (memory == nullptr) return;
  constexpr std::uint64_t address_mask = (std::uint64_t{1} << ORRERY_ACCESS_ADDRESS_BITS) - 1;
  const std::uint64_t address = done.place & address_mask;
  const std::uint64_t bytes = orrery_access_bytes(done);
  const bool is_write = (done.place & ORRERY_ACCESS_WRITE) != 0;
  if (memory->passes(address, bytes, is_write, done.pc)) return;
  come_to(*memory, address, bytes, is_write, done.pc);
}

// --- finding images that call for them -----------------------------------------------------------

/// Nobody says which accesses need not be told: they all are, where somebody wants them.
std::uint8_t nothing_told[4];
OrreryHooks hooks{ORRERY_HOOKS_VERSION, sizeof(OrreryHooks), do_atomic, nullptr, nullptr, do_access,
                  nothing_told,         /*told_mask=*/0};

/// Its note; null: `orrery cc` has not linked it.
const OrreryHooksNote* note_of(const dl_phdr_info& image) {
  const auto padded = [](std::uintptr_t size) { return (size + 3) / 4 * 4; };
  for (int i = 0; i < image.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = image.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    std::uintptr_t at = image.dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const auto* const name = reinterpret_cast<const char*>(note + 1);
      const std::uintptr_t content =
          reinterpret_cast<std::uintptr_t>(name) + padded(note->n_namesz);
      at = content + padded(note->n_descsz);
      constexpr std::string_view owner = "Orrery";
      const bool is_ours = note->n_type == ORRERY_HOOKS_NOTE &&
                           note->n_namesz == owner.size() + 1 &&
                           std::string_view(name, owner.size()) == owner;
      if (is_ours) return reinterpret_cast<const OrreryHooksNote*>(content);
    }
  }
  return nullptr;
}

void add_guards(const char* path, std::uintptr_t base) {
  const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
  if (file < 0) return;
  struct stat status {};
  const bool is_known = fstat(file, &status) == 0 && status.st_size > 0;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const mapped =
      is_known ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  syscall(SYS_close, file);
  if (mapped == MAP_FAILED) return;
  const ElfSections sections({static_cast<const std::byte*>(mapped), bytes});
  const auto addresses = sections.content(sections.find(guards_section));
  for (std::size_t at = 0; at < addresses.size(); at += sizeof(std::uint64_t)) {
    guards.push_back(base + value_at<std::uint64_t>(addresses, at));
  }
  munmap(mapped, bytes);
}

bool are_in_libraries = false;  // NOLINT: of the process

int attach(dl_phdr_info* image, std::size_t, void* into) {
  const OrreryHooksNote* const note = note_of(*image);
  if (note == nullptr || note->version != ORRERY_HOOKS_VERSION) return 0;
  const bool is_program = image->dlpi_name[0] == '\0';
  are_in_libraries = are_in_libraries || !is_program;
  add_guards(is_program ? "/proc/self/exe" : image->dlpi_name, image->dlpi_addr);
  const auto slot = reinterpret_cast<std::uintptr_t>(&note->slot) +
                    static_cast<std::uintptr_t>(static_cast<std::intptr_t>(note->slot));
  *reinterpret_cast<OrreryHooks**>(slot) = &hooks;
  *static_cast<bool*>(into) = true;
  return 0;
}

}  // namespace

bool attach_hooks() {
  bool has_any = false;
  dl_iterate_phdr(attach, &has_any);
  std::sort(guards.begin(), guards.end());
  return has_any;
}

bool has_hooks_in_libraries() {
  return are_in_libraries;
}

}  // namespace orrery::on_hardware
