// zstd, for blocks of logs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace orrery::detail {

/// The same bytes for the same content wherever it runs with the same library.
[[nodiscard]] std::vector<std::byte> compressed(std::span<const std::byte> content);

/// Nothing if `bytes` is not exactly one frame with `content_bytes` of content.  Never reserves
/// more than that.
[[nodiscard]] std::optional<std::vector<std::byte>> decompressed(std::span<const std::byte> bytes,
                                                                 std::size_t content_bytes);

}  // namespace orrery::detail
