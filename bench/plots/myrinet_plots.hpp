// The pictures of the Myrinet cards.
#pragma once

#include <string>
#include <vector>

namespace orrery::bench {

struct Picture {
  std::string file_name;
  std::string svg;
};

/// Latency and bandwidth over message size: each preset with its published figures, and all of
/// them together.
[[nodiscard]] std::vector<Picture> myrinet_pictures();

}  // namespace orrery::bench
