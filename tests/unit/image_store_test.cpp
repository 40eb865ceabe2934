// Where images are kept: budgets, torn files, full disks, and what is refused.
#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/process_image.hpp>

#include "program_builder.hpp"
#include "saved_processes.hpp"

#if !defined(__SANITIZE_ADDRESS__)
namespace {

using orrery::ImageStore;
using orrery::ImageWriter;
using orrery::SavedImage;
using orrery::UsageError;
using orrery::test::end_restored;
using orrery::test::error_of;
using orrery::test::in_process;
using orrery::test::page_bytes;
using orrery::test::Pipe;
using orrery::test::restored;
using orrery::test::say;
using orrery::test::TemporaryDirectory;

/// Saves images of 256 changing pages.
void save_often(const orrery::ImageWriterOptions& options, int images, int descriptor) {
  std::vector<std::uint64_t> numbers(256 * page_bytes / sizeof(std::uint64_t));
  std::mt19937_64 random(1);
  ImageWriter writer(options);
  for (int i = 0; i < images; ++i) {
    for (std::uint64_t& number : numbers) number = random();
    const SavedImage image = writer.save({.rank = 0, .interval = static_cast<std::uint64_t>(i)});
    if (image.kind == SavedImage::Kind::restored) {
      end_restored(image,
                   std::to_string(i) + " " +
                       std::to_string(std::accumulate(numbers.begin(), numbers.end(), 0ULL)));
    }
  }
  say(descriptor, std::to_string(writer.statistics().bytes) + " " + writer.problem());
}

std::uint64_t bytes_in(const std::filesystem::path& directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    bytes += entry.file_size();
  return bytes;
}

}  // namespace

TEST_CASE("Images keep within a budget: the oldest go first") {
  const TemporaryDirectory directory;
  const auto images = directory / "images";
  SECTION("of images") {
    in_process([&](int descriptor) {
      save_often({.directory = images, .budget = {.images = 10}}, 33, descriptor);
    });
    const ImageStore store(images);
    CHECK(store.images().size() <= 10);
    CHECK(store.images().size() >= 7);
    CHECK(store.dropped() + store.images().size() == 33);
    CHECK(restored(store, 32).substr(0, 3) == "32 ");
    CHECK(restored(store, store.dropped()).substr(0, 2) == std::to_string(store.dropped()));
    CHECK(error_of([&] {
            static_cast<void>(store.restore(0, 1));
          }).find("checkpoint 0 was dropped to keep within the budget") != std::string::npos);
    CHECK(error_of([&] {
            static_cast<void>(store.restore(33, 1));
          }).find("there is no checkpoint 33") != std::string::npos);
  }
  SECTION("of bytes") {
    constexpr std::uint64_t budget = std::uint64_t{48} << 20U;
    in_process([&](int descriptor) {
      save_often({.directory = images, .budget = {.bytes = budget}}, 100, descriptor);
    });
    const ImageStore store(images);
    CHECK(bytes_in(images) <= budget);
    CHECK(store.dropped() > 0);
    CHECK(store.images().size() > 10);
    CHECK(restored(store, 99).substr(0, 3) == "99 ");
  }
}

TEST_CASE("Budgets are counts or sizes") {
  CHECK(orrery::image_budget("500", "--keep-checkpoints").images == 500);
  CHECK(orrery::image_budget("64k", "--keep-checkpoints").bytes == 65'536);
  CHECK(orrery::image_budget("10G", "--keep-checkpoints").bytes == std::uint64_t{10} << 30U);
  for (const char* wrong : {"", "0", "0M", "-1", "many", "1.5G", "3X", "20000000000T"}) {
    INFO(wrong);
    CHECK_THROWS_AS(orrery::image_budget(wrong, "--keep-checkpoints"), UsageError);
  }
}

TEST_CASE("What was complete when a process was killed can be restored") {
  const TemporaryDirectory directory;
  const auto images = directory / "images";
  for (const unsigned microseconds : {20'000U, 60'000U, 110'000U, 190'000U}) {
    Pipe pipe;
    const pid_t process = fork();
    if (process == 0) {
      save_often({.directory = images, .group_images = 8}, 1'000'000, pipe.writer());
    }
    while (!std::filesystem::exists(images)) usleep(100);
    usleep(microseconds);
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    const ImageStore store(images);
    for (const auto& image : store.images()) {
      if (image.number % 5 != 0 && image.number + 3 < store.images().size()) continue;
      CHECK(restored(store, image.number).find(std::to_string(image.number) + " ") == 0);
    }
    std::filesystem::remove_all(images);
  }
}

TEST_CASE("A torn file has the images before the tear, and a damaged one is refused") {
  const TemporaryDirectory directory;
  const auto images = directory / "images";
  in_process([&](int descriptor) { save_often({.directory = images}, 6, descriptor); });
  std::filesystem::path group;
  for (const auto& entry : std::filesystem::directory_iterator(images)) {
    if (entry.path().filename() != "writer.lock") group = entry.path();
  }
  const auto bytes = std::filesystem::file_size(group);
  SECTION("cut") {
    std::size_t whole = 6;
    for (std::uintmax_t cut = bytes - 1; cut > bytes / 8; cut -= bytes / 29) {
      std::filesystem::resize_file(group, cut);
      const ImageStore store(images);
      CHECK(store.torn().size() == 1);
      CHECK(store.images().size() <= whole);
      whole = store.images().size();
      if (whole > 0) CHECK(restored(store, whole - 1).find(std::to_string(whole - 1)) == 0);
    }
    CHECK(whole < 5);
    std::filesystem::resize_file(group, 10);
    CHECK(ImageStore(images).images().empty());
  }
  SECTION("damaged") {
    std::fstream file(group, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(2000));
    file.write("\x13\x37\x42\x99", 4);
    file.close();
    const ImageStore store(images);
    CHECK(error_of([&] { static_cast<void>(store.restore(0, 1)); }).find("damaged") !=
          std::string::npos);
  }
  SECTION("of another kind") {
    std::ofstream(group) << std::string(10'000, 'x');
    CHECK(error_of([&] { const ImageStore store(images); }).find("no checkpoints") !=
          std::string::npos);
  }
}

TEST_CASE("Nothing more is saved on a full disk, and what was saved stays") {
  const TemporaryDirectory directory;
  const auto images = directory / "images";
  const std::string said = in_process([&](int descriptor) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{8U << 20U, 8U << 20U};
    setrlimit(RLIMIT_FSIZE, &limit);
    save_often({.directory = images}, 100, descriptor);
  });
  CHECK(said.find("no checkpoints from here on: ") != std::string::npos);
  const ImageStore store(images);
  REQUIRE(!store.images().empty());
  CHECK(store.images().size() < 100);
  CHECK(store.torn().empty());
  const std::uint64_t last = store.images().size() - 1;
  CHECK(restored(store, last).find(std::to_string(last) + " ") == 0);
}

TEST_CASE("Images that cannot be kept are refused at once") {
  const TemporaryDirectory directory;
  const auto images = directory / "images";
  const auto file = directory / "file";
  std::ofstream(file) << "in the way";
  CHECK(error_of([&] {
          const ImageWriter writer({.directory = file});
        }).find("checkpoints cannot be kept there") != std::string::npos);
  CHECK(error_of([&] {
          const ImageWriter writer({.directory = images, .budget = {.images = 0}});
        }).find("--keep-checkpoints") != std::string::npos);
  CHECK(error_of([&] {
          const ImageWriter one({.directory = images});
          const ImageWriter other({.directory = images});
        }).find("another run keeps its checkpoints there") != std::string::npos);
  CHECK(error_of([&] {
          const ImageStore store(directory / "none");
        }).find("there are no checkpoints") != std::string::npos);
  const std::string threads = in_process([&](int) {
    ImageWriter writer({.directory = images});
    std::thread other([] { pause(); });
    other.detach();
    static_cast<void>(writer.save({}));
  });
  CHECK(threads.find("several threads") != std::string::npos);
}
#endif
