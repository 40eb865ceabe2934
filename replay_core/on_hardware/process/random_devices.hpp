// Files from which chance comes.
#pragma once

#include <cstdio>

namespace orrery::on_hardware {

[[nodiscard]] bool is_random_device(const char* path);
/// What is read from the descriptor is drawn, or no longer.
void mark_random_device(int file, bool is_one);
[[nodiscard]] bool marks_random_device(int file);
/// Keeps what a stream takes from it at first: as much as fits into its buffer.
void keep_random_stream(std::FILE* stream);

}  // namespace orrery::on_hardware
