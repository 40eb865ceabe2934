// That the checker finds each fault, and spares the twin without it.
#include "house_rules.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace orrery::house;

namespace {

std::vector<std::string> rules(const std::vector<Fault>& faults) {
  std::vector<std::string> names;
  names.reserve(faults.size());
  for (const Fault& fault : faults) names.push_back(fault.rule);
  return names;
}

using Rules = std::vector<std::string>;

Rules includes(const std::string& path, const std::string& text) {
  return rules(check_includes({path, text}));
}

Rules determinism(const std::string& text, const std::vector<SourceFile>& headers = {}) {
  return rules(check_determinism({"explorers/src/pct.cpp", text}, headers));
}

std::string function_of(int line_count) {
  std::string text = "void f(int a) {\n";
  for (int i = 0; i < line_count - 2; ++i) text += "  a = '{';  // }\n";
  return text + "}\n";
}

}  // namespace

TEST_CASE("An include of a folder above is a fault, one below is none") {
  const std::string up = "#include <orrery/explorers/explore.hpp>\n";
  CHECK(includes("sim_runtime/src/machine.cpp", up) == Rules{"upward include"});
  CHECK(includes("network_model/include/orrery/network_model/a.hpp", up) ==
        Rules{"upward include"});
  CHECK(includes("cli/src/explore.cpp", up).empty());
  CHECK(includes("explorers/src/explore.cpp", "#include <orrery/scenarios/all.hpp>\n") ==
        Rules{"upward include"});
  CHECK(includes("explorers/src/pct.cpp", "#include <orrery/network_model/x.hpp>\n").empty());
}

TEST_CASE("An include in a comment or a string is none") {
  CHECK(includes("sim_runtime/src/a.cpp", "// #include <orrery/cli/x.hpp>\n").empty());
  CHECK(includes("sim_runtime/src/a.cpp", "auto s = R\"(\n#include <orrery/cli/x.hpp>\n)\";\n")
            .empty());
}

TEST_CASE("Nobody reaches into the private sources of another folder") {
  CHECK(includes("cli/src/a.cpp", "#include \"../../explorers/src/pct.hpp\"\n") ==
        Rules{"private include"});
  CHECK(includes("cli/src/a.cpp", "#include \"sim_runtime/src/machine.hpp\"\n") ==
        Rules{"private include"});
  CHECK(includes("cli/src/a.cpp", "#include \"arguments.hpp\"\n").empty());
  CHECK(includes("cli/src/deep/a.cpp", "#include \"../arguments.hpp\"\n").empty());
}

TEST_CASE("A public header includes the standard library and public headers alone") {
  const std::string path = "sim_runtime/include/orrery/sim_runtime/a.hpp";
  CHECK(includes(path, "#include <simgrid/s4u.hpp>\n") == Rules{"foreign include"});
  CHECK(includes(path, "#include <boost/fiber/all.hpp>\n") == Rules{"foreign include"});
  CHECK(includes(path, "#include <fmt/format.h>\n") == Rules{"foreign include"});
  CHECK(includes(path, "#include \"machine.hpp\"\n") == Rules{"private include"});
  CHECK(includes(path, "#include <vector>\n#include <stdint.h>\n").empty());
  CHECK(includes("sim_runtime/src/a.cpp", "#include <boost/fiber/all.hpp>\n").empty());
}

TEST_CASE("The wall clock may not be read where runs are decided") {
  CHECK(determinism("auto now = std::chrono::steady_clock::now();\n") == Rules{"wall clock"});
  CHECK(determinism("clock_gettime(CLOCK_MONOTONIC, &now);\n") == Rules{"wall clock"});
  CHECK(determinism("auto seed = time(nullptr);\n") == Rules{"wall clock"});
  CHECK(determinism("// steady_clock is not for us\nauto s = \"system_clock\";\n").empty());
  CHECK(determinism("auto date = virtual_time(0);\n").empty());
  CHECK(determinism("void f(std::chrono::steady_clock::time_point) override {}\n").empty());
  CHECK(check_determinism({"cli/src/progress.cpp", "steady_clock::now();\n"}, {}).empty());
}

TEST_CASE("Foreign randomness, hashes, addresses and locales decide nothing") {
  CHECK(determinism("std::random_device device;\n") == Rules{"foreign randomness"});
  CHECK(determinism("std::uniform_int_distribution<int> d(1, 6);\n") ==
        Rules{"foreign randomness"});
  CHECK(determinism("int x = rand();\n") == Rules{"foreign randomness"});
  CHECK(determinism("std::shuffle(a, b, c);\n") == Rules{"foreign randomness"});
  CHECK(determinism("auto h = std::hash<std::string>{}(name);\n") == Rules{"hash"});
  CHECK(determinism("std::map<Task*, int> tasks;\n") == Rules{"address order"});
  CHECK(determinism("std::locale::global(here);\n") == Rules{"locale"});
  CHECK(determinism("std::map<std::string, Task*> tasks; auto operand = grand();\n").empty());
}

TEST_CASE("Walking over an unordered container is a fault, looking into it is none") {
  const std::string member = "std::unordered_map<int, std::vector<int>> waiting_;\n";
  CHECK(determinism(member + "for (auto& [id, list] : waiting_) wake(list);\n") ==
        Rules{"hash order"});
  CHECK(determinism(member + "auto first = waiting_.begin();\n") == Rules{"hash order"});
  CHECK(determinism(member + "waiting_.find(3)->second.clear();\n").empty());
  CHECK(determinism("std::vector<int> waiting_;\nfor (int id : waiting_) wake(id);\n").empty());
}

TEST_CASE("A container that is declared in an included header counts too") {
  const SourceFile header{"explorers/src/pct.hpp", "std::unordered_set<int> seen_;\n"};
  const std::string walk = "for (int id : seen_) wake(id);\n";
  CHECK(determinism("#include \"pct.hpp\"\n" + walk, {header}) == Rules{"hash order"});
  CHECK(determinism("#include \"pos.hpp\"\n" + walk, {header}).empty());
}

TEST_CASE("A file has at most 500 lines") {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "int a;\n";
  CHECK(check_size_and_leftovers({"cli/src/a.cpp", text}).empty());
  CHECK(rules(check_size_and_leftovers({"cli/src/a.cpp", text + "\n"})) == Rules{"long file"});
}

TEST_CASE("A function has at most 80 lines, wherever it stands") {
  const auto check = [](const std::string& text) {
    return rules(check_size_and_leftovers({"cli/src/a.cpp", text}));
  };
  CHECK(check(function_of(80)).empty());
  CHECK(check(function_of(81)) == Rules{"long function"});
  CHECK(check("namespace a {\nclass B {\n" + function_of(81) + "};\n}\n") ==
        Rules{"long function"});
  CHECK(check("#define OPEN {\n" + function_of(80) + function_of(80)).empty());
  CHECK(check("constexpr int table[] = {\n" + std::string(100, '\n') + "};\n").empty());
}

TEST_CASE("A long class with short functions is no long function") {
  std::string text = "template <class T>\nstruct alignas(64) A {\n";
  for (int i = 0; i < 30; ++i) text += "  int f() const {\n    return 1;\n  }\n";
  CHECK(check_size_and_leftovers({"cli/src/a.cpp", text + "};\n"}).empty());
  const std::string long_template = "template <class T>\n" + function_of(81);
  CHECK(rules(check_size_and_leftovers({"cli/src/a.cpp", long_template})) ==
        Rules{"long function"});
}

TEST_CASE("A member initialiser with braces does not hide the body behind it") {
  const std::string text = "A::A(int x)\n    : a_{x}, b_{} {\n" + std::string(90, '\n') + "}\n";
  CHECK(rules(check_size_and_leftovers({"cli/src/a.cpp", text})) == Rules{"long function"});
}

TEST_CASE("What is left for later is found in comments too") {
  const std::string word = std::string("TO") + "DO";
  CHECK(rules(check_size_and_leftovers({"cli/src/a.cpp", "// " + word + ": later\n"})) ==
        Rules{"leftover"});
  CHECK(check_size_and_leftovers({"cli/src/a.cpp", "int " + word + "S = 1;\n"}).empty());
}

TEST_CASE("An allowance spares one rule in one file, and must be needed") {
  const std::vector<Fault> faults{{"explorers/src/limit.cpp", 3, "wall clock", "reads it"}};
  const std::vector<Allowance> right{{"explorers/src/limit.cpp", "wall clock", "limits"}};
  CHECK(without_allowed(faults, right).empty());
  CHECK(rules(without_allowed(faults, {})) == Rules{"wall clock"});
  CHECK(rules(without_allowed({}, right)) == Rules{"idle allowance"});
  const std::vector<Allowance> other{{"explorers/src/limit.cpp", "locale", "limits"}};
  CHECK(rules(without_allowed(faults, other)) == Rules{"wall clock", "idle allowance"});
}
