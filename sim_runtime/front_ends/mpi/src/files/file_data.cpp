#include "file_data.hpp"

#include <cerrno>

#include <unistd.h>

#include "types/external32.hpp"

namespace orrery::mpi {
namespace {

/// Goes on after a part was done; false at an error or the end of the file.
template <typename Step>
bool whole(std::size_t size_bytes, FileResult& result, const Step& step) {
  for (std::size_t done = 0; done < size_bytes;) {
    const ssize_t bytes = step(done);
    if (bytes < 0) result.error_number = errno;
    if (bytes <= 0) return false;
    done += static_cast<std::size_t>(bytes);
    result.size_bytes += static_cast<std::size_t>(bytes);
  }
  return true;
}

FileResult write_runs(const File& file, std::uint64_t position_bytes, const std::byte* from,
                      std::size_t size_bytes) {
  FileResult result;
  file.view.for_each_run(position_bytes, size_bytes,
                         [&](MPI_Offset offset, std::size_t place, std::size_t bytes) {
                           return whole(bytes, result, [&](std::size_t done) {
                             return pwrite(file.descriptor, from + place + done, bytes - done,
                                           offset + static_cast<MPI_Offset>(done));
                           });
                         });
  return result;
}

FileResult read_runs(const File& file, std::uint64_t position_bytes, std::byte* into,
                     std::size_t size_bytes) {
  FileResult result;
  file.view.for_each_run(position_bytes, size_bytes,
                         [&](MPI_Offset offset, std::size_t place, std::size_t bytes) {
                           return whole(bytes, result, [&](std::size_t done) {
                             return pread(file.descriptor, into + place + done, bytes - done,
                                          offset + static_cast<MPI_Offset>(done));
                           });
                         });
  return result;
}

/// In the representation "external32": elements are converted whole.
FileResult move_external(ScratchPool& pool, const File& file, const FileData& data) {
  const std::size_t element_bytes = external_size_bytes(*data.type, 1);
  const std::size_t size = data.count * element_bytes;
  const Scratch external(pool, size);
  FileResult result;
  if (data.writes) {
    pack_external(*data.type, data.count, data.buffer, external.data());
    result = write_runs(file, data.position_bytes, external.data(), size);
  } else {
    result = read_runs(file, data.position_bytes, external.data(), size);
  }
  const std::size_t elements = element_bytes == 0 ? 0 : result.size_bytes / element_bytes;
  if (!data.writes) unpack_external(*data.type, elements, data.buffer, external.data());
  result.size_bytes = elements * data.type->size_bytes;
  return result;
}

}  // namespace

FileResult move_data(ScratchPool& pool, const File& file, const FileData& data) {
  if (file.view.representation == DataRepresentation::external32)
    return move_external(pool, file, data);
  const std::size_t size = data.count * data.type->size_bytes;
  if (data.type->is_contiguous()) {
    auto* const bytes = static_cast<std::byte*>(data.buffer);
    return data.writes ? write_runs(file, data.position_bytes, bytes, size)
                       : read_runs(file, data.position_bytes, bytes, size);
  }
  const Scratch packed(pool, size);
  if (data.writes) {
    pack(*data.type, data.count, data.buffer, packed.data());
    return write_runs(file, data.position_bytes, packed.data(), size);
  }
  const FileResult result = read_runs(file, data.position_bytes, packed.data(), size);
  unpack(*data.type, data.count, data.buffer, packed.data(), result.size_bytes);
  return result;
}

}  // namespace orrery::mpi
