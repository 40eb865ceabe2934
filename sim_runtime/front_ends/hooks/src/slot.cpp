// The slot, and the note by which a host finds it.
#include "atomic_hooks.hpp"

OrreryHooks* orrery_hooks_slot = nullptr;

// The names of forty libraries, as a host calls them.
extern "C" {
[[gnu::visibility("hidden")]] extern const char orrery_hooks_room[1024];
[[gnu::used]] const char orrery_hooks_room[1024] = {};
}

__asm__(
    "  .section .note.orrery, \"aR\", @note\n"
    "  .balign 4\n"
    "  .long 7, 16, 2\n"
    "  .asciz \"Orrery\"\n"
    "  .balign 4\n"
    "  .long 3\n"
    "  .long orrery_hooks_slot - .\n"
    "  .long orrery_hooks_room - .\n"
    "  .long 1024\n"
    "  .previous\n");
static_assert(ORRERY_HOOKS_NOTE == 2 && ORRERY_HOOKS_VERSION == 3 && sizeof(OrreryHooksNote) == 16,
              "as in the note above");

namespace orrery::hooks {

void ask_host(OrreryAtomicOperation& operation) {
  orrery_hooks_slot->atomic(orrery_hooks_slot, &operation);
}

}  // namespace orrery::hooks
