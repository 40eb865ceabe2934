// The slot, and the note by which a host finds it.
#include "atomic_hooks.hpp"

OrreryHooks* orrery_hooks_slot = nullptr;

__asm__(
    "  .section .note.orrery, \"aR\", @note\n"
    "  .balign 4\n"
    "  .long 7, 8, 2\n"
    "  .asciz \"Orrery\"\n"
    "  .balign 4\n"
    "  .long 1\n"
    "  .long orrery_hooks_slot - .\n"
    "  .previous\n");
static_assert(ORRERY_HOOKS_NOTE == 2 && ORRERY_HOOKS_VERSION == 1 && sizeof(OrreryHooksNote) == 8,
              "as in the note above");

namespace orrery::hooks {

void ask_host(OrreryAtomicOperation& operation) {
  orrery_hooks_slot->atomic(orrery_hooks_slot, &operation);
}

}  // namespace orrery::hooks
