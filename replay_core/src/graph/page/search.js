// Which operations fit some words.

/** A word of a search: `tag:4`, `racing`, `3.17`, or a part of a name. */
function matcherOf(run, word) {
  const number = /^(tag|peer|bytes):(\d+)$/.exec(word);
  if (number) {
    const [, column, text] = number;
    const wanted = Number(text);
    return (i) => run[column][i] === wanted;
  }
  if (/^\d+\.\d+$/.test(word)) return (i) => run.idText(i) === word;
  if (word === 'racing') {
    const { send, receive, racing, count } = run.messages;
    const isRacing = new Uint8Array(run.count);
    for (let i = 0; i < count; ++i) {
      if (!racing[i]) continue;
      if (send[i] >= 0) isRacing[send[i]] = 1;
      if (receive[i] >= 0) isRacing[receive[i]] = 1;
    }
    for (const operation of run.racingAccesses) isRacing[operation] = 1;
    return (i) => isRacing[i] === 1;
  }
  // Names are few: each is looked at once.
  const fits = (text) => text.toLowerCase().includes(word);
  const tasks = run.tasks.map((task) => fits(task.name));
  const calls = run.calls.map(fits);
  const kinds = run.kinds.map(fits);
  const objects = run.objects.map(fits);
  const places = run.places.map((place) => fits(placeText(place)) || fits(place.function));
  return (i) => calls[run.call[i]] || kinds[run.kind[i]] || tasks[run.task[i]] || objects[run.object[i]]
    || places[run.place[i]];
}

/** Numbers of operations, ascending; a task's name may have a blank: `rank 2` is one word in quotes. */
function search(run, text) {
  const words = (text.toLowerCase().match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
  const matchers = words.filter((word) => word !== '').map((word) => matcherOf(run, word));
  if (matchers.length === 0) return [];
  const found = [];
  for (let i = 0; i < run.count; ++i) {
    if (matchers.every((matcher) => matcher(i))) found.push(i);
  }
  return found;
}

/** What two runs of one program do otherwise: operations that the other does not have, receives that
 *  got the message of another task, and other values. */
class Comparison {
  constructor(mine, other) {
    this.other = other;
    this.tasks = new Map(other.tasks.map((task, number) => [task.name, number]));
    this.mine = mine;
    this.differing = [];
    for (let i = 0; i < mine.whole; ++i) {
      if (this.twin(i) < 0 || this.difference(i) !== '') this.differing.push(i);
    }
  }

  twin(operation) {
    const { mine, other } = this;
    if (operation >= mine.whole) return -1;
    const task = this.tasks.get(mine.tasks[mine.task[operation]].name) ?? -1;
    const found = other.find(task, mine.number[operation]);
    return found >= 0 && mine.label(operation) === other.label(found) ? found : -1;
  }

  static sender(run, operation) {
    const received = run.receivedBy.of(operation);
    const send = received.length === 1 ? run.messages.send[received[0]] : -1;
    return send >= 0 ? run.tasks[run.task[send]].name : '';
  }

  static contents(run, operation) {
    return [...run.sentBy.of(operation)].map((message) => run.messages.contents[message]).join();
  }

  /** In a sentence; empty: there is none. */
  difference(operation) {
    const { mine, other } = this;
    const twin = this.twin(operation);
    if (twin < 0) return '';
    const here = Comparison.sender(mine, operation);
    const there = Comparison.sender(other, twin);
    if (here !== there) return `Here it got the message of ${here || 'nobody'}, there that of ${there || 'nobody'}.`;
    const [value, before] = [mine.valueText(operation), other.valueText(twin)];
    if (value !== before) return `Here the value is ${value || 'not known'}, there ${before || 'not known'}.`;
    const isSame = Comparison.contents(mine, operation) === Comparison.contents(other, twin);
    return isSame ? '' : 'It sends other bytes here.';
  }
}
