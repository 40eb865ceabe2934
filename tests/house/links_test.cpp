// That links between pages lead somewhere: to a file, and to a heading in it.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace fs = std::filesystem;

namespace {

const fs::path root = ORRERY_SOURCE_DIR;

/// A heading as links name it: small letters, hyphens for blanks, nothing else but digits.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (std::isalnum(letter) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(letter));
    }
  }
  return anchor;
}

struct Page {
  std::set<std::string> anchors;
  std::vector<std::string> links;
};

void add_links(const std::string& line, Page& page) {
  for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
    const std::size_t end = line.find(')', at);
    if (end != std::string::npos) page.links.push_back(line.substr(at + 2, end - at - 2));
  }
}

Page read_page(const fs::path& path) {
  Page page;
  std::ifstream in(path);
  bool is_code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) is_code = !is_code;
    if (is_code) continue;
    const std::size_t level = line.find_first_not_of('#');
    const bool is_heading = level != 0 && level != std::string::npos && line[level] == ' ';
    if (is_heading) page.anchors.insert(anchor_of(line.substr(level + 1)));
    add_links(line, page);
  }
  return page;
}

std::vector<fs::path> all_pages() {
  std::vector<fs::path> pages;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const std::string name = entry->path().filename();
    const bool is_ours = !name.starts_with('.') && !name.starts_with("build");
    if (entry->is_directory() && !is_ours) entry.disable_recursion_pending();
    if (entry->is_regular_file() && entry->path().extension() == ".md") {
      pages.push_back(entry->path());
    }
  }
  return pages;
}

}  // namespace

TEST_CASE("Links between pages lead to files, and to headings in them") {
  const std::vector<fs::path> pages = all_pages();
  REQUIRE(pages.size() > 60);
  std::size_t count = 0;
  for (const fs::path& from : pages) {
    for (const std::string& link : read_page(from).links) {
      if (link.find("://") != std::string::npos) continue;
      INFO(fs::relative(from, root).string() << ": " << link);
      const std::size_t hash = link.find('#');
      const std::string file = link.substr(0, hash);
      const fs::path to = file.empty() ? from : from.parent_path() / file;
      CHECK(fs::exists(to));
      if (hash == std::string::npos || !fs::exists(to)) continue;
      CHECK(read_page(to).anchors.contains(link.substr(hash + 1)));
      ++count;
    }
  }
  CHECK(count > 5);
}
