#include "operation_places.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orrery::detail {

std::string number_text(OperationId operation) {
  return fmt::format("{}.{}", operation.task.value, operation.number);
}

std::string line_text(const FindingPlace& place) {
  if (place.file.empty()) return place.function;
  return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
}

std::uint16_t number_in(std::vector<std::string>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  const auto number = static_cast<std::uint16_t>(found - names.begin());
  if (found == names.end()) names.emplace_back(name);
  return number;
}

void OperationPlaces::begin_run(const Names* names) {
  names_ = names;
  places_.clear();
  calls_.assign(1, {});
  lines_.clear();
  tasks_.clear();
  seen_.clear();
}

void OperationPlaces::on_event(const Event& event) {
  if (is_machine_step(event.kind)) return;
  if (event.id.task.value >= tasks_.size()) tasks_.resize(std::size_t{event.id.task.value} + 1);
  const auto [found, is_new] = seen_.try_emplace(event.id.packed());
  if (!is_new) return;
  found->second.kind = event.kind;
  if (event.where == nullptr) return;
  found->second.place = places_.number_of(event.where);
  found->second.call = number_in(calls_, names_->call_here(*event.where));
}

void OperationPlaces::leave() {
  for (std::uint32_t i = 0; i < tasks_.size(); ++i) tasks_[i] = names_->task(TaskId{i});
  for (PlaceNumber i = 0; i < places_.size(); ++i) {
    lines_.push_back(i == 0 ? FindingPlace{} : names_->place(places_.place(i)));
  }
}

std::string OperationPlaces::task(TaskId task) const {
  return task.value < tasks_.size() ? tasks_[task.value] : fmt::format("task {}", task.value);
}

std::string OperationPlaces::describe(OperationId operation) const {
  const auto found = seen_.find(operation.packed());
  if (found == seen_.end()) return task(operation.task);
  const Seen& seen = found->second;
  const std::string& call = calls_[seen.call];
  const std::string line = line_text(lines_[seen.place]);
  return fmt::format("{} ({}{}{})", task(operation.task), call.empty() ? name(seen.kind) : call,
                     line.empty() ? "" : ", ", line);
}

}  // namespace orrery::detail
