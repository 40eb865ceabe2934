#include "file_view.hpp"

#include "types/external32.hpp"

namespace orrery::mpi {
namespace {

std::vector<ViewPiece> pieces_of(const Datatype& type, DataRepresentation representation) {
  std::vector<ViewPiece> pieces;
  std::size_t begin = 0;
  for_each_run(type, 1, [&](std::ptrdiff_t offset, Builtin basic, std::size_t values) {
    const std::size_t bytes = values * size_in_file(builtin_type(basic), representation);
    const bool goes_on =
        !pieces.empty() &&
        pieces.back().offset_bytes + static_cast<std::ptrdiff_t>(pieces.back().size_bytes) ==
            offset;
    if (goes_on) {
      pieces.back().size_bytes += bytes;
    } else {
      pieces.push_back({offset, begin, bytes});
    }
    begin += bytes;
  });
  return pieces;
}

}  // namespace

std::size_t size_in_file(const Datatype& type, DataRepresentation representation) {
  return representation == DataRepresentation::external32 ? external_size_bytes(type, 1)
                                                          : type.size_bytes;
}

// Displacements that a program has given in bytes are those of the file; what is without gaps in
// memory is so in the file.
std::ptrdiff_t extent_in_file(const Datatype& type, DataRepresentation representation) {
  return type.is_contiguous() ? static_cast<std::ptrdiff_t>(size_in_file(type, representation))
                              : type.extent_bytes();
}

FileView make_view(MPI_Offset displacement_bytes, const Datatype& element,
                   const Datatype& file_type, DataRepresentation representation) {
  FileView view;
  view.displacement_bytes = displacement_bytes;
  view.element = &element;
  view.file_type = &file_type;
  view.representation = representation;
  view.pieces = pieces_of(file_type, representation);
  view.element_bytes = size_in_file(element, representation);
  view.tile_bytes = size_in_file(file_type, representation);
  view.tile_extent_bytes = extent_in_file(file_type, representation);
  return view;
}

std::size_t FileView::piece_at(std::uint64_t rest_bytes) const {
  const auto after = std::upper_bound(
      pieces.begin(), pieces.end(), rest_bytes,
      [](std::uint64_t rest, const ViewPiece& piece) { return rest < piece.begin_bytes; });
  return static_cast<std::size_t>(after - pieces.begin()) - 1;
}

MPI_Offset FileView::offset_of(std::uint64_t position_bytes) const {
  const std::uint64_t rest = position_bytes % tile_bytes;
  const ViewPiece& piece = pieces[piece_at(rest)];
  return tile_offset(position_bytes / tile_bytes) + piece.offset_bytes +
         static_cast<MPI_Offset>(rest - piece.begin_bytes);
}

MPI_Offset FileView::elements_in(MPI_Offset file_bytes) const {
  const MPI_Offset room = file_bytes - displacement_bytes;
  if (room <= 0 || tile_extent_bytes <= 0) return 0;
  const MPI_Offset tiles = room / tile_extent_bytes;
  const MPI_Offset rest = room % tile_extent_bytes;
  auto bytes = static_cast<std::uint64_t>(tiles) * tile_bytes;
  for (const ViewPiece& piece : pieces) {
    if (piece.offset_bytes >= rest) break;
    bytes += std::min(piece.size_bytes, static_cast<std::size_t>(rest - piece.offset_bytes));
  }
  return static_cast<MPI_Offset>((bytes + element_bytes - 1) / element_bytes);
}

}  // namespace orrery::mpi
