// `orrery record`: recording on the real machine, which is still to come.
#include <memory>

#include "command.hpp"

namespace orrery::cli {
namespace {

class RecordCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "record"; }
  [[nodiscard]] std::string_view summary() const override {
    return "not yet: record a program on the real machine";
  }
  [[nodiscard]] std::string_view operands() const override { return "COMMAND [ARGS...]"; }
  [[nodiscard]] bool takes_program() const override { return true; }

  void declare(Flags& flags) override {
    flags.text("--method", method_, "NAME", "how to record: see orrery list recorders");
    flags.text("-o", save_path_, "FILE", "where the log goes");
  }

  int run(const Console&, const Operands&) override {
    throw UsageError("programs cannot be recorded on the real machine yet", "orrery record",
                     "record a simulated run: orrery run --record FILE PROGRAM");
  }

 private:
  std::optional<std::string> method_;
  std::optional<std::string> save_path_;
};

}  // namespace

std::unique_ptr<Command> make_record_command() {
  return std::make_unique<RecordCommand>();
}

}  // namespace orrery::cli
