// `show --graph`: a run as a page, which Chromium opens where it is installed.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Rank 0 takes what comes from the others, and fails if it is told to and rank 1 is not the first.
const std::string gathering = R"(
#include <assert.h>
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size, got = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < size; ++i) {
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(argc == 1 || got == i);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
)";

json runs_of(const std::string& page) {
  const std::string mark = "id=\"runs\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

/// Opens a page with this script at its end, which puts an object into `result`; gives that.
json opened(const WorkingDirectory& here, const std::string& page, const std::string& script) {
  std::string html = here.read(page);
  html.insert(html.rfind("</body>"),
              "<script>addEventListener('load', () => { const page = window.orrery; let result;\n" +
                  script + "\ndocument.body.dataset.result = JSON.stringify(result); });</script>");
  here.write("opened.html", html);
  const CommandResult shown = here.shell(
      "timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir=profile "
      "--window-size=1200,800 --enable-logging=stderr --virtual-time-budget=2000 --dump-dom "
      "file://$PWD/opened.html");
  INFO(shown.err);
  REQUIRE(shown.status == 0);
  CHECK_FALSE(has(shown.err, "CONSOLE"));
  const std::string mark = "data-result=\"";
  const std::size_t begin = shown.out.find(mark);
  REQUIRE(begin != std::string::npos);
  std::string text = shown.out.substr(
      begin + mark.size(), shown.out.find('"', begin + mark.size()) - begin - mark.size());
  const auto replace = [&](const std::string& entity, const std::string& letter) {
    for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at)) {
      text.replace(at, entity.size(), letter);
    }
  };
  replace("&quot;", "\"");
  replace("&lt;", "<");
  replace("&gt;", ">");
  replace("&amp;", "&");
  return json::parse(text);
}

bool has_chromium(const WorkingDirectory& here) {
  if (here.shell("command -v chromium").status == 0) return true;
  WARN("skipped: chromium is not here (apt-get install chromium)");
  return false;
}

}  // namespace

TEST_CASE("show --graph writes a page of a run, and says what is on it") {
  const WorkingDirectory here;
  build_app(here, gathering, "-g");
  for (const char* const method : {"choices", "racing-messages", "wildcards"}) {
    INFO(method);
    REQUIRE(here.orrery(std::string("run -n 3 --record app.orr --method ") + method + " ./app")
                .status == 0);
    const CommandResult shown = here.orrery("show app.orr --graph app.html");
    INFO(shown.out << shown.err);
    REQUIRE(shown.status == 0);
    CHECK(has(shown.out, "graph:     app.html\n"));
    const json run = runs_of(here.read("app.html")).at(0);
    CHECK(run.at("name") == "app.orr");
    CHECK(run.at("races").at("count") == 1);
    CHECK(run.at("network").at("nics").is_array());
    const std::string table = here.orrery("show --export csv app.orr").out;
    std::size_t messages = 0;
    for (std::size_t at = table.find("\nmessage,"); at != std::string::npos;
         at = table.find("\nmessage,", at + 1)) {
      ++messages;
    }
    CHECK(run.at("messages").at("count") == messages);
  }
  const json told = json::parse(here.orrery("show --json app.orr --graph app.html").out);
  const json graph = told.at("stats").at("graph");
  CHECK(graph.at("file") == "app.html");
  CHECK(graph.at("runs").at(0).at("pieces") == graph.at("runs").at(0).at("operations"));
  CHECK(graph.at("runs").at(0).at("is_thinned") == false);
  CHECK(here.files() == std::vector<std::string>{"app", "app.c", "app.html", "app.orr"});
}

TEST_CASE("A page has intervals, stations of cards, and a run that died beside another one") {
  const WorkingDirectory here;
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --platform myrinet-pcixd --checkpoint-every 1 --record cut.orr "
                      "--method wildcards ./app")
              .status == 0);
  REQUIRE(here.orrery("show cut.orr --graph cut.html").status == 0);
  const json cut = runs_of(here.read("cut.html")).at(0);
  CHECK(cut.at("intervals").size() > 3);
  CHECK(cut.at("network").at("nics").at(0).at("stations").size() > 1);

  REQUIRE(here.orrery("explore -n 3 --runs 100 -o bug.orr ./app strict").status == 1);
  REQUIRE(here.orrery("run -n 3 --record good.orr ./app strict").status <= 1);
  REQUIRE(here.orrery("show bug.orr --graph both.html --beside good.orr").status == 0);
  const json both = runs_of(here.read("both.html"));
  REQUIRE(both.size() == 2);
  CHECK(both.at(0).at("name") == "bug.orr");
  CHECK(both.at(0).at("findings").size() == 1);
  CHECK(both.at(1).at("name") == "good.orr");
}

TEST_CASE("A page that cannot be made is one error, and leaves nothing") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("run --record good.orr wildcard_race:mended").status == 0);
  here.write("old.html", "before\n");
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --record gone.orr ./app").status == 0);
  REQUIRE(here.shell("rm app app.c").status == 0);
  const std::vector<std::string> before = here.files();
  struct Case {
    std::string words;
    std::string what;
  };
  const std::vector<Case> cases = {
      {"good.orr --graph no/such.html", "there is no directory"},
      {"good.orr --graph .", "is a directory"},
      {"good.orr --graph old.html --beside none.orr", "none.orr"},
      {"good.orr --beside good.orr", "--graph"},
      {"gone.orr --graph old.html", "its program is not there any more"},
      {"good.orr --graph new.html --export csv", "standard output"},
      {"good.orr --graph /dev/full", "cannot be written"},
  };
  for (const Case& one : cases) {
    INFO(one.words);
    const CommandResult result = here.orrery("show " + one.words);
    INFO(result.out << result.err);
    CHECK(result.status == 2);
    CHECK(has(result.err, one.what));
    CHECK(here.read("old.html") == "before\n");
    CHECK(here.files() == before);
  }
  // A limit on the size of files stands for the disk.
  for (const char* const page : {"new.html", "old.html"}) {
    const CommandResult full = here.shell(
        std::string("(trap '' XFSZ; ulimit -f 0; '" ORRERY_BINARY "' show good.orr --graph ") +
        page + "; echo status $?) 2>&1 | cat");
    INFO(full.out);
    CHECK(has(full.out, "status 2"));
    CHECK(has(full.out, "cannot be written"));
    CHECK(here.read("old.html") == "before\n");
    CHECK(here.files() == before);
  }
}

TEST_CASE("Chromium opens a page without an error, and its views, keys and search work") {
  const WorkingDirectory here;
  if (!has_chromium(here)) return;
  build_app(here, gathering, "-g");
  REQUIRE(here.orrery("run -n 3 --platform myrinet-pcixd --record app.orr ./app").status == 0);
  REQUIRE(here.orrery("explore -n 3 --runs 100 -o bug.orr ./app strict").status == 1);
  REQUIRE(here.orrery("show app.orr --graph app.html --beside bug.orr").status == 0);
  const json runs = runs_of(here.read("app.html"));
  const json seen = opened(here, "app.html", R"(
    const [pane, beside] = page.panes;
    const key = (name) => document.dispatchEvent(new KeyboardEvent('keydown', { key: name }));
    const pixels = () => {
      for (const one of page.panes) one.picture.draw();
      const { canvas } = pane.picture;
      const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
    };
    result = { operations: pane.run.whole, messages: pane.run.messages.count, races: pane.run.races.count,
      ends: Array.from(pane.run.end.subarray(0, pane.run.whole)), findings: beside.run.findings.length,
      title: document.title, wide: document.documentElement.scrollWidth <= innerWidth, colours: [] };
    for (const view of ['1', '2', '3']) { key(view); result.colours.push(pixels()); }
    result.rows = pane.rowNames();
    key('1'); key('t'); result.colours.push(pixels());
    key('r');
    result.selected = pane.run.label(pane.selected.operation);
    result.panel = document.getElementById('panel').textContent;
    key('Enter');
    result.other = pane.run.label(pane.selected.operation);
    key('+'); key('d');
    result.zoomed = pane.range.high - pane.range.low < pane.axis.high - pane.axis.low;
    key('0');
    page.setView('events');
    pixels();
    const box = pane.canvas.getBoundingClientRect();
    const sent = pane.run.messages.send[0];
    const at = { clientX: box.left + pane.picture.x(sent), bubbles: true, cancelable: true,
      clientY: box.top + pane.picture.middleOf(pane.run.rowOf[pane.run.task[sent]]) };
    pane.canvas.dispatchEvent(new PointerEvent('pointermove', at));
    result.hint = document.getElementById('hint').textContent;
    result.isHintShown = !document.getElementById('hint').hidden;
    pane.canvas.dispatchEvent(new WheelEvent('wheel', { ...at, deltaY: -300 }));
    result.wheeled = pane.range.high - pane.range.low < pane.axis.high - pane.axis.low;
    location.hash = '#view=time&run=2&operation=1.2&theme=light';
    page.restore();
    result.restored = [page.view, page.panes.indexOf(page.current), beside.run.idText(beside.selected.operation),
      document.documentElement.className];
    page.focusPane(pane);
    page.search('mpi_send tag:4');
    result.found = pane.matches.length;
    key('n');
    result.match = pane.matches.includes(pane.selected.operation);
    for (const tab of ['races', 'counters', 'keys']) page.details.show(tab);
    pixels();)");
  CHECK(seen.at("operations") == runs.at(0).at("operations").at("count"));
  CHECK(seen.at("messages") == runs.at(0).at("messages").at("count"));
  CHECK(seen.at("races") == 1);
  CHECK(seen.at("findings") == 1);
  CHECK(has(seen.at("title"), "app.orr beside bug.orr"));
  CHECK(seen.at("wide") == true);
  for (const json& colours : seen.at("colours")) CHECK(colours.get<int>() > 8);
  CHECK(has(seen.at("rows").dump(), "host-0 processor"));
  CHECK(seen.at("selected") == "MPI_Recv");
  CHECK(has(seen.at("panel"), "Could have got instead"));
  CHECK(seen.at("other") == "MPI_Send");
  CHECK(seen.at("zoomed") == true);
  for (const char* const part : {"MPI_Send", "app.c:9", "tag4", "bytes4", "functionmain"}) {
    INFO(seen.at("hint"));
    CHECK(has(seen.at("hint"), part));
  }
  CHECK(seen.at("isHintShown") == true);
  CHECK(seen.at("wheeled") == true);
  CHECK(seen.at("restored") == json::array({"time", 1, "1.2", ""}));
  CHECK(seen.at("found") == 2);
  CHECK(seen.at("match") == true);
  CHECK(seen.at("ends").back() == runs.at(0).at("end_ps"));
}

/// One thread writes what another one reads; with MENDED a lock keeps them apart.
const std::string racing_threads = R"(
#include <pthread.h>
static int hits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void enter(void) {
#ifdef MENDED
  pthread_mutex_lock(&lock);
#endif
}
static void leave(void) {
#ifdef MENDED
  pthread_mutex_unlock(&lock);
#endif
}
static void *count(void *argument) {
  enter();
  hits = 1; /* line 17 */
  leave();
  return argument;
}
static void *look(void *argument) {
  enter();
  int seen = hits; /* line 23 */
  leave();
  return seen > 5 ? argument : 0;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, count, 0);
  pthread_create(&other, 0, look, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  return 0;
}
)";

/// The lines of the two accesses that each data race of a run's page joins.
std::vector<std::vector<int>> lines_of_data_races(const WorkingDirectory& here,
                                                  const std::string& log) {
  const CommandResult shown = here.orrery("show " + log + " --graph data.html");
  INFO(shown.err);
  REQUIRE(shown.status == 0);
  const json run = runs_of(here.read("data.html")).at(0);
  std::vector<std::vector<int>> lines;
  for (const json& race : run.at("dataRaces")) {
    const json& where = run.at("findings").at(race.at("finding").get<std::size_t>()).at("where");
    CHECK(race.at("first") < race.at("second"));
    CHECK(race.at("second") < run.at("operations").at("count"));
    lines.push_back({where.at(1).at("line"), where.at(0).at("line")});
  }
  return lines;
}

TEST_CASE("A page has the two accesses of each data race of its log, and none of the mended twin") {
  const WorkingDirectory here;
  for (const std::string detector : {"fasttrack", "recplay"}) {
    CAPTURE(detector);
    // By the order that synchronisation makes, too: there accesses are no steps.
    for (const std::string preempt : {"", "--preempt all "}) {
      CAPTURE(preempt);
      build_app(here, racing_threads, "-g -pthread");
      const std::string run =
          "run --seed 3 " + preempt + "--detect " + detector + " --record data.orr ./app";
      REQUIRE(here.orrery(run).status == 1);
      const auto races = lines_of_data_races(here, "data.orr");
      REQUIRE(races.size() == 1);
      const bool writes_first = races[0] == std::vector{17, 23};
      const bool reads_first = races[0] == std::vector{23, 17};
      CHECK((writes_first || reads_first));

      build_app(here, racing_threads, "-g -pthread -DMENDED");
      REQUIRE(here.orrery(run).status == 0);
      CHECK(lines_of_data_races(here, "data.orr").empty());
    }
  }
  // Of a program for the C++ interface they are operations anyway.
  REQUIRE(here.orrery("explore --detect fasttrack -o lost.orr lost_update").status == 1);
  CHECK(lines_of_data_races(here, "lost.orr") == std::vector<std::vector<int>>{{13, 12}, {13, 13}});
}

TEST_CASE("Chromium draws data races, lists them, and goes from one access to the other") {
  const WorkingDirectory here;
  if (!has_chromium(here)) return;
  build_app(here, racing_threads, "-g -pthread");
  REQUIRE(here.orrery("run --detect fasttrack --record data.orr ./app").status == 1);
  REQUIRE(here.orrery("show data.orr --graph data.html").status == 0);
  const json seen = opened(here, "data.html", R"(
    const [pane] = page.panes;
    pane.picture.draw();
    const key = (name) => document.dispatchEvent(new KeyboardEvent('keydown', { key: name }));
    key('r');
    result = { first: pane.run.line(pane.selected.operation),
      panel: document.getElementById('panel').textContent };
    pane.picture.draw();
    key('r');
    result.second = pane.run.line(pane.selected.operation);
    page.search('racing');
    result.found = pane.matches.length;
    page.details.show('races');
    result.list = document.getElementById('panel').textContent;)");
  CHECK(seen.at("first") != seen.at("second"));
  CHECK(has(seen.at("first"), "app.c:"));
  CHECK(has(seen.at("panel"), "Races with"));
  CHECK(seen.at("found") == 2);
  CHECK(has(seen.at("list"), "app.c:17"));
  CHECK(has(seen.at("list"), "app.c:23"));
}

TEST_CASE("Chromium shows names as they are, and says that a run is empty") {
  const WorkingDirectory here;
  if (!has_chromium(here)) return;
  here.write("names.c", R"(
int main(void) { return 0; }
)");
  REQUIRE(here.orrery("cc -g -o names names.c").status == 0);
  REQUIRE(
      here.orrery("run --record names.orr ./names '</script><script>alert(1)</script>'").status ==
      0);
  REQUIRE(here.orrery("show names.orr --graph names.html").status == 0);
  const json seen = opened(here, "names.html", R"(
    result = { program: document.getElementById('title').textContent, scripts: document.scripts.length,
      bold: document.querySelectorAll('#panes b b').length,
      notices: Array.from(document.querySelectorAll('.notice'), (one) => one.textContent) };)");
  CHECK(has(seen.at("notices").dump(), "This run is empty"));
  CHECK(has(seen.at("program"), "</script><script>alert(1)</script>"));
  CHECK(seen.at("scripts") == 3);  // with that of this test
  CHECK(seen.at("bold") == 0);
}
