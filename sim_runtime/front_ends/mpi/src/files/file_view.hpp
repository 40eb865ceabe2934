// What a rank sees of a file (MPI 3.1, section 13.3).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "types/datatypes.hpp"

namespace orrery::mpi {

/// How values are written down in a file (section 13.5).
enum class DataRepresentation : std::uint8_t { native, internal, external32 };

/// A run of bytes that a file type makes accessible.
struct ViewPiece {
  std::ptrdiff_t offset_bytes = 0;  ///< in the file, from where the file type begins
  std::size_t begin_bytes = 0;      ///< in the data, from where the file type's begin
  std::size_t size_bytes = 0;
};

/// A sequence of elements, with gaps where others' data lie: the file type, again and again, from
/// the displacement on.  Positions are in bytes of data, as if there were no gaps.
struct FileView {
  MPI_Offset displacement_bytes = 0;
  const Datatype* element = nullptr;    ///< the "etype", in which offsets are counted
  const Datatype* file_type = nullptr;  ///< what of the file can be accessed
  DataRepresentation representation = DataRepresentation::native;

  // Worked out of those.
  std::vector<ViewPiece> pieces;
  std::size_t element_bytes = 1;
  std::size_t tile_bytes = 1;            ///< of data in one file type
  std::ptrdiff_t tile_extent_bytes = 1;  ///< from one to the next

  /// Where in the file a byte of data lies.
  [[nodiscard]] MPI_Offset offset_of(std::uint64_t position_bytes) const;
  /// How many elements begin before the end of a file of this size.
  [[nodiscard]] MPI_Offset elements_in(MPI_Offset file_bytes) const;

  /// Calls `visit(offset in the file, place in the data, bytes)` for each run of bytes, until it
  /// gives false.
  template <typename Visitor>
  void for_each_run(std::uint64_t position_bytes, std::size_t size_bytes, Visitor&& visit) const;

 private:
  [[nodiscard]] bool is_seamless() const {
    return pieces.size() == 1 &&
           tile_extent_bytes == static_cast<std::ptrdiff_t>(pieces.front().size_bytes);
  }
  [[nodiscard]] std::size_t piece_at(std::uint64_t rest_bytes) const;
  [[nodiscard]] MPI_Offset tile_offset(std::uint64_t tile) const {
    return displacement_bytes + static_cast<MPI_Offset>(tile) * tile_extent_bytes;
  }
};

/// The view of these types.  Whether they fit together is for the caller to see to.
FileView make_view(MPI_Offset displacement_bytes, const Datatype& element,
                   const Datatype& file_type, DataRepresentation representation);

/// The size and extent of a type in a file.
std::size_t size_in_file(const Datatype& type, DataRepresentation representation);
std::ptrdiff_t extent_in_file(const Datatype& type, DataRepresentation representation);

template <typename Visitor>
void FileView::for_each_run(std::uint64_t position_bytes, std::size_t size_bytes,
                            Visitor&& visit) const {
  if (size_bytes == 0) return;
  if (is_seamless()) {
    visit(offset_of(position_bytes), std::size_t{0}, size_bytes);
    return;
  }
  std::uint64_t tile = position_bytes / tile_bytes;
  std::size_t rest = static_cast<std::size_t>(position_bytes % tile_bytes);
  std::size_t done = 0;
  for (std::size_t at = piece_at(rest); done < size_bytes;) {
    const ViewPiece& piece = pieces[at];
    const std::size_t within = rest - piece.begin_bytes;
    const std::size_t bytes = std::min(piece.size_bytes - within, size_bytes - done);
    const MPI_Offset offset =
        tile_offset(tile) + piece.offset_bytes + static_cast<MPI_Offset>(within);
    if (!visit(offset, done, bytes)) return;
    done += bytes;
    rest += bytes;
    if (++at < pieces.size()) continue;
    at = 0;
    rest = 0;
    ++tile;
  }
}

}  // namespace orrery::mpi
