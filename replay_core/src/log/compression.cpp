#include "compression.hpp"

#include <zstd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

std::vector<std::byte> compressed(std::span<const std::byte> content) {
  constexpr int level = 9;
  std::vector<std::byte> result(ZSTD_compressBound(content.size()));
  const std::size_t size =
      ZSTD_compress(result.data(), result.size(), content.data(), content.size(), level);
  ensure(ZSTD_isError(size) == 0, "zstd compresses what there is room for");
  result.resize(size);
  return result;
}

std::optional<std::vector<std::byte>> decompressed(std::span<const std::byte> bytes,
                                                   std::size_t content_bytes) {
  // One frame and nothing behind it, which also says how large its content is.
  if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != content_bytes) return std::nullopt;
  if (ZSTD_findFrameCompressedSize(bytes.data(), bytes.size()) != bytes.size()) return std::nullopt;
  std::vector<std::byte> result(content_bytes);
  const std::size_t size =
      ZSTD_decompress(result.data(), result.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0 || size != content_bytes) return std::nullopt;
  return result;
}

}  // namespace orrery::detail
