#include "graph_thinning.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace orrery::detail {
namespace {

constexpr std::uint32_t absent = GraphMessage::nobody;

/// Which messages stay, and their new numbers.
struct KeptMessages {
  std::vector<std::uint32_t> numbers;      ///< ascending, of those that stay
  std::vector<std::uint32_t> new_numbers;  ///< of all; absent: it is gone
};

KeptMessages messages_to_keep(const EventGraph& graph, const ThinningLimits& limits) {
  const std::size_t count = graph.messages.size();
  const bool are_all = graph.operations.size() <= limits.operations;
  std::vector<bool> stays(count, are_all);
  if (!are_all) {
    const std::size_t half = std::max<std::size_t>(1, limits.operations / 16);
    std::size_t room = half;
    const auto keep = [&](std::uint32_t message) {
      if (stays[message] || room == 0) return;
      stays[message] = true;
      --room;
    };
    for (const GraphRace& race :
         std::span(graph.races).first(std::min(graph.races.size(), limits.races))) {
      keep(race.taken);
      keep(race.other);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (graph.messages[i].is_racing) keep(i);
    }
    // An even part of the rest, by a number that has nothing to do with who sends.
    const std::size_t part = count / half + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      if ((i * 0x9e3779b1U >> 8U) % part == 0) stays[i] = true;
    }
  }
  KeptMessages kept;
  kept.new_numbers.assign(count, absent);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!stays[i]) continue;
    kept.new_numbers[i] = static_cast<std::uint32_t>(kept.numbers.size());
    kept.numbers.push_back(i);
  }
  return kept;
}

/// Operations that are not to vanish in a longer piece: ends of messages, and of tasks, data races,
/// and so many faults.
std::vector<bool> outstanding(const EventGraph& graph, const KeptMessages& kept,
                              std::size_t faults_max) {
  std::vector<bool> marks(graph.operations.size(), false);
  std::vector<std::uint32_t> last(graph.tasks.size(), absent);
  for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
    const GraphOperation& one = graph.operations[i];
    last[one.id.task.value] = i;
    if (one.kind != OperationKind::fault || faults_max == 0) continue;
    marks[i] = true;
    --faults_max;
  }
  const auto mark = [&](std::uint32_t operation) {
    if (operation != absent) marks[operation] = true;
  };
  std::ranges::for_each(last, mark);
  for (const GraphDataRace& race : graph.data_races) {
    mark(race.first);
    mark(race.second);
  }
  for (const std::uint32_t number : kept.numbers) {
    mark(graph.messages[number].send);
    mark(graph.messages[number].receive);
  }
  return marks;
}

/// Takes operations one after the other and makes pieces of them.
class PieceMaker {
 public:
  PieceMaker(const EventGraph& graph, std::size_t longest)
      : graph_(graph), longest_(longest), open_(graph.tasks.size(), absent) {
    piece_of_.reserve(graph.operations.size());
  }

  void add(std::uint32_t operation, bool is_outstanding) {
    const GraphOperation& one = graph_.operations[operation];
    std::uint32_t& open = open_[one.id.task.value];
    if (open == absent || is_outstanding || counts_[open] >= longest_) {
      open = static_cast<std::uint32_t>(pieces_.size());
      pieces_.push_back(one);
      counts_.push_back(0);
      lasts_.push_back(operation);
      longest_of_.push_back(operation);
    }
    ++counts_[open];
    if (counts_[open] > 1) extend(open, operation);
    piece_of_.push_back(open);
    if (is_outstanding) open = absent;
  }

  /// Sorts the pieces, and gives the new number of each operation's.
  std::vector<std::uint32_t> finish(ThinnedGraph& result) {
    std::vector<std::uint32_t> order(pieces_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t piece) { return lasts_[piece]; });
    std::vector<std::uint32_t> places(pieces_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      places[order[i]] = i;
      result.pieces.push_back(pieces_[order[i]]);
      result.operations_in.push_back(counts_[order[i]]);
    }
    for (std::uint32_t& piece : piece_of_) piece = places[piece];
    return std::move(piece_of_);
  }

 private:
  void extend(std::uint32_t number, std::uint32_t operation) {
    GraphOperation& piece = pieces_[number];
    const GraphOperation& added = graph_.operations[operation];
    const GraphOperation& longest = graph_.operations[longest_of_[number]];
    const auto length = [](const GraphOperation& one) { return one.end - one.begin; };
    const bool is_longest = length(added) > length(longest);
    if (is_longest) longest_of_[number] = operation;
    GraphOperation merged = is_longest ? added : longest;
    merged.id = piece.id;
    merged.begin = piece.begin;
    merged.end = added.end;
    merged.size_bytes = piece.size_bytes + added.size_bytes;
    merged.peer = piece.peer == added.peer ? piece.peer : -1;
    merged.tag = piece.tag == added.tag ? piece.tag : -1;
    merged.timed_out = piece.timed_out || added.timed_out;
    piece = merged;
    lasts_[number] = operation;
  }

  const EventGraph& graph_;
  std::size_t longest_;
  std::vector<std::uint32_t> open_;  ///< by task
  std::vector<GraphOperation> pieces_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> lasts_;  ///< by piece: its last operation
  std::vector<std::uint32_t> longest_of_;
  std::vector<std::uint32_t> piece_of_;  ///< by operation
};

}  // namespace

ThinnedGraph thinned(const EventGraph& graph, const ThinningLimits& limits) {
  ThinnedGraph result;
  const std::size_t count = graph.operations.size();
  const KeptMessages kept = messages_to_keep(graph, limits);
  // The other half is for ends of messages, and what they cut.
  const std::size_t half = std::max<std::size_t>(1, limits.operations / 2);
  const bool is_whole = count <= limits.operations;
  const std::vector<bool> marks =
      is_whole ? std::vector<bool>(count, true) : outstanding(graph, kept, half / 4);
  PieceMaker maker(graph, is_whole ? 1 : (count + half - 1) / half);
  for (std::uint32_t i = 0; i < count; ++i) maker.add(i, marks[i]);
  const std::vector<std::uint32_t> piece_of = maker.finish(result);

  const auto moved = [&](std::uint32_t operation) {
    return operation == absent ? absent : piece_of[operation];
  };
  for (const std::uint32_t number : kept.numbers) {
    GraphMessage& message = result.messages.emplace_back(graph.messages[number]);
    message.send = moved(message.send);
    message.receive = moved(message.receive);
  }
  for (std::uint32_t i = 0; i < graph.races.size() && result.races.size() < limits.races; ++i) {
    GraphRace own = graph.races[i];
    own.receiver = moved(own.receiver);
    own.taken = kept.new_numbers[own.taken];
    own.other = kept.new_numbers[own.other];
    if (own.taken == absent || own.other == absent) continue;
    result.races.push_back(own);
  }
  for (const GraphDataRace& race : graph.data_races) {
    result.data_races.push_back({moved(race.first), moved(race.second), race.finding});
  }
  return result;
}

}  // namespace orrery::detail
