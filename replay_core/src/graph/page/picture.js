// The canvas of a pane: where everything lies in it, and what surrounds the rows.

const RULER = 22;
const MAP = 28;
const LANE = 54;

/** Draws a pane whenever something has changed, at most once a frame of the screen. */
class Picture {
  constructor(pane, canvas) {
    this.pane = pane;
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.strip = document.createElement('canvas');
    this.colours = new Colours();
    this.arrows = [];
    this.strips = [];
    this.part = 1;
    this.top = 0;  // how far the rows are scrolled
    this.isAsked = false;
    this.widths = new Map();
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  /** Asks for a frame. */
  ask() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw();
    });
  }

  restyle() {
    this.colours = new Colours();
    this.map = null;
    this.ask();
  }

  measure() {
    const { canvas, context } = this;
    const ratio = window.devicePixelRatio || 1;
    this.width = canvas.clientWidth;
    this.height = canvas.clientHeight;
    const width = Math.round(this.width * ratio);
    const height = Math.round(this.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '11px system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif';
    context.textBaseline = 'middle';
    const names = this.pane.rowNames();
    if (this.names !== names) {
      this.names = names;
      this.nameWidth = names.slice(0, 400).reduce((most, name) => Math.max(most, this.widthOf(name)), 78);
    }
    const gutter = Math.min(this.nameWidth + 18, this.width * 0.3, 240);
    const lanes = this.pane.lanes.length * LANE;
    const lanesHeight = this.height - RULER - MAP - lanes >= 110 ? lanes : 0;
    this.area = {
      left: gutter, right: this.width - 8, top: RULER, width: Math.max(this.width - 8 - gutter, 10),
      height: Math.max(this.height - RULER - MAP - lanesHeight, 20),
    };
    this.lanesTop = lanesHeight > 0 ? this.area.top + this.area.height : -1;
    const least = this.pane.view === 'network' ? 15 : 7;
    this.rowHeight = Math.max(least, Math.min(46, this.area.height / Math.max(names.length, 1)));
    this.barHeight = Math.max(5, Math.min(22, this.rowHeight * 0.66));
    this.topMost = Math.max(0, names.length * this.rowHeight - this.area.height);
    this.top = Math.max(0, Math.min(this.top, this.topMost));
  }

  x(position) {
    const { low, high } = this.pane.range;
    return this.area.left + (position - low) / (high - low) * this.area.width;
  }
  position(x) {
    const { low, high } = this.pane.range;
    return low + (x - this.area.left) / this.area.width * (high - low);
  }
  middleOf(row) {
    return this.area.top + (row + 0.5) * this.rowHeight - this.top;
  }
  rowAt(y) {
    return Math.floor((y - this.area.top + this.top) / this.rowHeight);
  }
  isRowInView(row) {
    const y = this.middleOf(row);
    return y > this.area.top - this.rowHeight && y < this.area.top + this.area.height + this.rowHeight;
  }
  rowsInView() {
    const first = Math.max(0, this.rowAt(this.area.top));
    return [first, Math.min(this.names.length, this.rowAt(this.area.top + this.area.height) + 1)];
  }
  showRow(row) {
    const y = row * this.rowHeight - this.top;
    if (y < 0) this.top += y;
    if (y + this.rowHeight > this.area.height) this.top += y + this.rowHeight - this.area.height;
  }

  arrowBetween(send, receive, from, to) {
    const { run } = this.pane;
    const up = this.middleOf(run.rowOf[run.task[send]]);
    const down = this.middleOf(run.rowOf[run.task[receive]]);
    const half = Math.sign(down - up) * this.barHeight / 2;
    // Far outside a line is as good as one that is cut off; canvases lose precision there.
    const left = this.x(from);
    const right = this.x(to);
    const slope = right > left ? (down - up - 2 * half) / (right - left) : 0;
    const x1 = Math.max(left, -4000);
    const x2 = Math.min(right, this.width + 4000);
    return { x1, x2, y1: up + half + (x1 - left) * slope, y2: down - half - (right - x2) * slope };
  }

  /** Where an interval between two checkpoints lies. */
  extentOf(interval) {
    const { run, axis } = this.pane;
    if (axis.isTime) return [interval.begin, interval.end === 0 ? run.tasks[interval.task].end : interval.end_date];
    const row = run.rows[run.rowOf[interval.task]];
    const at = (number) => {
      let place = 0;
      while (place < row.operations.length && run.number[row.operations[place]] < number) ++place;
      return place;
    };
    interval.places ??= [at(interval.first), interval.end === 0 ? row.operations.length : at(interval.end)];
    const [first, last] = interval.places;
    const end = last > first ? row.operations[last - 1] : row.operations[Math.min(first, row.operations.length - 1)];
    return [row.operations[Math.min(first, row.operations.length - 1)] - 0.47, end + 0.47];
  }

  widthOf(text) {
    let width = this.widths.get(text);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      if (this.widths.size < 20000) this.widths.set(text, width);
    }
    return width;
  }

  /** As much of a text as fits, with an ellipsis; nothing if that says too little. */
  fitted(text, width) {
    if (this.widthOf(text) <= width) return text;
    const letters = Math.floor(text.length * width / this.widthOf(text)) - 1;
    return letters < 3 ? '' : text.slice(0, letters) + '\u2026';
  }

  /** The pixels of a row that `drawStrips` will draw, all empty. */
  addStrip(width, top, height) {
    const rows = Math.ceil(this.area.height / this.rowHeight) + 2;
    if (!this.stripImage || this.stripImage.width !== width || this.stripImage.height < rows) {
      this.stripImage = new ImageData(width, rows);
      this.stripNumbers = new Uint32Array(this.stripImage.data.buffer);
      this.strip.width = width;
      this.strip.height = rows;
    }
    const place = this.strips.push({ top, height }) - 1;
    return this.stripNumbers.subarray(place * width, (place + 1) * width).fill(0);
  }

  /** All at once: each copy of pixels to a canvas is dear. */
  drawStrips() {
    if (this.strips.length === 0) return;
    const { width } = this.stripImage;
    this.strip.getContext('2d').putImageData(this.stripImage, 0, 0);
    this.context.imageSmoothingEnabled = false;
    this.strips.forEach(({ top, height }, i) => {
      this.context.drawImage(this.strip, 0, i, width, 1, this.area.left, top, width, height);
    });
    this.strips = [];
  }

  draw() {
    const started = performance.now();
    this.measure();
    if (this.width < 40 || this.height < 60) return;
    const { context, colours } = this;
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, this.width, this.height);
    this.drawGround();
    this.drawGrid();
    if (this.pane.view === 'network') new NetworkPainter(this.pane, this).draw();
    else new RowPainter(this.pane, this).draw();
    this.drawNames();
    this.drawScroll();
    this.drawRuler();
    if (this.lanesTop >= 0) this.pane.lanes.forEach((lane, i) => lane.draw(this, this.lanesTop + i * LANE));
    drawMap(this.pane, this);
    this.pane.tellStatus();
    this.frameTime = performance.now() - started;
  }

  drawGround() {
    const { context, colours, area } = this;
    const [first, last] = this.rowsInView();
    context.fillStyle = colours.track;
    for (let row = first; row < last; ++row) {
      if (row % 2 === 0) continue;
      const top = Math.max(this.middleOf(row) - this.rowHeight / 2, area.top);
      const bottom = Math.min(this.middleOf(row) + this.rowHeight / 2, area.top + area.height);
      if (bottom > top) context.fillRect(0, top, this.width, bottom - top);
    }
  }

  /** Where there are more rows than fit: which of them are in view. */
  drawScroll() {
    if (this.topMost < 3) return;
    const { context, colours, area } = this;
    const whole = this.topMost + area.height;
    context.fillStyle = colours.faint;
    context.fillRect(this.width - 5, area.top + this.top / whole * area.height, 4, area.height / whole * area.height);
  }

  drawNames() {
    const { context, colours, area } = this;
    context.save();
    context.beginPath();
    context.rect(0, area.top, area.left, area.height);
    context.clip();
    const [first, last] = this.rowsInView();
    const chosen = this.pane.selectedRow();
    const every = Math.ceil(11 / this.rowHeight);  // where rows are narrow
    for (let row = first; row < last; ++row) {
      if (row % every !== 0 && row !== chosen) continue;
      if (chosen >= 0 && row !== chosen && Math.abs(row - chosen) < every) continue;
      context.fillStyle = row === chosen ? colours.accent : colours.text;
      context.fillText(this.fitted(this.names[row], area.left - 12), 8, this.middleOf(row));
    }
    context.restore();
  }

  /** Where the ruler has its ticks: calls `visit(x, position, step)`. */
  eachTick(visit) {
    const { axis } = this.pane;
    const { low, high } = this.pane.range;
    const step = niceStep(high - low, this.area.width, axis.isTime ? 105 : 70, 1);
    // Numbers of operations begin at 1.
    const shift = axis.isTime ? 0 : -1;
    const first = Math.max(axis.isTime ? 0 : 1, Math.ceil((low - shift) / step));
    for (let i = first; i * step + shift <= Math.min(high, axis.last); ++i) {
      const position = i * step + shift;
      visit(Math.round(this.x(position)), position, step);
    }
  }

  drawGrid() {
    const { context, colours, area } = this;
    context.fillStyle = colours.line;
    context.globalAlpha = 0.6;
    this.eachTick((x) => context.fillRect(x, RULER, 1, area.height));
    context.globalAlpha = 1;
  }

  drawRuler() {
    const { context, colours, area } = this;
    const { axis } = this.pane;
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, this.width, RULER);
    context.fillStyle = colours.faint;
    context.fillText(axis.isTime ? 'virtual time' : 'event', 8, RULER / 2);
    this.eachTick((x, position, step) => {
      context.fillStyle = colours.line;
      context.fillRect(x, RULER - 5, 1, 5);
      context.fillStyle = colours.faint;
      const text = axis.text(position, step);
      const half = this.widthOf(text) / 2;
      if (x - half > area.left - 12 && x + half < this.width) context.fillText(text, x - half, RULER / 2 - 2);
    });
    context.fillStyle = colours.line;
    context.fillRect(0, RULER - 0.5, this.width, 1);
    context.fillRect(area.left - 0.5, RULER, 1, area.height);
  }
}
