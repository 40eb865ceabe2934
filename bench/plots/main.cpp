// `./dev plots`: draws the pictures of docs/, and bar charts of tables.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <orrery/network_model/usage_error.hpp>

#include "chart.hpp"
#include "myrinet_plots.hpp"

namespace {

constexpr const char* usage =
    "usage: orrery_plots DIR                            latency and bandwidth of each Myrinet "
    "card\n"
    "       orrery_plots --bars TITLE Y_TITLE OUT.svg   bars of the table on standard input:\n"
    "                                                   NAME,SERIES,... then CATEGORY,NUMBER,...\n";

void write(const std::filesystem::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (file) return;
  throw orrery::UsageError(std::string("cannot write it: ") + std::strerror(errno), path.string(),
                           "give a place that can be written to");
}

void draw_bars(const std::vector<std::string>& words) {
  const std::string table{std::istreambuf_iterator<char>(std::cin), {}};
  orrery::bench::BarChart chart = orrery::bench::bar_chart_of_table(table, "standard input");
  chart.title = words[1];
  chart.y.title = words[2];
  write(words[3], orrery::bench::svg(chart));
}

void draw_cards(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const auto& picture : orrery::bench::myrinet_pictures()) {
    write(directory / picture.file_name, picture.svg);
    std::printf("%s\n", (directory / picture.file_name).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 4 && words[0] == "--bars") {
      draw_bars(words);
    } else if (words.size() == 1 && !words[0].starts_with("-")) {
      draw_cards(words[0]);
    } else {
      std::fputs(usage, stderr);
      return 2;
    }
  } catch (const orrery::UsageError& error) {
    std::fprintf(stderr, "orrery_plots: %s\n", error.what());
    return 2;
  }
  return 0;
}
