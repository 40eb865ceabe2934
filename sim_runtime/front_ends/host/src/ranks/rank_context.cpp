#include "rank_context.hpp"

#include <cstring>
#include <iostream>

#include <getopt.h>
#include <stdio_ext.h>

#include "files/stream_files.hpp"
#include "files/user_files.hpp"
#include "programs/program_copy.hpp"
#include "programs/static_thread_locals.hpp"

namespace orrery::host {
namespace {

// What getopt keeps within one argument is cleared by a look at an empty list.
void reset_getopt() {
  char name[] = "orrery";
  char* arguments[] = {name, nullptr};
  optind = 0;
  static_cast<void>(getopt(1, arguments, ""));
}

}  // namespace

constinit thread_local Running running_on_this_thread;

void RankContext::LibraryVariables::take() {
  output = stdout;
  errors = stderr;
  input = stdin;
  option_index = optind;
  option_errors = opterr;
  option = optopt;
  option_argument = optarg;
  program_name = program_invocation_name;
  short_program_name = program_invocation_short_name;
  format = std::cout.flags();
  precision = std::cout.precision();
  width = std::cout.width();
}

void RankContext::LibraryVariables::put() const {
  stdout = output;
  stderr = errors;
  stdin = input;
  optind = option_index;
  opterr = option_errors;
  optopt = option;
  optarg = option_argument;
  program_invocation_name = program_name;
  program_invocation_short_name = short_program_name;
  std::cout.flags(format);
  std::cout.precision(precision);
  std::cout.width(width);
}

RankContext::~RankContext() {
  discard(output_);
  discard(errors_);
}

void RankContext::exchange_for_own() {
  if (RankContext* const other = running().in_place; other != nullptr) {
    other->own_.take();
    host_ = other->host_;
  } else {
    host_.take();
  }
  own_.put();
  running().in_place = this;
}

void RankContext::exchange_for_hosts() {
  own_.take();
  host_.put();
  running().in_place = nullptr;
}

ssize_t RankContext::write_text(void* stream, const char* text, std::size_t size) {
  const auto& self = *static_cast<Stream*>(stream);
  if (!self.is_discarding && running().user != nullptr) {
    // Where the program has put another file in its place, it goes there.
    const auto file = open_file(self.number);
    return file == nullptr ? 0 : file->write(text, size);
  }
  return static_cast<ssize_t>(size);
}

int RankContext::close_stream(void* stream) {
  static_cast<Stream*>(stream)->is_open = false;
  return 0;
}

void RankContext::discard(Stream& stream) {
  if (!stream.is_open) return;  // the program itself has closed it, or made another file of it
  stream.is_discarding = true;
  __fpurge(stream.file);
  std::fclose(stream.file);
}

// A new one for each run: the last may have been left in the middle of a call, or changed.
void RankContext::renew(Stream& stream, int number) {
  discard(stream);
  stream.number = number;
  stream.is_open = true;
  stream.is_discarding = false;
  cookie_io_functions_t functions{};
  functions.write = &RankContext::write_text;
  functions.close = &RankContext::close_stream;
  stream.file = fopencookie(&stream, "w", functions);
  // By lines, even where a file is written to: so the text of all ranks is in the order of time.
  std::setvbuf(stream.file, stream.buffer, number == 1 ? _IOLBF : _IONBF, sizeof stream.buffer);
}

void RankContext::restart(const std::vector<std::string>& arguments) {
  exit_handlers.clear();
  threads.clear();
  keys = {};
  passed_guards = {};
  named_semaphores.clear();
  loader_message.clear();
  signals.reset();
  openmp.reset();
  argument_text_ = arguments;
  if (const auto called = user_files().outside().recorded_text(rank_, "called")) {
    argument_text_.front() = *called;
  }
  argv_.clear();
  for (std::string& text : argument_text_) argv_.push_back(text.data());
  argv_.push_back(nullptr);

  std::memset(&random_state, 0, sizeof random_state);
  std::memset(&drand48_state, 0, sizeof drand48_state);
  initstate_r(1, random_table_, sizeof random_table_, &random_state);
  strtok_position = nullptr;
  last_throw = 0;
  last_error_file = nullptr;
  last_error_line = 0;

  renew(output_, 1);
  renew(errors_, 2);
  char* const slash = std::strrchr(argv_[0], '/');
  char* const short_name = slash == nullptr ? argv_[0] : slash + 1;
  own_ = {
      output_.file, errors_.file, open_stream(user_files().of(rank_), 0, "r"), 1, 1, '?', nullptr,
      argv_[0],     short_name,   std::ios_base::skipws | std::ios_base::dec,  6, 0};
  reset_getopt();
  copy_->variables().begin_run({own_.output, own_.errors, own_.input}, argv_[0], short_name);
}

void put_in_place(ThreadContext& thread) {
  if (static_thread_locals().are_there()) {
    static_thread_locals().exchange(thread);
  } else {
    running().thread_in_place = &thread;
  }
}

void end_rank(int status, std::uintptr_t program_counter) {
  if (status == 0 && running().front_end_exit != nullptr) {
    running().front_end_exit(program_counter);
  }
  guarded_runtime().exit_process(status, program_counter);
  __builtin_unreachable();
}

void exit_rank(int status, std::uintptr_t program_counter) {
  RankContext& context = *running().user;
  call_all(running().thread->exit_handlers);
  call_all(context.exit_handlers);
  context.copy().call_destructors();
  std::cout.flush();
  std::fflush(stdout);
  std::fflush(stderr);
  flush_streams(user_files().of(context.rank()));
  end_rank(status, program_counter);
}

}  // namespace orrery::host
