// One run on the page: what of it is in view, and what pointer and keys do with it.

const NOTHING = { operation: -1, message: -1 };

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith('aria-') || key === 'role' || key === 'style') made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** Two panes are there where a run stands beside another one. */
class Pane {
  constructor(run, page) {
    this.run = run;
    this.page = page;
    this.axes = {};
    this.ranges = {};
    this.arrowsOf = {};
    this.flightLanes = null;
    this.view = 'events';
    this.arrowsShown = 'all';
    this.selected = NOTHING;
    this.hovered = NOTHING;
    this.matches = [];
    this.differing = null;
    this.network = networkRows(run.network);
    this.taskNames = run.rows.map((row) => (row.isFurther ? '  ' : '') + row.name);
    this.networkNames = this.network.map((row) => row.name);
    this.build();
    this.setView('events');
  }

  build() {
    const { run } = this;
    this.status = element('span', { className: 'status' });
    const canvas = element('canvas', { tabIndex: 0 });
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-label', `Picture of ${run.name}: ${countText(run.operations.total)} operations of `
      + `${run.tasks.length} tasks. Arrow keys go from operation to operation; question mark lists the keys.`);
    const holder = element('div', { className: 'picture' }, canvas);
    const extent = `${counted(run.operations.total, 'operation')}, ${counted(run.messages.total, 'message')}, `
      + `virtual time ${timeText(run.end_ps)}`;
    this.element = element('section', { className: 'pane', 'aria-label': run.name },
      element('h2', {}, element('b', { textContent: run.name }), element('span', { textContent: extent }),
        this.status));
    for (const finding of run.findings) this.element.append(this.findingLine(finding));
    for (const notice of run.notices) this.element.append(element('p', { className: 'notice', textContent: notice }));
    this.element.append(holder);
    this.canvas = canvas;
    this.picture = new Picture(this, canvas);
    new Pointer(this, canvas);
    if (run.is_empty) {
      holder.before(element('p', { className: 'notice', textContent:
        'This run is empty: nothing happened in it but that its tasks began and ended.' }));
    }
  }

  findingLine(finding) {
    const text = `${finding.title}: ${finding.message}`;
    const line = element('p', { className: 'finding' });
    const race = this.run.dataRaces.find((one) => this.run.findings[one.finding] === finding);
    const place = finding.where.find((one) => this.lastOperationOf(one.task) >= 0);
    if (!place) {
      line.append(text);
      return line;
    }
    const go = element('button', { type: 'button', textContent: text, title: 'Show where' });
    const operation = race ? race.second : this.lastOperationOf(place.task);
    go.addEventListener('click', () => this.page.select(this, { operation, message: -1 }, true));
    line.append(go);
    return line;
  }

  lastOperationOf(name) {
    const row = this.run.rows.find((one) => one.name === name);
    return row && row.operations.length > 0 ? row.operations[row.operations.length - 1] : -1;
  }

  setView(view) {
    this.view = view;
    const kind = view === 'events' ? 'events' : 'time';
    this.axes[kind] ??= new Axis(this.run, kind === 'time');
    this.axis = this.axes[kind];
    this.ranges[kind] ??= { low: this.axis.low, high: this.axis.high };
    this.range = this.ranges[kind];
    const { racing } = this.run.messages;
    this.arrowsOf[kind] ??= {
      plain: new Arrows(this.axis, (message) => !racing[message]),
      racing: new Arrows(this.axis, (message) => racing[message]),
    };
    this.arrows = this.arrowsOf[kind];
    this.lanes = view === 'time' ? this.timeLanes() : [];
    this.hovered = NOTHING;
    this.picture.top = 0;
    this.picture.ask();
  }

  timeLanes() {
    const { run } = this;
    // A part of the messages would tell the wrong numbers.
    const hasFlights = run.messages.count > 0 && run.messages.count === run.messages.total;
    if (!hasFlights) return [new StatesLane(run, this.axis)];
    this.flightLanes ??= [
      new FlightLane(run, 'messages', () => 1),
      new FlightLane(run, 'bytes', (message) => run.messages.bytes[message]),
    ];
    return [new StatesLane(run, this.axis), ...this.flightLanes];
  }

  rowNames() {
    return this.view === 'network' ? this.networkNames : this.taskNames;
  }

  selectedRow() {
    if (this.view === 'network' || this.selected.operation < 0) return -1;
    return this.run.rowOf[this.run.task[this.selected.operation]];
  }

  // --- what is in view -----------------------------------------------------------------------------

  setRange(low, high) {
    const { axis } = this;
    const span = Math.max(axis.narrowest, Math.min(high - low, axis.high - axis.low));
    low = Math.max(axis.low, Math.min((low + high - span) / 2, axis.high - span));
    this.range.low = low;
    this.range.high = low + span;
    this.picture.ask();
    this.page.remember();
  }

  /** `factor` below 1 shows less, around a position that stays where it is. */
  zoom(factor, around = (this.range.low + this.range.high) / 2) {
    const { low, high } = this.range;
    const span = Math.max(this.axis.narrowest, Math.min((high - low) * factor, this.axis.high - this.axis.low));
    const part = (around - low) / (high - low);
    this.setRange(around - part * span, around + (1 - part) * span);
  }

  pan(part) {
    const { low, high } = this.range;
    const by = (high - low) * part;
    this.setRange(low + by, high + by);
  }

  fit() {
    this.setRange(this.axis.low, this.axis.high);
  }

  /** Moves as little as it takes. */
  show(operation) {
    if (this.view === 'network') return;
    const position = this.axis.point(operation);
    const { low, high } = this.range;
    const margin = (high - low) * 0.06;
    if (position < low + margin) this.setRange(position - 3 * margin, position - 3 * margin + high - low);
    if (position > high - margin) this.setRange(position + 3 * margin - high + low, position + 3 * margin);
    this.picture.measure();
    this.picture.showRow(this.run.rowOf[this.run.task[operation]]);
    this.picture.ask();
  }

  // --- what is at a point --------------------------------------------------------------------------

  /** The operation or message there. */
  at(x, y) {
    const { picture, axis } = this;
    const { area } = picture;
    if (this.view === 'network' || x < area.left || y < area.top || y > area.top + area.height) return NOTHING;
    const number = picture.rowAt(y);
    const isOnBar = Math.abs(y - picture.middleOf(number)) <= picture.barHeight / 2 + 2;
    if (number >= 0 && number < axis.rows.length && isOnBar) {
      const operation = this.operationAt(axis.rows[number], x);
      if (operation >= 0) return { operation, message: -1 };
    }
    return { operation: -1, message: this.messageAt(x, y) };
  }

  /** A short one first: it is harder to meet. */
  operationAt(row, x) {
    const { picture } = this;
    const reach = picture.position(x + 4) - picture.position(x);
    const position = picture.position(x);
    let best = -1;
    let nearest = Infinity;
    const first = lowerBound(row.ends, position - reach);
    for (let i = first; i < Math.min(row.ends.length, first + 400) && row.begins[i] <= position + reach; ++i) {
      const isShort = row.ends[i] - row.begins[i] < reach;
      const isWithin = position >= row.begins[i] && position <= row.ends[i];
      if (!isShort && !isWithin) continue;
      const distance = isShort ? Math.abs(position - row.ends[i]) : reach;
      if (distance < nearest) {
        nearest = distance;
        best = row.operations[i];
      }
    }
    return best;
  }

  messageAt(x, y) {
    let best = -1;
    let nearest = 5;
    for (const { x1, y1, x2, y2, message } of this.picture.arrows) {
      const across = x2 - x1;
      const down = y2 - y1;
      const square = across * across + down * down;
      const part = square > 0 ? Math.max(0, Math.min(1, ((x - x1) * across + (y - y1) * down) / square)) : 0;
      const distance = Math.hypot(x - x1 - part * across, y - y1 - part * down);
      if (distance < nearest) {
        nearest = distance;
        best = message;
      }
    }
    return best;
  }

  /** What the pointer is at, in words; null: nothing. */
  tell(x, y) {
    const { picture } = this;
    const { area } = picture;
    if (x < area.left || x > area.right) return null;
    const position = picture.position(x);
    if (picture.lanesTop >= 0 && y >= picture.lanesTop) {
      const lane = this.lanes[Math.floor((y - picture.lanesTop) / LANE)];
      return lane ? lane.tell(position) : null;
    }
    if (this.view !== 'network') return null;
    const row = picture.rowAt(y);
    return y >= area.top && row >= 0 && row < this.network.length ? NetworkPainter.tell(this, row, position) : null;
  }

  tellStatus() {
    const { low, high } = this.range;
    const { axis, picture } = this;
    const step = (high - low) / 1000;
    let text = axis.isTime
      ? `${timeText(Math.max(low, 0), step)} to ${timeText(Math.min(high, axis.last), step)}`
      : `events ${Math.max(1, Math.ceil(low) + 1)} to ${Math.min(this.run.whole, Math.floor(high) + 1)}`;
    if (picture.part > 1) text = `1 of ${picture.part} messages drawn; zoom in for all \u00b7 ` + text;
    if (this.status.textContent !== text) this.status.textContent = text;
  }
}
