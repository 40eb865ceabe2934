#include "bent_report.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "finding_text.hpp"

namespace orrery::cli {
namespace {

constexpr std::size_t shown_max = 12;   // of each sort; JSON has all
constexpr std::size_t lines_max = 6;    // of a branch
constexpr std::size_t quoted_max = 60;  // bytes of a line that was written

Json to_json(const StoryStep& step) {
  return {{"task", step.place.task}, {"operation", step.operation},
          {"call", step.call},       {"file", step.place.file},
          {"line", step.place.line}, {"function", step.place.function}};
}

std::string_view name(StoryChange::Kind kind) {
  switch (kind) {
    case StoryChange::Kind::received: return "received";
    case StoryChange::Kind::sent: return "sent";
    case StoryChange::Kind::value: return "value";
  }
  return {};
}

Json line_or_null(const std::string& line, bool is_there) {
  return is_there ? Json(line) : Json();
}

/// `MPI_Recv, app.c:10`
std::string step_text(const Json& step) {
  const auto file = step.at("file").get<std::string>();
  const std::string line = file.empty() ? step.at("function").get<std::string>()
                                        : fmt::format("{}:{}", file.substr(file.rfind('/') + 1),
                                                      step.at("line").get<std::uint32_t>());
  return step.at("call").get<std::string>() + (line.empty() ? "" : ", " + line);
}

std::string quoted(const Json& line) {
  if (line.is_null()) return "nothing";
  auto text = line.get<std::string>();
  if (text.size() > quoted_max) text = text.substr(0, quoted_max) + "...";
  return '"' + text + '"';
}

std::string list_text(const Json& names) {
  std::string text;
  std::size_t shown = 0;
  for (const Json& name : names) {
    if (shown++ == lines_max) return text + fmt::format(" and {} more", names.size() - lines_max);
    text += (text.empty() ? "" : ", ") + name.get<std::string>();
  }
  return text;
}

/// A line for each of the first ones: `LABEL  TEXT`.
template <typename Text>
std::string listed(std::string_view label, const Json& all, Text text_of) {
  std::string text;
  std::size_t shown = 0;
  for (const Json& one : all) {
    const std::string_view head = shown == 0 ? label : std::string_view();
    if (shown++ == shown_max) {
      return text + fmt::format("{:<10} and {} more\n", "", all.size() - shown_max);
    }
    text += fmt::format("{:<10} {}\n", head, text_of(one));
  }
  return text;
}

std::string bend_line(const Json& bend) {
  if (bend.contains("then")) {
    return fmt::format("{} comes before {}", bend.at("first").get<std::string>(),
                       bend.at("then").get<std::string>());
  }
  return fmt::format("{} takes the message of {}, not that of {}",
                     bend.at("receive").get<std::string>(), bend.at("takes").get<std::string>(),
                     bend.at("instead_of").get<std::string>());
}

std::string change_line(const Json& change) {
  const auto count = change.at("count").get<std::uint64_t>();
  const std::string more = count == 1 ? "" : fmt::format(" (the first of {})", count);
  return fmt::format("{} ({}){}: {}; was {}", change.at("task").get<std::string>(),
                     step_text(change), more, change.at("now").get<std::string>(),
                     change.at("was").get<std::string>());
}

std::string branch_line(const Json& branch) {
  const Json& now = branch.at("now");
  std::string text = fmt::format("{}: {}; was {}", now.at("task").get<std::string>(),
                                 step_text(now), step_text(branch.at("was")));
  const std::string added = list_text(branch.at("lines_new"));
  const std::string gone = list_text(branch.at("lines_gone"));
  if (!added.empty()) text += fmt::format("\n{:<12} comes to {}", "", added);
  if (!gone.empty()) text += fmt::format("\n{:<12} no longer comes to {}", "", gone);
  return text;
}

std::string was_text(const Json& was) {
  const Json& findings = was.at("findings");
  if (findings.empty()) return was.at("outcome").get<std::string>();
  return fmt::format("{}: {}", findings.front().at("kind").get<std::string>(),
                     findings.front().at("message").get<std::string>());
}

}  // namespace

Json bends_json(const std::vector<Bend>& bends, const BendPlanner& planner) {
  Json all = Json::array();
  for (const Bend& bend : bends) {
    Json one = {{"bend", text(bend)}};
    if (bend.kind == Bend::Kind::before) {
      one["first"] = planner.describe(bend.first);
      one["then"] = planner.describe(bend.second);
    } else {
      one["receive"] = planner.describe(bend.first);
      one["takes"] = planner.describe(bend.second);
      const auto own = planner.message_of(bend.first);
      one["instead_of"] = own ? planner.describe(*own) : std::string();
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json to_json(const StoryDifference& difference) {
  Json changes = Json::array();
  for (const StoryChange& change : difference.changes) {
    Json one = {{"kind", std::string(name(change.kind))}};
    one.update(to_json(change.step));
    one["was"] = change.was;
    one["now"] = change.now;
    one["count"] = change.count;
    changes.push_back(std::move(one));
  }
  Json branches = Json::array();
  for (const StoryBranch& branch : difference.branches) {
    branches.push_back({{"was", to_json(branch.was)},
                        {"now", to_json(branch.now)},
                        {"lines_gone", branch.lines_gone},
                        {"lines_new", branch.lines_new}});
  }
  const auto steps_json = [](const std::vector<StoryStep>& steps) {
    Json all = Json::array();
    for (const StoryStep& step : steps) all.push_back(to_json(step));
    return all;
  };
  Json output = Json::array();
  for (const StoryText& text : difference.texts) {
    output.push_back({{"task", text.task},
                      {"line", text.line},
                      {"was", line_or_null(text.was, text.is_in_was)},
                      {"now", line_or_null(text.now, text.is_in_now)}});
  }
  return {{"changes", std::move(changes)},
          {"branches", std::move(branches)},
          {"stopped", steps_json(difference.stopped)},
          {"further", steps_json(difference.further)},
          {"output", std::move(output)}};
}

std::string bent_text(const Json& bent) {
  std::string text = listed("bent:", bent.at("bends"), bend_line);
  text += fmt::format("{:<10} after {} as recorded\n", "",
                      counted(bent.at("steps_followed").get<std::uint64_t>(), "step", "steps"));
  const auto of_kind = [&](std::string_view kind) {
    Json some = Json::array();
    for (const Json& change : bent.at("changes")) {
      if (change.at("kind") == kind) some.push_back(change);
    }
    return some;
  };
  std::string changes;
  changes += listed("received:", of_kind("received"), change_line);
  changes += listed("values:", of_kind("value"), change_line);
  changes += listed("sent:", of_kind("sent"), change_line);
  changes += listed("branches:", bent.at("branches"), branch_line);
  changes += listed("output:", bent.at("output"), [](const Json& one) {
    return fmt::format("{} writes {}; was {} (line {})", one.at("task").get<std::string>(),
                       quoted(one.at("now")), quoted(one.at("was")),
                       one.at("line").get<std::uint64_t>());
  });
  changes += listed("stopped:", bent.at("stopped"), [](const Json& one) {
    return fmt::format("{} before {}", one.at("task").get<std::string>(), step_text(one));
  });
  changes += listed("further:", bent.at("further"), [](const Json& one) {
    return fmt::format("{} goes on with {}", one.at("task").get<std::string>(), step_text(one));
  });
  if (changes.empty()) changes = fmt::format("{:<10} and nothing else changes\n", "");
  return text + changes + fmt::format("{:<10} {}\n", "was:", was_text(bent.at("was")));
}

}  // namespace orrery::cli
