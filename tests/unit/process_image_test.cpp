// Images of processes: what is restored goes on as the process that was saved did.
#include <array>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/replay_core/process_image.hpp>

#include "program_builder.hpp"
#include "saved_processes.hpp"

#if !defined(__SANITIZE_ADDRESS__)
namespace {

using orrery::ImageStore;
using orrery::ImageWriter;
using orrery::MemoryRange;
using orrery::SavedImage;
using orrery::test::end_restored;
using orrery::test::error_of;
using orrery::test::in_process;
using orrery::test::page_bytes;
using orrery::test::Pipe;
using orrery::test::restored;
using orrery::test::say;
using orrery::test::TemporaryDirectory;

thread_local std::uint64_t thread_sum = 0;
volatile std::sig_atomic_t signals_seen = 0;

/// Allocates, frees, writes, reads a file and counts signals, all in an order that a seed gives.
class Computation {
 public:
  explicit Computation(const std::filesystem::path& input)
      : input_(open(input.c_str(), O_RDONLY | O_CLOEXEC)),
        shared_(static_cast<std::uint64_t*>(
            mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    struct sigaction action {};
    action.sa_handler = [](int) { signals_seen = signals_seen + 1; };
    sigaction(SIGUSR1, &action, nullptr);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    std::fesetround(FE_UPWARD);
  }
  void step() {
    const auto bytes = std::size_t{1} << random_() % 18U;
    const std::size_t place = random_() % 64;
    if (blocks_.size() <= place) blocks_.resize(place + 1);
    for (const unsigned char byte : blocks_[place]) sum_ = sum_ * 31 + byte;
    blocks_[place].assign(bytes, static_cast<unsigned char>(sum_));
    blocks_[place][random_() % bytes] ^= 1U;
    thread_sum += sum_;
    *shared_ += thread_sum;
    char byte = 0;
    if (read(input_, &byte, 1) == 1) sum_ += static_cast<unsigned char>(byte);
    if (random_() % 5 == 0) raise(SIGUSR1);
    fraction_ = fraction_ / 3 + 1;
  }
  [[nodiscard]] std::string result() const {
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, nullptr, &blocked);
    return std::to_string(sum_) + " " + std::to_string(*shared_) + " " +
           std::to_string(signals_seen) + " " + std::to_string(sigismember(&blocked, SIGUSR2)) +
           " " + std::to_string(lseek(input_, 0, SEEK_CUR)) + " " +
           std::to_string(fraction_ > 1.5) + std::to_string(std::fegetround() == FE_UPWARD);
  }

 private:
  std::mt19937_64 random_{7};
  std::vector<std::vector<unsigned char>> blocks_;
  std::uint64_t sum_ = 1;
  double fraction_ = 0;
  int input_;
  std::uint64_t* shared_;
};

/// Saves before each of so many steps, and says the result at the end.
void compute_and_save(const std::filesystem::path& directory, std::uint64_t points,
                      int descriptor) {
  std::filesystem::create_directories(directory);
  const auto input = directory / "input";
  std::ofstream(input) << std::string(10'000, 'x') << "and the rest";
  ImageWriter writer({.directory = directory, .group_images = 20});
  auto computation = std::make_unique<Computation>(input);
  for (std::uint64_t i = 0; i < points; ++i) {
    const SavedImage image = writer.save({.rank = 3, .interval = i});
    computation->step();
    if (image.kind != SavedImage::Kind::restored) continue;
    while (++i < points) computation->step();
    end_restored(image, computation->result());
  }
  say(descriptor, computation->result());
}

}  // namespace

TEST_CASE("Each image of a killed process goes on to the same end") {
  const TemporaryDirectory directory;
  constexpr std::uint64_t points = 50;
  const std::string whole = in_process(
      [&](int descriptor) { compute_and_save((directory / "images"), points, descriptor); });
  const ImageStore store(directory / "images");
  REQUIRE(store.images().size() == points);
  CHECK(store.torn().empty());
  CHECK(store.dropped() == 0);
  for (std::uint64_t i = 0; i < points; ++i) {
    INFO("image " << i);
    CHECK(store.images()[i].number == i);
    CHECK(store.images()[i].label.rank == 3);
    CHECK(store.images()[i].label.interval == i);
    CHECK(restored(store, i) == whole);
  }
}

TEST_CASE("Several processes go on from images at once") {
  const TemporaryDirectory directory;
  const std::string whole =
      in_process([&](int descriptor) { compute_and_save((directory / "images"), 10, descriptor); });
  const ImageStore store(directory / "images");
  std::array<Pipe, 4> pipes;
  std::vector<pid_t> processes;
  processes.reserve(pipes.size());
  for (Pipe& pipe : pipes) processes.push_back(store.restore(processes.size() % 2, pipe.writer()));
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    CHECK(pipes[i].read_all() == whole);
    waitpid(processes[i], nullptr, 0);
  }
}

TEST_CASE("Only pages that changed take room, and zero ones none") {
  for (const bool reads_page_table : {false, true}) {
    const TemporaryDirectory directory;
    const std::string pages = in_process([&](int descriptor) {
      ImageWriter writer(
          {.directory = (directory / "images"), .reads_page_table = reads_page_table});
      constexpr std::size_t pages_count = 1024;
      const auto bytes = pages_count * page_bytes;
      auto* const memory = static_cast<unsigned char*>(
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      std::uint64_t before = 0;
      const auto save = [&] {
        static_cast<void>(writer.save({}));
        const std::uint64_t more = writer.statistics().pages_written - before;
        before += more;
        return more;
      };
      save();
      const std::uint64_t own = save();  // what saving itself changes
      std::memset(memory, 0, bytes);
      const std::uint64_t zeros = save();
      std::memset(memory, 1, bytes);
      const std::uint64_t ones = save();
      memory[7 * page_bytes] = 2;
      const std::uint64_t one = save();
      madvise(memory, bytes, MADV_DONTNEED);
      const std::uint64_t none = save();
      const auto is_small = [](std::uint64_t count) { return count < 16; };
      say(descriptor, std::to_string(is_small(own)) + std::to_string(is_small(zeros)) +
                          std::to_string(ones >= pages_count && is_small(ones - pages_count)) +
                          std::to_string(one >= 1 && is_small(one)) +
                          std::to_string(is_small(none)));
    });
    CHECK(pages == "11111");
  }
}

TEST_CASE("Images leave out and clear what they are told to") {
  const TemporaryDirectory directory;
  const std::string first = in_process([&](int descriptor) {
    auto* const memory = static_cast<unsigned char*>(
        mmap(nullptr, 4 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(memory, 9, 4 * page_bytes);
    const auto place = reinterpret_cast<std::uintptr_t>(memory);
    const std::array<MemoryRange, 1> left_out{{{place + page_bytes, place + 2 * page_bytes}}};
    const std::array<MemoryRange, 1> cleared{{{place + 2 * page_bytes, place + 3 * page_bytes}}};
    ImageWriter writer({.directory = (directory / "images")});
    const SavedImage image = writer.save({}, left_out, cleared);
    const auto looks = [&] {
      std::string text;
      for (std::size_t page = 0; page < 4; ++page) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) abort();
        // A system call says whether there is something to read.
        const bool is_there = write(ends[1], memory + page * page_bytes, 1) == 1;
        text += is_there ? std::to_string(memory[page * page_bytes]) : "-";
      }
      return text;
    };
    if (image.kind == SavedImage::Kind::restored) end_restored(image, looks());
    say(descriptor, looks());
  });
  CHECK(first == "9999");
  CHECK(restored(ImageStore((directory / "images")), 0) == "9-09");
}

TEST_CASE("An image is refused when a file that it needs has changed") {
  const TemporaryDirectory directory;
  const auto library = directory / "library";
  std::ofstream(library) << std::string(3 * page_bytes, 'a');
  in_process([&](int descriptor) {
    const int file = open(library.c_str(), O_RDONLY);
    auto* const memory = static_cast<char*>(
        mmap(nullptr, 3 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0));
    close(file);
    memory[page_bytes] = 'b';
    std::memset(memory + 2 * page_bytes, 0, page_bytes);
    ImageWriter writer({.directory = directory / "images"});
    const SavedImage image = writer.save({});
    if (image.kind == SavedImage::Kind::restored) {
      end_restored(image, {memory[0], memory[page_bytes],
                           memory[2 * page_bytes] == '\0' ? '0' : memory[2 * page_bytes]});
    }
    say(descriptor, "saved");
  });
  const ImageStore store(directory / "images");
  CHECK(restored(store, 0) == "ab0");
  std::ofstream(library, std::ios::app) << "more";
  CHECK(error_of([&] {
          static_cast<void>(store.restore(0, 1));
        }).find(library.string() + ": the file has changed since the checkpoint was made") !=
        std::string::npos);
  std::filesystem::remove(library);
  CHECK(error_of([&] {
          static_cast<void>(store.restore(0, 1));
        }).find("the checkpoint needs this file") != std::string::npos);
}

TEST_CASE("Files that are no more, and protected memory, are in images") {
  const TemporaryDirectory directory;
  in_process([&](int descriptor) {
    const int file = static_cast<int>(memfd_create("lost", 0));
    if (ftruncate(file, 4 * page_bytes) != 0 || pwrite(file, "kept", 4, page_bytes) != 4) abort();
    const auto* const kept =
        static_cast<const char*>(mmap(nullptr, 4 * page_bytes, PROT_READ, MAP_PRIVATE, file, 0));
    close(file);
    auto* const hidden = static_cast<char*>(
        mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::strcpy(hidden, "hidden");
    mprotect(hidden, page_bytes, PROT_NONE);
    ImageWriter writer({.directory = (directory / "images")});
    const SavedImage image = writer.save({});
    if (image.kind == SavedImage::Kind::restored) {
      mprotect(hidden, page_bytes, PROT_READ);
      end_restored(image, std::string(kept + page_bytes) + " " + hidden);
    }
    say(descriptor, "saved");
  });
  CHECK(restored(ImageStore((directory / "images")), 0) == "kept hidden");
}

TEST_CASE("A restored process changes no file, and has a stack that grows") {
  const TemporaryDirectory directory;
  const auto output = directory / "output";
  in_process([&](int descriptor) {
    const int file = open(output.c_str(), O_WRONLY | O_CREAT, 0600);
    say(file, "first");
    ImageWriter writer({.directory = directory / "images"});
    const SavedImage image = writer.save({});
    if (image.kind == SavedImage::Kind::restored) {
      say(file, " second");
      const std::function<int(int)> deep = [&](int depth) {
        std::array<volatile char, 1000> frame{};
        frame[static_cast<std::size_t>(depth) % 1000] = 1;
        return depth == 0 ? frame[0] : deep(depth - 1) + frame[0];
      };
      deep(2000);
      end_restored(image, "done");
    }
    say(descriptor, "saved");
  });
  CHECK(restored(ImageStore(directory / "images"), 0) == "done");
  std::string text;
  std::ifstream(output) >> text;
  CHECK(text == "first");
}

TEST_CASE("Shared memory is in images, whoever has written it") {
  const TemporaryDirectory directory;
  in_process([&](int descriptor) {
    auto* const memory = static_cast<char*>(
        mmap(nullptr, 8 * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const auto let_another_write = [&](std::size_t page, const char* text) {
      const pid_t other = fork();
      if (other == 0) {
        std::strcpy(memory + page * page_bytes, text);
        _exit(0);
      }
      waitpid(other, nullptr, 0);
    };
    let_another_write(1, "first");
    std::strcpy(memory + 3 * page_bytes, "own");
    ImageWriter writer({.directory = directory / "images"});
    for (int i = 0; i < 2; ++i) {
      const SavedImage image = writer.save({});
      if (image.kind == SavedImage::Kind::restored) {
        end_restored(image, std::string(memory + page_bytes) + " " + (memory + 3 * page_bytes));
      }
      let_another_write(1, "second");
      madvise(memory, 8 * page_bytes, MADV_DONTNEED);  // from this process's table alone
    }
    say(descriptor, "saved");
  });
  const ImageStore store(directory / "images");
  CHECK(restored(store, 0) == "first own");
  CHECK(restored(store, 1) == "second own");
}
#endif
