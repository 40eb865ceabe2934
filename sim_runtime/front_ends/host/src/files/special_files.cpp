#include "special_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ranks/rank_context.hpp"

namespace orrery::host {
namespace {

/// What a program sees of something that is no file.
void show(struct stat& result, mode_t mode, std::uint64_t number) {
  constexpr std::uint64_t device = 79;
  result = {};
  result.st_dev = device;
  result.st_ino = number;
  result.st_mode = mode;
  result.st_nlink = 1;
  result.st_blksize = 4096;
}

class StandardInput final : public OpenFile {
 public:
  explicit StandardInput(InputTape* tape) : OpenFile(O_RDONLY), tape_(tape) {}
  ssize_t read(void* into, std::size_t bytes) override {
    if (tape_ == nullptr) return 0;
    const HostScope ours;
    const ssize_t result = tape_->read(into, bytes, offset_);
    if (result > 0) offset_ += static_cast<std::uint64_t>(result);
    return result;
  }
  [[nodiscard]] bool can_be_awaited() override { return true; }
  void status(struct stat& result) const override { show(result, S_IFIFO | 0600, 0); }

 private:
  InputTape* tape_;
  std::uint64_t offset_ = 0;
};

class StandardOutput final : public OpenFile {
 public:
  explicit StandardOutput(int number) : OpenFile(O_WRONLY), number_(number) {}
  ssize_t write(const void* from, std::size_t bytes) override {
    guarded_runtime().output(number_, static_cast<const char*>(from), bytes);
    return static_cast<ssize_t>(bytes);
  }
  [[nodiscard]] bool can_be_awaited() override { return true; }
  void status(struct stat& result) const override {
    show(result, S_IFIFO | 0600, static_cast<std::uint64_t>(number_));
  }

 private:
  int number_;
};

class RandomDevice final : public OpenFile {
 public:
  explicit RandomDevice(int open_flags) : OpenFile(open_flags) {}
  ssize_t read(void* into, std::size_t bytes) override {
    draw_bytes(into, bytes, place_of_call());
    return static_cast<ssize_t>(bytes);
  }
  ssize_t write(const void*, std::size_t bytes) override { return static_cast<ssize_t>(bytes); }
  [[nodiscard]] bool can_be_awaited() override { return true; }
  void status(struct stat& result) const override { show(result, S_IFCHR | 0666, 9); }
};

}  // namespace

void draw_bytes(void* into, std::size_t bytes, std::uintptr_t program_counter) {
  auto* next = static_cast<std::byte*>(into);
  while (bytes > 0) {
    const std::uint64_t drawn = guarded_runtime().draw(0, program_counter);
    const std::size_t count = std::min(bytes, sizeof drawn);
    std::memcpy(next, &drawn, count);
    next += count;
    bytes -= count;
  }
}

std::shared_ptr<OpenFile> make_standard_input(InputTape* tape) {
  return std::make_shared<StandardInput>(tape);
}

std::shared_ptr<OpenFile> make_standard_output(int number) {
  return std::make_shared<StandardOutput>(number);
}

std::shared_ptr<OpenFile> make_random_device(int flags) {
  return std::make_shared<RandomDevice>(flags);
}

}  // namespace orrery::host
