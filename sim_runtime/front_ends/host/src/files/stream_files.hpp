// The C library's streams, of a program's files.
#pragma once

#include <cstdio>

namespace orrery::host {

class ProcessFiles;

/// A stream on a descriptor of the calling rank, with which it ends; null with `errno`.  To be
/// called in a `FilesCall`.  `mode` as `fopen` has it.
[[nodiscard]] std::FILE* open_stream(ProcessFiles& process, int number, const char* mode);
/// The flags of `open` for a mode of `fopen`; -1 with `errno`.
[[nodiscard]] int flags_of_mode(const char* mode);
/// As at the end of a process: what is buffered is written.
void flush_streams(ProcessFiles& process);
/// As after the end: what is buffered is gone.
void discard_streams(ProcessFiles& process);

}  // namespace orrery::host
