// Findings and outcomes as people read them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <orrery/sim_runtime/finding.hpp>

#include "console.hpp"
#include "source_quote.hpp"

namespace orrery::cli {

/// Kind and message, then each place with its task and role, the file and line, and the line
/// itself where the file can be read.  Ends with a newline.
[[nodiscard]] std::string finding_text(const Finding& finding, const Paint& paint,
                                       SourceLines& sources);
/// One such place: with its task and role, the line and the calls that led there.
[[nodiscard]] std::string place_text(const FindingPlace& place, const Paint& paint,
                                     SourceLines& sources);
/// One after the other, with an empty line between them: what was not confirmed, and then races
/// that were not tried where others were, come last.
[[nodiscard]] std::string findings_text(std::span<const Finding> findings, const Paint& paint,
                                        SourceLines& sources);

/// `status 1: 2 findings, none of them confirmed`, as a line; empty where all that are to be
/// tried were, and none in vain.
[[nodiscard]] std::string unconfirmed_text(std::span<const Finding> findings);

/// `1 step`, `12 steps`.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);
/// `stopped at the limit on steps (--step-limit)`.
[[nodiscard]] std::string limit_text(Limit limit);
/// A word for the shell: in quotes where it needs them.
[[nodiscard]] std::string shell_word(const std::string& text);
/// Each line of `block` with `indent` before it.
[[nodiscard]] std::string indented(std::string_view block, std::string_view indent);
/// `saved: FILE` and `replay it: orrery replay FILE`.
[[nodiscard]] std::string saved_text(const std::string& path, const std::string& command,
                                     const Paint& paint);
/// Of a message race: `with the other message: orrery replay FILE`.
[[nodiscard]] std::string other_log_text(const std::string& path);

}  // namespace orrery::cli
