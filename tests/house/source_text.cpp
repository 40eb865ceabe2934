#include "source_text.hpp"

#include <algorithm>
#include <cctype>

namespace orrery::house {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Walks over a text and blanks what is no code.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(text_);
  }

 private:
  void step() {
    if (starts("//")) return blank_to(text_.find('\n', at_));
    if (starts("/*")) return blank_to(after(text_.find("*/", at_ + 2), 2));
    if (starts("#include") && at_line_start()) return skip_line();
    if (starts("R\"") && (at_ == 0 || !is_word(text_[at_ - 1]))) return raw_string();
    if (text_[at_] == '"') return literal('"');
    if (text_[at_] == '\'' && !in_number()) return literal('\'');
    ++at_;
  }

  [[nodiscard]] bool starts(std::string_view mark) const {
    return std::string_view(text_).substr(at_, mark.size()) == mark;
  }
  [[nodiscard]] bool at_line_start() const {
    std::size_t i = at_;
    while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t')) --i;
    return i == 0 || text_[i - 1] == '\n';
  }
  // The separator in 1'000.
  [[nodiscard]] bool in_number() const {
    std::size_t i = at_;
    while (i > 0 && (is_word(text_[i - 1]) || text_[i - 1] == '\'')) --i;
    return i < at_ && std::isdigit(static_cast<unsigned char>(text_[i])) != 0;
  }
  [[nodiscard]] static std::size_t after(std::size_t found, std::size_t size) {
    return found == std::string::npos ? found : found + size;
  }

  void blank_to(std::size_t end) {
    end = std::min(end, text_.size());
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') text_[at_] = ' ';
    }
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  void literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    blank_to(end + 1);
  }
  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string::npos) return blank_to(text_.size());
    const std::string close = ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
    blank_to(after(text_.find(close, open), close.size()));
  }

  std::string text_;
  std::size_t at_ = 0;
};

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool front = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (front && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\n"), text.size());
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

// `template <class T>` at the front says nothing about what follows.
std::string_view without_template(std::string_view head) {
  head = trimmed(head);
  while (head.substr(0, 8) == "template") {
    std::size_t at = std::min(head.find('<'), head.size());
    for (int depth = 0; at < head.size(); ++at) {
      if (head[at] == '<') ++depth;
      if (head[at] == '>' && --depth == 0) break;
    }
    head = trimmed(head.substr(std::min(at + 1, head.size())));
  }
  return head;
}

// What an opening brace opens, from the text since the last brace or semicolon.
enum class Scope { container, function, initializer, other };
Scope scope_of(std::string_view head, bool inside_function) {
  head = without_template(head);
  if (inside_function || head.empty()) return Scope::other;
  for (const char* word : {"namespace", "class", "struct", "union", "enum"}) {
    if (head.substr(0, std::string_view(word).size()) == word) return Scope::container;
  }
  const std::size_t parameters_end = head.find(')');
  if (parameters_end == std::string_view::npos) {
    const bool container = has_word(head, "namespace") || has_word(head, "extern") ||
                           has_word(head, "class") || has_word(head, "struct");
    return container ? Scope::container : Scope::other;
  }
  if (head.back() == '=' || head.back() == ',') return Scope::other;
  // `A(int x) : a_{x} {`: the first brace initialises a member, the last opens the body.
  for (std::size_t at = parameters_end; at < head.size(); ++at) {
    const bool colon = head[at] == ':' && head[at - 1] != ':' && head.substr(at, 2) != "::";
    if (colon && (is_word(head.back()) || head.back() == '>')) return Scope::initializer;
  }
  return Scope::function;
}

// Preprocessor lines, with the lines that a backslash adds: their braces are not code.
std::string without_directives(std::string_view code) {
  std::string result(code);
  bool in_directive = false;
  std::size_t begin = 0;
  while (begin < result.size()) {
    const std::size_t end = std::min(result.find('\n', begin), result.size());
    const std::size_t first = result.find_first_not_of(" \t", begin);
    in_directive = in_directive || (first < end && result[first] == '#');
    if (in_directive) {
      in_directive = end > begin && result[end - 1] == '\\';
      std::fill(result.begin() + static_cast<std::ptrdiff_t>(begin),
                result.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    }
    begin = end + 1;
  }
  return result;
}

// Walks over code and keeps the stack of its braces.
class FunctionFinder {
 public:
  explicit FunctionFinder(std::string text) : text_(std::move(text)) {}

  std::vector<FunctionSpan> run() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == ' ' || c == '\n' || c == '\t') continue;
      if (head_line_ == 0) head_line_ = line_;
      if (c == '(') ++parentheses_;
      if (c == ')' && parentheses_ > 0) --parentheses_;
      if (parentheses_ > 0) continue;
      if (c == '{') open();
      if (c == '}') close();
      if (c == ';') next_head();
    }
    return std::move(functions_);
  }

 private:
  void open() {
    const bool inside = std::count(scopes_.begin(), scopes_.end(), Scope::function) > 0;
    scopes_.push_back(scope_of(std::string_view(text_).substr(head_, at_ - head_), inside));
    if (scopes_.back() == Scope::initializer) return;
    if (scopes_.back() == Scope::function) first_line_ = head_line_;
    next_head();
  }
  void close() {
    if (scopes_.empty()) return;
    const Scope closed = scopes_.back();
    scopes_.pop_back();
    if (closed == Scope::function) functions_.push_back({first_line_, line_});
    if (closed != Scope::initializer) next_head();
  }
  void next_head() {
    head_ = at_ + 1;
    head_line_ = 0;
  }

  std::string text_;
  std::vector<FunctionSpan> functions_;
  std::vector<Scope> scopes_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t head_ = 0;
  std::size_t head_line_ = 0;   // the first line of the head that is not blank
  std::size_t first_line_ = 0;  // of the function that is open
  std::size_t parentheses_ = 0;
};

}  // namespace

std::string without_literals(std::string_view text) {
  return Blanker(text).run();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<FunctionSpan> functions_of(std::string_view code) {
  return FunctionFinder(without_directives(code)).run();
}

}  // namespace orrery::house
