// Open files that are no files.
#pragma once

#include <memory>

#include "input_notes.hpp"
#include "open_file.hpp"

namespace orrery::host {

/// Reads the tape from its beginning; null: it is at its end.
[[nodiscard]] std::shared_ptr<OpenFile> make_standard_input(InputTape* tape);
/// 1 or 2: goes to the runtime.
[[nodiscard]] std::shared_ptr<OpenFile> make_standard_output(int number);
/// Bytes that are drawn: choices of the run.
[[nodiscard]] std::shared_ptr<OpenFile> make_random_device(int flags);

/// Draws so many bytes, for the rank whose code runs.
void draw_bytes(void* into, std::size_t bytes, std::uintptr_t program_counter);

}  // namespace orrery::host
