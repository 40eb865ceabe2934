// Names for runs of which only what is told is known.
#pragma once

#include <cstdint>
#include <string>

#include <orrery/sim_runtime/names.hpp>

namespace orrery::test {

/// Tasks and objects by their numbers; a program counter is a line of `app.cpp`.
class NumberNames final : public Names {
 public:
  [[nodiscard]] std::string task(TaskId task) const override {
    return "task " + std::to_string(task.value);
  }
  [[nodiscard]] std::string object(ObjectId object) const override {
    return "object " + std::to_string(object.number);
  }
  [[nodiscard]] FindingPlace place(const SourceLocation& where) const override {
    FindingPlace place;
    place.file = "app.cpp";
    place.line = static_cast<std::uint32_t>(where.program_counter);
    return place;
  }
};

}  // namespace orrery::test
