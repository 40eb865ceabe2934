#include "standard_streams.hpp"

#include <cstdio>
#include <iostream>
#include <streambuf>

#include "rank_context.hpp"

namespace orrery::host {

/// Stands in a stream for the buffer that it had.
class StandardStreams::Redirection final : public std::streambuf {
 public:
  Redirection(std::ios& stream, std::FILE** file)
      : stream_(&stream), former_(stream.rdbuf(this)), file_(file) {}
  ~Redirection() override { stream_->rdbuf(former_); }
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
  int_type underflow() override { return is_for_us() ? former_->sgetc() : traits_type::eof(); }
  int_type uflow() override { return is_for_us() ? former_->sbumpc() : traits_type::eof(); }
  std::streamsize xsgetn(char* text, std::streamsize size) override {
    return is_for_us() ? former_->sgetn(text, size) : 0;
  }

 private:
  [[nodiscard]] static bool is_for_us() { return running().user == nullptr; }

  std::ios* stream_;
  std::streambuf* former_;
  std::FILE** file_;
};

StandardStreams::StandardStreams()
    : output_(std::make_unique<Redirection>(std::cout, &stdout)),
      errors_(std::make_unique<Redirection>(std::cerr, &stderr)),
      log_(std::make_unique<Redirection>(std::clog, &stderr)),
      input_(std::make_unique<Redirection>(std::cin, &stdin)) {}

StandardStreams::~StandardStreams() = default;

}  // namespace orrery::host
