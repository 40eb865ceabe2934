#include "linkage_inference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reader_memory.hpp"

namespace orrery::detail {

using Why = OrderGraph::Why;

void LinkageInference::begin(const AccessRecords& records) {
  *this = {};
  records_ = &records;
  groups_.resize(records.orders.size() + (records.is_of_memory ? 1 : 0));
}

LinkageInference::Task& LinkageInference::task(TaskId id) {
  if (id.value >= tasks_.size()) tasks_.resize(std::size_t{id.value} + 1);
  return tasks_[id.value];
}

LinkageInference::Variable& LinkageInference::variable(std::uint32_t number) {
  if (number >= variables_.size()) variables_.resize(std::size_t{number} + 1);
  Variable& own = variables_[number];
  if (own.writes.empty()) {
    own.writes.emplace_back();
    own.readers.emplace_back();
  }
  return own;
}

void LinkageInference::set_initial(std::uint32_t number, std::uint64_t value) {
  Variable& own = variable(number);
  own.has_initial = true;
  own.writes.front().value = value;
}

void LinkageInference::come_behind_task(TaskId id, TaskId other) {
  // What the other one has come behind it may not have shown by an access of its own.
  std::vector<std::uint32_t> before = task(other).behind;
  if (task(other).last != no_node) before.push_back(task(other).last);
  std::vector<std::uint32_t>& behind = task(id).behind;
  behind.insert(behind.end(), before.begin(), before.end());
}

std::uint32_t LinkageInference::add(const Access& access) {
  if (access.is_further) {
    also_.emplace_back(graph_.node_count() - 1, access.variable);
    return graph_.node_count() - 1;
  }
  const std::uint32_t node = graph_.add_node();
  Task& own = task(access.task);
  nodes_.push_back({.access = access, .reached = reached(own)});
  if (own.last != no_node) graph_.add_edge(own.last, node, Why::program);
  for (const std::uint32_t other : own.behind) {
    graph_.add_edge(other, node, Why::task);
  }
  own.behind.clear();
  own.moment = 0;
  own.last = node;
  return node;
}

// --- writes -------------------------------------------------------------------------------------

void LinkageInference::write(const Access& access) {
  const std::uint32_t node = add(access);
  come_behind_group(node, access.variable);
}

void LinkageInference::also_write(std::uint32_t other) {
  const std::uint32_t node = graph_.node_count() - 1;
  also_.emplace_back(node, other);
  come_behind_group(node, other);
}

LinkageInference::Group& LinkageInference::group_of(std::uint32_t variable) {
  if (variable == synchronisation(*records_)) return groups_.back();
  if (variable == elsewhere(*records_)) return groups_.front();
  return groups_[records_->group_of(variable)];
}

void LinkageInference::come_behind_group(std::uint32_t node, std::uint32_t number) {
  Group& group = group_of(number);
  if (group.last != no_node && group.last != node) {
    graph_.add_edge(group.last, node, Why::order);
  }
  group.last = node;
  ++group.writes;
  nodes_[node].reached = std::max(nodes_[node].reached, group.writes);
  Variable& own = variable(number);
  // Until it is said what it has left: the same as before.
  own.writes.push_back({group.writes, own.writes.back().value, node});
  own.readers.emplace_back();
}

void LinkageInference::set_written(std::uint32_t number, std::uint64_t value) {
  variable(number).writes.back().value = value;
}

// --- reads --------------------------------------------------------------------------------------

std::size_t LinkageInference::last_within(const Variable& variable, std::uint64_t writes) {
  const auto behind = std::ranges::upper_bound(variable.writes, writes, {}, &Write::position);
  return static_cast<std::size_t>(behind - variable.writes.begin()) - 1;
}

LinkageInference::Found LinkageInference::link(std::uint32_t node, Variable& own,
                                               std::size_t write) {
  own.readers[write].push_back(node);
  return {own.writes[write].value, write + 1 == own.writes.size()};
}

LinkageInference::Found LinkageInference::read_exact(const Access& access, std::uint64_t writes) {
  const std::uint32_t node = add(access);
  Variable& own = variable(access.variable);
  ++reads_;
  return link(node, own, last_within(own, writes));
}

std::optional<LinkageInference::Found> LinkageInference::read(const Access& access,
                                                              std::uint64_t writes,
                                                              std::uint64_t value) {
  Variable& own = variable(access.variable);
  for (std::size_t write = last_within(own, writes) + 1; write-- > 0;) {
    ++comparisons_;
    if (own.writes[write].value != value) continue;
    ++reads_;
    return link(add(access), own, write);
  }
  return std::nullopt;
}

std::uint64_t LinkageInference::reached(const Task& task) const {
  std::uint64_t position = task.moment;
  if (task.last != no_node) position = std::max(position, nodes_[task.last].reached);
  for (const std::uint32_t other : task.behind) {
    position = std::max(position, nodes_[other].reached);
  }
  return position;
}

std::size_t LinkageInference::first_with(const Variable& variable, std::uint64_t reached,
                                         std::uint64_t value) const {
  std::size_t write = last_within(variable, reached);
  while (write < variable.writes.size() && variable.writes[write].value != value) ++write;
  return write;
}

bool LinkageInference::can_read(TaskId id, std::uint32_t number, std::uint64_t value) {
  const Variable& own = variable(number);
  return first_with(own, reached(task(id)), value) < own.writes.size();
}

std::optional<std::uint64_t> LinkageInference::moment_of(TaskId id,
                                                         std::span<const ValueRead> reads) {
  std::uint64_t moment = reached(task(id));
  bool has_moved = true;
  while (has_moved) {
    has_moved = false;
    for (const ValueRead& read : reads) {
      const Variable& own = variable(read.variable);
      const std::size_t write = first_with(own, moment, read.value);
      if (write == own.writes.size()) return std::nullopt;
      if (own.writes[write].position <= moment) continue;
      moment = over_at(own.writes[write]);
      has_moved = true;
    }
  }
  return moment;
}

/// As early as may be: then nothing that comes behind it has to wait for longer than it must.
void LinkageInference::read_first(const Access& access, std::uint64_t value) {
  const std::uint32_t node = add(access);
  Variable& own = variable(access.variable);
  Node& read = nodes_[node];
  const std::size_t write = first_with(own, read.reached, value);
  ++reads_;
  comparisons_ += write - last_within(own, read.reached) + 1;
  read.reached = std::max(read.reached, over_at(own.writes[write]));
  static_cast<void>(link(node, own, write));
}

void LinkageInference::read_last(const Access& access) {
  const std::uint32_t node = add(access);
  Variable& own = variable(access.variable);
  ++reads_;
  nodes_[node].reached = std::max(nodes_[node].reached, over_at(own.writes.back()));
  static_cast<void>(link(node, own, own.writes.size() - 1));
}

void LinkageInference::forget_last_read(TaskId id) {
  const std::uint32_t node = task(id).last;
  for (Variable& own : variables_) {
    for (std::vector<std::uint32_t>& readers : own.readers) std::erase(readers, node);
  }
}

// --- what follows -------------------------------------------------------------------------------

void LinkageInference::add_linkages() {
  for (const Variable& own : variables_) {
    for (std::size_t write = 0; write < own.writes.size(); ++write) {
      const std::uint32_t writer = own.writes[write].node;
      for (const std::uint32_t reader : own.readers[write]) {
        if (writer != no_node) graph_.add_edge(writer, reader, Why::reads_from);
        if (write + 1 == own.writes.size()) continue;
        graph_.add_edge(reader, own.writes[write + 1].node, Why::reads_before);
      }
    }
  }
}

std::string LinkageInference::describe(const std::vector<OrderGraph::Edge>& cycle) const {
  std::string text;
  for (const OrderGraph::Edge& edge : cycle) {
    const Access& from = nodes_[edge.from].access;
    const Access& to = nodes_[edge.to].access;
    const auto pattern = [why = edge.why]() -> fmt::string_view {
      switch (why) {
        case Why::program: return "operation {0} of task {1} is before its operation {2}";
        case Why::order:
          return "operation {0} of task {1} is before operation {2} of task {3} by the order of "
                 "variable {4}";
        case Why::reads_from:
          return "operation {2} of task {3} reads what operation {0} of task {1} wrote to variable "
                 "{4}";
        case Why::reads_before:
          return "operation {0} of task {1} reads variable {4} as it was before operation {2} of "
                 "task {3} wrote to it";
        case Why::task: break;
      }
      return "operation {0} of task {1} is before operation {2} of task {3}, which began or went "
             "on "
             "behind it";
    }();
    if (!text.empty()) text += "; ";
    text += fmt::format(fmt::runtime(pattern), from.operation + 1, from.task.value,
                        to.operation + 1, to.task.value, to.variable);
  }
  return text;
}

LinkageInference::Result LinkageInference::finish() {
  Result result;
  add_linkages();
  const auto order = graph_.sorted();
  if (!order) {
    result.contradiction = describe(graph_.cycle());
    return result;
  }
  // What stands for more than one variable comes behind them.
  result.orders.resize(std::size_t{elsewhere(*records_)} + 1);
  const auto take_turn = [&](TaskId id, std::uint32_t number) {
    std::vector<AccessRecords::Turns>& turns = result.orders[number];
    if (turns.empty() || turns.back().task != id) turns.push_back({id, 0});
    ++turns.back().count;
  };
  for (const std::uint32_t node : *order) {
    take_turn(nodes_[node].access.task, nodes_[node].access.variable);
    using Also = std::pair<std::uint32_t, std::uint32_t>;
    auto also = std::ranges::lower_bound(also_, node, {}, &Also::first);
    for (; also != also_.end() && also->first == node; ++also) {
      take_turn(nodes_[node].access.task, also->second);
    }
  }
  result.orders.resize(records_->variables);
  return result;
}

}  // namespace orrery::detail
