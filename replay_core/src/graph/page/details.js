// The panel at the side: what is selected, races, counters, keys.

/** All that is known of an operation, as pairs of words. */
function operationFields(run, operation) {
  const task = run.tasks[run.task[operation]];
  const place = run.places[run.place[operation]];
  const kind = run.kinds[run.kind[operation]];
  const fields = [['task', task.name]];
  const add = (name, value) => { if (value !== '' && value !== undefined) fields.push([name, value]); };
  if (run.label(operation) !== kind) add('does', kind);
  add('line', run.line(operation));
  add('function', place.function);
  add('object', run.objects[run.object[operation]]);
  if (run.peer[operation] >= 0) add('peer', 'rank ' + run.peer[operation]);
  if (run.tag[operation] >= 0) add('tag', String(run.tag[operation]));
  if (run.bytes[operation] > 0) add('bytes', countText(run.bytes[operation]));
  add('value', run.valueText(operation));
  if (run.flags[operation] & TIMED_OUT) add('ended', 'by its deadline');
  add('begin', timeText(run.begin[operation]));
  add('end', timeText(run.end[operation]));
  add('took', timeText(run.end[operation] - run.begin[operation]));
  add('id', run.idText(operation));
  if (run.pieces[operation] > 1) add('stands for', run.pieces[operation] + ' operations, thinned');
  const interval = run.intervalOf(operation);
  if (interval) add('interval', interval.name + (interval.needs ? ', needs ' + interval.needs : ''));
  return fields;
}

function messageFields(run, message) {
  const { source, destination, tag, bytes, context, send, receive, racing } = run.messages;
  const fields = [
    ['from', 'rank ' + source[message]], ['to', 'rank ' + destination[message]], ['tag', String(tag[message])],
    ['bytes', countText(bytes[message])], ['communicator', String(context[message])],
  ];
  if (run.messages.contents[message] !== 0) {
    fields.push(['contents', 'hash ' + run.messages.contents[message].toString(16).padStart(8, '0')]);
  }
  if (racing[message]) fields.push(['races', 'its receive could have got another one, or another receive this one']);
  if (send[message] >= 0) fields.push(['sent', timeText(run.end[send[message]])]);
  fields.push(['received', receive[message] >= 0 ? timeText(run.end[receive[message]]) : 'by nobody']);
  if (send[message] >= 0 && receive[message] >= 0) {
    fields.push(['on its way', timeText(run.end[receive[message]] - run.end[send[message]])]);
  }
  return fields;
}

function list(fields) {
  return element('dl', {}, ...fields.flatMap(([name, value]) => [
    element('dt', { textContent: name }), element('dd', { textContent: value })]));
}

const ROWS_MAX = 1000;  // of a table

class Details {
  static TABS = [['selection', 'Selection'], ['races', 'Races'], ['counters', 'Counters'], ['keys', 'Keys']];

  constructor(page) {
    this.page = page;
    this.panel = document.getElementById('panel');
    this.tabs = Details.TABS.map(([name, words]) => {
      const tab = element('button', { type: 'button', role: 'tab', textContent: words, id: 'tab-' + name });
      tab.setAttribute('aria-controls', 'panel');
      tab.addEventListener('click', () => this.show(name));
      tab.addEventListener('keydown', (event) => this.step(event));
      return tab;
    });
    document.getElementById('tabs').append(...this.tabs);
    this.show('selection');
  }

  step(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const tab = this.tabs[(this.tabs.indexOf(event.target) + by + this.tabs.length) % this.tabs.length];
    tab.focus();
    tab.click();
  }

  show(name) {
    this.shown = name;
    this.tabs.forEach((tab, i) => {
      const isShown = Details.TABS[i][0] === name;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    });
    this.panel.setAttribute('aria-labelledby', 'tab-' + name);
    this.refresh();
  }

  refresh() {
    const pane = this.page.current;
    const made = {
      selection: () => this.selection(pane), races: () => this.races(pane),
      counters: () => this.counters(pane), keys: () => this.keys(),
    }[this.shown]();
    this.panel.replaceChildren(...made);
    this.panel.scrollTop = 0;
  }

  heading(text) {
    return element('h3', { textContent: text });
  }

  /** A button that selects an operation. */
  go(pane, operation, text, className = '') {
    const button = element('button', { type: 'button', textContent: text, className });
    button.addEventListener('click', () => this.page.select(pane, { operation, message: -1 }, true));
    return element('li', {}, button);
  }

  operationText(run, operation) {
    const line = run.line(operation);
    return `${run.tasks[run.task[operation]].name}: ${run.label(operation)}${line ? ', ' + line : ''}`;
  }

  selection(pane) {
    const { run, selected } = pane;
    if (selected.message >= 0) return this.messageParts(pane, selected.message);
    if (selected.operation < 0) {
      return [element('p', { textContent: 'Click an operation or a message, or press an arrow key. The pointer over '
        + 'one shows its call, line, tag, bytes and value.' }), this.heading('The run'), list(this.aboutRun(run))];
    }
    const operation = selected.operation;
    const parts = [this.heading(run.label(operation)), list(operationFields(run, operation))];
    const add = (title, entries) => {
      if (entries.length === 0) return;
      parts.push(this.heading(title), element('ul', {}, ...entries.slice(0, 60)));
      if (entries.length > 60) parts.push(element('p', { textContent: `and ${entries.length - 60} more` }));
    };
    const { send, receive, racing } = run.messages;
    const end = (message, other, words) => (other >= 0
      ? this.go(pane, other, words + this.operationText(run, other), racing[message] ? 'racing' : '')
      : element('li', { textContent: 'received by nobody' }));
    add('Sent', [...run.sentBy.of(operation)].map((one) => end(one, receive[one], 'to ')));
    add('Received', [...run.receivedBy.of(operation)].map((one) => end(one, send[one], 'from ')));
    add('Could have got instead', [...run.racesOf.of(operation)].map((race) => {
      const other = send[run.races.other[race]];
      return this.go(pane, other, 'from ' + this.operationText(run, other), 'racing');
    }));
    add('Races with', run.dataRaces.flatMap(({ first, second }) => {
      const other = first === operation ? second : second === operation ? first : -1;
      return other < 0 ? [] : [this.go(pane, other, this.operationText(run, other), 'racing')];
    }));
    const twin = this.page.twinOf(pane, operation);
    if (twin) {
      parts.push(this.heading('In ' + twin.pane.run.name));
      parts.push(twin.operation >= 0
        ? element('ul', {}, this.go(twin.pane, twin.operation, this.operationText(twin.pane.run, twin.operation)))
        : element('p', { textContent: 'This operation is not in that run.' }));
      if (twin.difference) parts.push(element('p', { textContent: twin.difference }));
    }
    return parts;
  }

  messageParts(pane, message) {
    const { run } = pane;
    const { send, receive } = run.messages;
    const ends = [];
    if (send[message] >= 0) {
      ends.push(this.go(pane, send[message], 'sent by ' + this.operationText(run, send[message])));
    }
    if (receive[message] >= 0) {
      ends.push(this.go(pane, receive[message], 'received by ' + this.operationText(run, receive[message])));
    }
    return [this.heading('Message'), list(messageFields(run, message)), this.heading('Ends'),
      element('ul', {}, ...ends)];
  }

  aboutRun(run) {
    const dataRaces = run.findings.filter(({ title }) => title.startsWith('data_race')).length;
    return [...run.about, ['operations', countText(run.operations.total)], ['messages', countText(run.messages.total)],
      ['races of messages', run.are_races_marked ? this.raceCountText(run) : 'not looked for'],
      ['data races', dataRaces > 0 ? countText(dataRaces) : 'none in the log']];
  }

  /** `12`, or `first 20 000 of 45 000`. */
  raceCountText(run) {
    const { count, total, number } = run.races;
    if (count === total) return countText(total);
    const which = number[count - 1] === count ? 'first ' : '';
    return `${which}${countText(count)} of ${countText(total)}`;
  }

  races(pane) {
    return [...this.dataRaces(pane), ...this.messageRaces(pane)];
  }

  /** Those that the log has found: by a detector, when it was made. */
  dataRaces(pane) {
    const { run } = pane;
    const parts = [];
    run.findings.forEach(({ title, message, where }, number) => {
      if (!title.startsWith('data_race')) return;
      const race = run.dataRaces.find(({ finding }) => finding === number);
      const ends = where.slice(0, 2).map((place, i) => {
        const text = `${place.task} ${place.role}: ${placeText(place)}`;
        return race ? this.go(pane, i === 0 ? race.second : race.first, text, 'racing')
          : element('li', { textContent: text });
      });
      parts.push(this.heading('Data race'), element('p', { textContent: message }), element('ul', {}, ...ends));
    });
    if (parts.length > 0 && run.messages.total > 0) parts.push(this.heading('Messages'));
    return parts;
  }

  messageRaces(pane) {
    const { run } = pane;
    if (run.messages.total === 0 && run.findings.some(({ title }) => title.startsWith('data_race'))) return [];
    if (!run.are_races_marked) return [element('p', { textContent: 'In a run this long races were not looked for.' })];
    const { count, total, number, receiver, taken, other } = run.races;
    if (total === 0) return [element('p', { textContent: 'No receive could have got another message than it did. Data races are here '
      + 'if the log has some: orrery replay --detect fasttrack --record NEW OLD makes one that has.' })];
    const { send } = run.messages;
    const entries = [];
    for (let i = 0; i < Math.min(count, 500); ++i) {
      const name = (message) => run.tasks[run.task[send[message]]].name;
      const text = `${number[i]}. ${this.operationText(run, receiver[i])} got the message of ${name(taken[i])}, could have `
        + `got that of ${name(other[i])}`;
      entries.push(this.go(pane, receiver[i], text, 'racing'));
    }
    const parts = [element('p', { textContent: 'Numbers as orrery show --races has them; orrery replay --swap makes '
      + 'one go the other way.' }), element('ul', {}, ...entries)];
    const more = total - entries.length;
    if (more > 0) parts.push(element('p', { textContent: `and ${countText(more)} more` }));
    if (count < total) parts.push(element('p', { textContent: `In the picture: ${this.raceCountText(run)}.` }));
    return parts;
  }

  counters(pane) {
    const { run } = pane;
    const rows = run.rows.slice(0, ROWS_MAX).map((row) => this.countersOf(run, row));
    const head = ['task', 'operations', 'sent', 'received', 'time'];
    const cell = (name, text) => element(name, { textContent: text });
    const body = rows.map((row) => {
      const title = row.shares.map(([name, part]) => `${name} ${part}`).join(', ');
      const parts = row.shares.map(([, part, category]) => element('span', {
        style: `width: ${part}; background: var(--${category})` }));
      return element('tr', {}, cell('td', row.name), cell('td', countText(row.operations)),
        cell('td', countText(row.sent)), cell('td', countText(row.received)),
        element('td', {}, element('span', { className: 'shares', title }, ...parts)));
    });
    const table = element('table', {}, element('thead', {}, element('tr', {}, ...head.map((text) => cell('th', text)))),
      element('tbody', {}, ...body));
    const parts = [this.heading('Tasks'), table];
    if (run.rows.length > ROWS_MAX) parts.push(element('p', { textContent: `and ${run.rows.length - ROWS_MAX} more` }));
    if (run.about.length > 0) parts.push(this.heading('The run'), list(this.aboutRun(run)));
    if (pane.network.length > 0) parts.push(this.heading('Cards and links'), this.networkTable(pane));
    return parts;
  }

  countersOf(run, row) {
    const times = new Float64Array(CATEGORIES.length);
    const { sent, received } = run.counts[row.task];
    const counts = { name: row.name, operations: 0, sent, received, shares: [] };
    for (const operation of row.operations) {
      times[run.category[operation]] += run.end[operation] - run.begin[operation];
      if (operation < run.whole) counts.operations += run.pieces[operation];
    }
    const whole = times.reduce((sum, time) => sum + time, 0);
    CATEGORIES.forEach((category, i) => {
      if (times[i] === 0) return;
      counts.shares.push([category.words, percentText(times[i], whole).replace(' ', ''), category.name]);
    });
    return counts;
  }

  networkTable(pane) {
    const cell = (name, text) => element(name, { textContent: text });
    const rows = pane.network.slice().sort((a, b) => b.busy_ps - a.busy_ps).slice(0, 100).map((row) => element('tr', {},
      cell('td', row.name), cell('td', percentText(row.busy_ps, pane.run.network.end_ps)),
      cell('td', timeText(row.longest_wait_ps, 1e3)), cell('td', countText(row.longest_queue))));
    const head = ['name', 'busy', 'longest wait', 'queue'].map((text) => cell('th', text));
    return element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
  }

  keys() {
    const keys = [
      ['\u2190 \u2192', 'operation before, after, in the task'],
      ['\u2191 \u2193', 'nearest operation of the task above, below'],
      ['Enter', 'to the other end of its message'], ['r  R', 'next, previous receive or access that races'],
      ['+ \u2212', 'zoom'], ['0', 'the whole run'], ['a d', 'pan'], ['w s', 'zoom, too'],
      ['Page \u2191 \u2193', 'scroll the tasks'], ['Home End', 'first, last operation of the task'],
      ['/', 'search'], ['n  N', 'next, previous match'], ['1 2 3', 'events, time, network'],
      ['m', 'all messages, racing only, none'], ['t', 'light or dark'], ['x', 'the run beside'],
      ['Esc', 'select nothing'], ['?', 'this list'],
    ];
    return [this.heading('Keys'), element('dl', {}, ...keys.flatMap(([key, words]) => [
      element('dt', {}, element('kbd', { textContent: key })), element('dd', { textContent: words })])),
    this.heading('Pointer'), element('p', { textContent: 'The wheel zooms where the pointer is, with Shift it pans; on '
      + 'the names it scrolls. Drag to pan, or on the strip below to go somewhere.' })];
  }
}
