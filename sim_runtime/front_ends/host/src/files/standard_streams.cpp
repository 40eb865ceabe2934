#include "standard_streams.hpp"

#include <cstdio>
#include <iostream>
#include <streambuf>

#include "ranks/rank_context.hpp"

namespace orrery::host {

/// Stands in a stream for the buffer that it had.
class StandardStreams::Redirection final : public std::streambuf {
 public:
  Redirection(std::ios& stream, std::FILE** file)
      : stream_(&stream), former_(stream.rdbuf(this)), file_(file) {}
  ~Redirection() override {
    Redirection* above = nullptr;  // of an image that was made later, and lives longer
    for (std::streambuf* top = stream_->rdbuf(); top != this; top = above->former_) {
      above = dynamic_cast<Redirection*>(top);
      if (above == nullptr) return;  // somebody else has put the stream back
    }
    if (above == nullptr) {
      stream_->rdbuf(former_);
    } else {
      above->former_ = former_;
    }
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

 protected:
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return 0;
    const char text = traits_type::to_char_type(character);
    return xsputn(&text, 1) == 1 ? character : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (is_for_us()) return former_->sputn(text, size);
    const auto written = std::fwrite(text, 1, static_cast<std::size_t>(size), *file_);
    return static_cast<std::streamsize>(written);
  }
  int sync() override { return is_for_us() ? former_->pubsync() : std::fflush(*file_); }
  int_type underflow() override {
    if (is_for_us()) return former_->sgetc();
    const int letter = std::getc(*file_);
    return letter == EOF ? traits_type::eof() : std::ungetc(letter, *file_);
  }
  int_type uflow() override {
    if (is_for_us()) return former_->sbumpc();
    const int letter = std::getc(*file_);
    last_ = letter;
    return letter == EOF ? traits_type::eof() : letter;
  }
  std::streamsize xsgetn(char* text, std::streamsize size) override {
    if (is_for_us()) return former_->sgetn(text, size);
    const std::size_t bytes = std::fread(text, 1, static_cast<std::size_t>(size), *file_);
    if (bytes > 0) last_ = traits_type::to_int_type(text[bytes - 1]);
    return static_cast<std::streamsize>(bytes);
  }
  int_type pbackfail(int_type character) override {
    if (is_for_us()) return former_->sungetc();
    const bool is_last = traits_type::eq_int_type(character, traits_type::eof());
    const int_type letter = is_last ? last_ : character;
    if (letter == traits_type::eof()) return letter;
    last_ = traits_type::eof();
    return std::ungetc(letter, *file_);
  }

 private:
  [[nodiscard]] static bool is_for_us() { return running().user == nullptr; }

  std::ios* stream_;
  std::streambuf* former_;
  std::FILE** file_;
  int_type last_ = traits_type::eof();
};

StandardStreams::StandardStreams()
    : output_(std::make_unique<Redirection>(std::cout, &stdout)),
      errors_(std::make_unique<Redirection>(std::cerr, &stderr)),
      log_(std::make_unique<Redirection>(std::clog, &stderr)),
      input_(std::make_unique<Redirection>(std::cin, &stdin)) {}

StandardStreams::~StandardStreams() = default;

}  // namespace orrery::host
