// The page: its panes, its buttons and keys, and what of it stands in the address.

class Page {
  constructor(runs) {
    this.byName = (name) => document.getElementById(name);
    this.panes = runs.map((run) => new Pane(run, this));
    this.current = this.panes[0];
    this.byName('panes').append(...this.panes.map((pane) => pane.element));
    this.compare();
    this.details = new Details(this);
    this.describe();
    this.listen();
    this.setTheme(this.storedTheme());
    this.setView('events');
    this.setArrows('all');
    for (const pane of this.panes) pane.picture.draw();
    this.restore();
    window.addEventListener('hashchange', () => { if (location.hash !== this.remembered) this.restore(); });
  }

  describe() {
    const { run } = this.panes[0];
    const names = this.panes.map((pane) => pane.run.name).join(' beside ');
    document.title = names + ' \u2013 Orrery';
    this.byName('title').textContent = run.program;
    this.byName('summary').textContent = run.summary;
    const items = CATEGORIES.map((category, i) => [i, category]).filter(
      ([i]) => this.panes.some((pane) => pane.run.category.includes(i)));
    const sample = (className, style, words) => element('li', {}, element('i', { className, style }), words);
    const legend = items.map(([, { name, words }]) => sample('', `background: var(--${name})`, words));
    const arrow = (colour, words) => sample('arrow', `color: var(--${colour})`, words);
    if (this.panes.some((pane) => pane.run.messages.count > 0)) legend.push(arrow('message', 'message'));
    if (this.panes.some((pane) => pane.run.messages.racing.includes(1))) legend.push(arrow('racing', 'racing message'));
    if (this.panes.some((pane) => pane.run.dataRaces.length > 0)) legend.push(arrow('racing', 'data race'));
    if (this.panes.some((pane) => pane.run.intervals.length > 0)) {
      legend.push(arrow('interval', 'interval, from its checkpoint on'));
    }
    if (this.panes.length > 1) legend.push(element('li', {}, '\u25c6 differs from the run beside'));
    this.byName('legend').append(...legend);
    const button = document.querySelector('[data-view="network"]');
    if (!this.panes.some((pane) => pane.network.length > 0)) {
      button.disabled = true;
      button.title = 'The network of this run has no cards or links to watch';
    }
    if (!this.panes.some(({ run }) => run.messages.racing.includes(1) || run.dataRaces.length > 0)) {
      const racing = document.querySelector('[data-arrows="racing"]');
      racing.disabled = true;
      racing.title = 'Nothing of this run races';
    }
  }

  compare() {
    if (this.panes.length !== 2) return;
    const [one, other] = this.panes;
    one.comparison = new Comparison(one.run, other.run);
    other.comparison = new Comparison(other.run, one.run);
    for (const pane of this.panes) pane.differing = pane.comparison.differing;
  }

  /** The same operation in the run beside; null: there is none. */
  twinOf(pane, operation) {
    if (!pane.comparison) return null;
    const other = this.panes.find((one) => one !== pane);
    const { comparison } = pane;
    return { pane: other, operation: comparison.twin(operation), difference: comparison.difference(operation) };
  }

  // --- buttons -------------------------------------------------------------------------------------

  listen() {
    for (const button of document.querySelectorAll('[data-view]')) {
      button.addEventListener('click', () => this.setView(button.dataset.view));
    }
    for (const button of document.querySelectorAll('[data-arrows]')) {
      button.addEventListener('click', () => this.setArrows(button.dataset.arrows));
    }
    const click = (name, does) => this.byName(name).addEventListener('click', does);
    click('zoom-in', () => this.current.zoom(0.5));
    click('zoom-out', () => this.current.zoom(2));
    click('zoom-fit', () => this.current.fit());
    click('theme', () => this.setTheme(document.documentElement.classList.contains('dark') ? 'light' : 'dark', true));
    click('search-back', () => this.nextMatch(-1));
    this.byName('search').addEventListener('input', (event) => this.search(event.target.value));
    this.byName('search-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.nextMatch(1);
    });
    for (const pane of this.panes) pane.canvas.addEventListener('focus', () => this.focusPane(pane, false));
    document.addEventListener('keydown', (event) => this.key(event));
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', () => this.setTheme(this.storedTheme()));
  }

  press(attribute, value) {
    for (const button of document.querySelectorAll(`[data-${attribute}]`)) {
      button.setAttribute('aria-pressed', String(button.dataset[attribute] === value));
    }
  }

  setView(view) {
    if (view === 'network' && !this.panes.some((pane) => pane.network.length > 0)) return;
    this.view = view;
    for (const pane of this.panes) pane.setView(view);
    this.press('view', view);
    this.remember();
  }

  setArrows(which) {
    for (const pane of this.panes) {
      pane.arrowsShown = which;
      pane.picture.ask();
    }
    this.arrows = which;
    this.press('arrows', which);
  }

  storedTheme() {
    if (this.chosenTheme) return this.chosenTheme;
    return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }

  setTheme(theme, isChosen = false) {
    if (isChosen) this.chosenTheme = theme;
    document.documentElement.classList.toggle('dark', theme === 'dark');
    this.byName('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
    for (const pane of this.panes) pane.picture.restyle();
    if (isChosen) this.remember();
  }

  // --- selection -----------------------------------------------------------------------------------

  focusPane(pane, focuses = true) {
    if (focuses && document.activeElement !== pane.canvas) pane.canvas.focus({ preventScroll: true });
    if (this.current === pane) return;
    this.current = pane;
    this.details?.refresh();
  }

  /** `shows`: moves there, too. */
  select(pane, what, shows) {
    this.current = pane;
    pane.selected = what;
    for (const other of this.panes) {
      if (other === pane) continue;
      const twin = what.operation >= 0 ? this.twinOf(pane, what.operation) : null;
      other.selected = twin && twin.operation >= 0 ? { operation: twin.operation, message: -1 } : NOTHING;
      if (other.selected.operation >= 0 && shows) other.show(other.selected.operation);
      other.picture.ask();
    }
    if (shows && what.operation >= 0) {
      if (pane.view === 'network') this.setView('time');
      pane.show(what.operation);
    }
    pane.picture.ask();
    const isSomething = what.operation >= 0 || what.message >= 0;
    if (this.details.shown !== 'selection' && isSomething) this.details.show('selection');
    else this.details.refresh();
    const { run } = pane;
    const said = what.operation >= 0 ? operationFields(run, what.operation)
      : what.message >= 0 ? messageFields(run, what.message) : [];
    const head = what.operation >= 0 ? run.label(what.operation) : what.message >= 0 ? 'Message' : '';
    this.byName('said').textContent = [head, ...said.map((field) => field.join(' '))].join(', ');
    this.remember();
  }

  // --- search --------------------------------------------------------------------------------------

  search(text) {
    for (const pane of this.panes) {
      pane.matches = search(pane.run, text);
      pane.picture.ask();
    }
    const count = this.panes.reduce((sum, pane) => sum + pane.matches.length, 0);
    const words = countText(count) + (count === 1 ? ' match' : ' matches');
    this.byName('search-count').textContent = text.trim() === '' ? '' : words;
    this.remember();
  }

  nextMatch(step) {
    const pane = this.current.matches.length > 0 ? this.current : this.panes.find((one) => one.matches.length > 0);
    if (!pane) return;
    this.goAmong(pane, pane.matches, step);
  }

  /** To the next of these operations after the selected one. */
  goAmong(pane, operations, step) {
    if (operations.length === 0) return;
    const here = pane.selected.operation;
    const after = lowerBound(operations, here + 1);
    const before = lowerBound(operations, here) - 1;
    const count = operations.length;
    const place = step > 0 ? after % count : (before + count) % count;
    this.select(pane, { operation: operations[place], message: -1 }, true);
  }

  // --- keys ----------------------------------------------------------------------------------------

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof HTMLInputElement;
    if (event.key === 'Escape') {
      if (typing) this.current.canvas.focus();
      else this.select(this.current, NOTHING, false);
      return;
    }
    if (typing) return;
    const isOnControl = event.target instanceof HTMLButtonElement || event.target === this.byName('panel');
    const pane = this.current;
    const keys = {
      '+': () => pane.zoom(0.5), '=': () => pane.zoom(0.5), w: () => pane.zoom(0.7),
      '-': () => pane.zoom(2), s: () => pane.zoom(1 / 0.7), 0: () => pane.fit(),
      a: () => pane.pan(-0.2), d: () => pane.pan(0.2),
      1: () => this.setView('events'), 2: () => this.setView('time'), 3: () => this.setView('network'),
      m: () => this.setArrows({ all: 'racing', racing: 'none', none: 'all' }[this.arrows]),
      t: () => this.byName('theme').click(), '?': () => this.details.show('keys'),
      '/': () => this.byName('search').focus(),
      n: () => this.nextMatch(1), N: () => this.nextMatch(-1),
      r: () => this.goAmong(pane, this.racingOperations(pane), 1),
      R: () => this.goAmong(pane, this.racingOperations(pane), -1),
      x: () => this.focusPane(this.panes[(this.panes.indexOf(pane) + 1) % this.panes.length]),
    };
    const onPicture = {
      ArrowLeft: () => this.step(pane, -1), ArrowRight: () => this.step(pane, 1),
      ArrowUp: () => this.stepRow(pane, -1), ArrowDown: () => this.stepRow(pane, 1),
      Home: () => this.step(pane, -Infinity), End: () => this.step(pane, Infinity),
      PageUp: () => this.scroll(pane, -1), PageDown: () => this.scroll(pane, 1),
      Enter: () => this.follow(pane),
    };
    const does = keys[event.key] ?? (isOnControl ? undefined : onPicture[event.key]);
    if (!does) return;
    event.preventDefault();
    this.hideHint();
    does();
  }

  racingOperations(pane) {
    pane.racing ??= [...new Set([...pane.run.races.receiver, ...pane.run.racingAccesses])].sort((a, b) => a - b);
    return pane.racing;
  }

  /** The operation that is nearest to the middle of what is in view, in this row. */
  nearest(pane, number, position) {
    const row = pane.axis.rows[number];
    if (!row || row.operations.length === 0) return -1;
    const place = Math.min(lowerBound(row.ends, position), row.operations.length - 1);
    return row.operations[place];
  }

  step(pane, by) {
    const { operation } = pane.selected;
    const { run } = pane;
    let next;
    if (operation < 0) {
      next = this.nearest(pane, pane.picture.rowsInView()[0], (pane.range.low + pane.range.high) / 2);
    } else if (Math.abs(by) === Infinity) {
      const { operations } = run.rows[run.rowOf[run.task[operation]]];
      next = by < 0 ? operations[0] : operations[operations.length - 1];
    } else {
      next = run.neighbour(operation, by);
    }
    if (next >= 0) this.select(pane, { operation: next, message: -1 }, true);
  }

  stepRow(pane, by) {
    const { operation } = pane.selected;
    if (operation < 0) return this.step(pane, 1);
    const { run, axis } = pane;
    for (let row = run.rowOf[run.task[operation]] + by; row >= 0 && row < run.rows.length; row += by) {
      const next = this.nearest(pane, row, axis.point(operation));
      if (next >= 0) return this.select(pane, { operation: next, message: -1 }, true);
    }
  }

  scroll(pane, by) {
    pane.picture.top += by * pane.picture.area.height * 0.8;
    pane.picture.ask();
  }

  follow(pane) {
    const { operation, message } = pane.selected;
    const { run } = pane;
    const { send, receive } = run.messages;
    let other = -1;
    if (message >= 0) other = receive[message];
    else if (operation >= 0 && run.sentBy.of(operation).length > 0) other = receive[run.sentBy.of(operation)[0]];
    else if (operation >= 0 && run.receivedBy.of(operation).length > 0) other = send[run.receivedBy.of(operation)[0]];
    if (other >= 0) this.select(pane, { operation: other, message: -1 }, true);
  }

  // --- the hint at the pointer ---------------------------------------------------------------------

  showHint(pane, { operation, message }, told, x, y) {
    const { run } = pane;
    let title;
    let fields;
    if (operation >= 0) [title, fields] = [run.label(operation), operationFields(run, operation)];
    else if (message >= 0) [title, fields] = ['Message', messageFields(run, message)];
    else if (told) ({ title, fields } = told);
    else return this.hideHint();
    const hint = this.byName('hint');
    hint.replaceChildren(element('b', { textContent: title }), list(fields));
    hint.hidden = false;
    const right = x + 16 + hint.offsetWidth > window.innerWidth ? x - 14 - hint.offsetWidth : x + 16;
    hint.style.left = Math.max(4, right) + 'px';
    hint.style.top = Math.max(4, Math.min(y + 14, window.innerHeight - hint.offsetHeight - 6)) + 'px';
  }

  hideHint() {
    this.byName('hint').hidden = true;
  }

  // --- the address ---------------------------------------------------------------------------------

  /** The state is in the address, so that it can be sent to somebody; written when it rests. */
  remember() {
    if (!this.isReady) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const pane = this.current;
      const words = new URLSearchParams();
      words.set('view', this.view);
      if (this.panes.indexOf(pane) > 0) words.set('run', this.panes.indexOf(pane) + 1);
      const { low, high } = pane.range;
      if (low > pane.axis.low || high < pane.axis.high) words.set('range', `${low},${high}`);
      if (pane.selected.operation >= 0) words.set('operation', pane.run.idText(pane.selected.operation));
      if (this.byName('search').value !== '') words.set('search', this.byName('search').value);
      if (this.chosenTheme) words.set('theme', this.chosenTheme);
      this.remembered = '#' + words;
      try {
        history.replaceState(null, '', this.remembered);
      } catch {
        location.hash = this.remembered;
      }
    }, 200);
  }

  restore() {
    const words = new URLSearchParams(location.hash.slice(1));
    const pane = this.panes[Number(words.get('run') ?? 1) - 1] ?? this.panes[0];
    this.current = pane;
    if (['events', 'time', 'network'].includes(words.get('view'))) this.setView(words.get('view'));
    if (['light', 'dark'].includes(words.get('theme'))) this.setTheme(words.get('theme'), true);
    const [low, high] = (words.get('range') ?? '').split(',').map(Number);
    if (low < high) pane.setRange(low, high);
    if (words.has('search')) {
      this.byName('search').value = words.get('search');
      this.search(words.get('search'));
    }
    const [task, number] = (words.get('operation') ?? '').split('.').map(Number);
    const operation = words.has('operation') ? pane.run.find(task, number) : -1;
    if (operation >= 0) this.select(pane, { operation, message: -1 }, !words.has('range'));
    this.isReady = true;
    this.details.refresh();
  }
}

// For tests and for whoever wants to look deeper, from the console.
window.orrery = new Page(JSON.parse(document.getElementById('runs').textContent).map((data) => new Run(data)));
