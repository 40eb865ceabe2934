// The rows of tasks: bars of operations, or of what prevails in each pixel where there are too many.

const RECTANGLES_MAX = 12000;  // in a picture; what is more is drawn by the pixel
const ARROWS_MAX = 1500;
const LINES_IN_PATH = 32;  // where many cross each other, long paths take long

/** Draws the tasks of a pane; made anew for each frame. */
class RowPainter {
  constructor(pane, picture) {
    this.pane = pane;
    this.picture = picture;
    this.run = pane.run;
    this.axis = pane.axis;
    this.context = picture.context;
    this.colours = picture.colours;
  }

  draw() {
    const { picture, context } = this;
    const { area } = picture;
    context.save();
    context.beginPath();
    context.rect(area.left, area.top, area.width, area.height);
    context.clip();
    const [first, last] = picture.rowsInView();
    const limit = RECTANGLES_MAX / Math.max(1, last - first);
    for (let row = first; row < last; ++row) this.drawRow(row, limit);
    picture.drawStrips();
    this.drawArrows();
    this.drawMarks();
    context.restore();
  }

  drawRow(number, limit) {
    const { picture, context, colours, axis } = this;
    const row = axis.rows[number];
    const { low, high } = this.pane.range;
    const middle = picture.middleOf(number);
    const height = picture.barHeight;
    this.drawLife(number, middle);
    this.drawIntervals(number, middle);
    const first = lowerBound(row.ends, low);
    let last = lowerBound(row.begins, high, first);
    if (last < row.begins.length && row.begins[last] === high) ++last;
    if (last - first > limit) return this.addStrip(row, middle - height / 2, height);
    let tick = -Infinity;  // where the last one is that is hardly wide
    for (let i = first; i < last; ++i) {
      const operation = row.operations[i];
      const from = picture.x(row.begins[i]);
      const to = picture.x(row.ends[i]);
      const left = Math.max(from, picture.area.left - 4);
      const width = Math.min(to, picture.area.right + 4) - left;
      const category = this.run.category[operation];
      context.fillStyle = colours.categories[category];
      if (width < 2.5) {
        if (category === OTHER && from - tick < 1) continue;  // the end of a task hides nothing
        tick = from;
        context.fillRect(Math.min(from, to) - (width < 1 ? 1 : 0), middle - height / 2, Math.max(width, 2), height);
      } else {
        context.fillRect(left, middle - height / 2, Math.max(width - 0.7, 1), height);
        if (category === CATEGORIES.length - 1) this.hatch(left, middle - height / 2, width, height);
        if (width > 26 && height >= 11) this.writeLabel(operation, category, left, width, middle);
      }
    }
  }

  /** The line on which a task lives, from its beginning to its end. */
  drawLife(number, middle) {
    const { picture, context, colours, axis } = this;
    const task = this.run.tasks[this.run.rows[number].task];
    const { begins, ends } = axis.rows[number];
    const from = axis.isTime ? task.begin : (begins[0] ?? 0);
    const to = axis.isTime ? task.end : task.has_ended ? (ends[ends.length - 1] ?? 0) : axis.high;
    context.fillStyle = colours.life;
    const left = Math.max(picture.x(from), picture.area.left);
    const right = Math.min(picture.x(to), picture.area.right);
    if (right > left) context.fillRect(left, Math.round(middle) - 0.5, right - left, 1);
  }

  addStrip(row, top, height) {
    const { picture, axis } = this;
    const { low, high } = this.pane.range;
    const width = Math.ceil(picture.area.width);
    const step = (high - low) / width;
    const { category } = this.run;
    const pixels = picture.addStrip(width, top, height);
    const shade = (sort, part) => this.shade(sort, part);
    axis.eachPart(row, low, high, width, {
      one(x, sort, length) {
        pixels[x] = shade(sort, length / step);
      },
      several(x, lasted, operation) {
        let most = 0;
        let sum = 0;
        let sort = operation >= 0 ? category[operation] : -1;
        for (let i = 0; i < lasted.length; ++i) {
          sum += lasted[i];
          if (lasted[i] > most) { most = lasted[i]; sort = i; }
        }
        if (sort >= 0) pixels[x] = shade(sort, Math.min(1, sum / step));
      },
    });
  }

  /** The colour of a pixel that is filled to this part. */
  shade(sort, part) {
    const opacity = Math.min(255, (140 + 115 * part) | 0);
    return ((this.colours.numbers[sort] & 0xffffff) | (opacity << 24)) >>> 0;
  }

  hatch(left, top, width, height) {
    const { context, colours } = this;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.strokeStyle = colours.ground;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let x = left - height; x < left + width; x += 7) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.stroke();
    context.restore();
  }

  writeLabel(operation, category, left, width, middle) {
    const { context, colours, picture } = this;
    const start = Math.max(left, picture.area.left);
    const text = picture.fitted(this.labelOf(operation), left + width - start - 8);
    if (text === '') return;
    if (category === CATEGORIES.length - 1) {  // not over the hatching
      context.fillRect(start + 2, middle - picture.barHeight / 2, picture.widthOf(text) + 6, picture.barHeight);
    }
    context.fillStyle = colours.inks[category];
    context.fillText(text, start + 4, middle + 0.5);
  }

  labelOf(operation) {
    const { run } = this;
    const pieces = run.pieces[operation];
    return (pieces > 1 ? pieces + ' \u00d7 ' : '') + run.label(operation);
  }

  drawIntervals(number, middle) {
    const { picture, context, colours, run, axis } = this;
    const task = run.rows[number].task;
    const half = picture.rowHeight / 2 - 2.5;
    for (const one of run.intervalsOf[task]) {
      const [from, to] = picture.extentOf(one);
      const left = picture.x(from);
      const right = picture.x(to);
      if (right < picture.area.left || left > picture.area.right) continue;
      context.strokeStyle = colours.interval;
      context.fillStyle = colours.interval;
      context.lineWidth = 1;
      const start = Math.max(left, picture.area.left - 5);
      const stop = Math.min(right, picture.area.right + 5);
      if (stop - start > 4) context.strokeRect(start + 0.5, middle - half, stop - start - 1, 2 * half);
      // A flag where the checkpoint is; filled: it was saved.
      context.beginPath();
      context.moveTo(left, middle - half);
      context.lineTo(left + 7, middle - half + 3.5);
      context.lineTo(left, middle - half + 7);
      context.closePath();
      if (one.is_saved) context.fill();
      else context.stroke();
      if (picture.rowHeight < 26 || stop - start < 46 || axis.rows.length > 40) continue;
      const text = one.name;
      const x = Math.max(left, picture.area.left) + 10;
      context.fillStyle = colours.ground;
      context.fillRect(x - 1, middle - half - 1, picture.widthOf(text) + 2, 9);
      context.fillStyle = colours.interval;
      context.fillText(text, x, middle - half + 3.5);
    }
  }

  drawArrows() {
    const { pane, picture, colours } = this;
    picture.arrows = [];
    picture.part = 1;
    if (pane.arrowsShown === 'all') this.drawSort(pane.arrows.plain, colours.message, 1, 0.8);
    if (pane.arrowsShown === 'none') return;
    this.drawSort(pane.arrows.racing, colours.racing, 1.7, 1);
    for (const race of this.run.dataRaces) this.drawDataRace(race, 1.7);
  }

  /** Nothing orders its ends: a line between two dots, not an arrow. */
  drawDataRace({ first, second }, width) {
    const { picture, context, colours, run, axis } = this;
    const { low, high } = this.pane.range;
    const [from, to] = [axis.point(first), axis.point(second)];
    if (to < low || from > high) return;
    context.strokeStyle = colours.racing;
    context.fillStyle = colours.racing;
    context.lineWidth = width;
    const ends = [[first, from], [second, to]].map(([operation, at]) => (
      { x: picture.x(at), y: picture.middleOf(run.rowOf[run.task[operation]]) }));
    context.beginPath();
    context.moveTo(Math.max(ends[0].x, -4000), ends[0].y);
    context.lineTo(Math.min(ends[1].x, picture.width + 4000), ends[1].y);
    context.stroke();
    for (const { x, y } of ends) {
      context.beginPath();
      context.arc(x, y, 2.5 + width, 0, 2 * Math.PI);
      context.fill();
    }
  }

  drawSort(arrows, colour, width, opacity) {
    const { pane, picture, context } = this;
    const ending = [];
    const passing = [];  // neither sent nor received in view: they say little, and may be many
    const { left, right } = picture.area;
    const part = arrows.visit(pane.range.low, pane.range.high, ARROWS_MAX, (message, from, to) => {
      const { send, receive } = this.run.messages;
      const arrow = picture.arrowBetween(send[message], receive[message], from, to);
      arrow.message = message;
      (arrow.x1 < left && arrow.x2 > right ? passing : ending).push(arrow);
    });
    picture.part = Math.max(picture.part, part);
    context.strokeStyle = colour;
    context.lineWidth = width;
    for (const [some, share] of [[passing, 0.15], [ending, ending.length > 300 ? 0.4 : 1]]) {
      context.globalAlpha = opacity * share;
      for (let i = 0; i < some.length; i += LINES_IN_PATH) {
        context.beginPath();
        for (const { x1, y1, x2, y2 } of some.slice(i, i + LINES_IN_PATH)) {
          context.moveTo(x1, y1);
          context.lineTo(x2, y2);
        }
        context.stroke();
      }
    }
    context.globalAlpha = opacity;
    if (ending.length < 400) this.drawHeads(ending, colour);
    context.globalAlpha = 1;
    picture.arrows.push(...passing, ...ending);
  }

  drawHeads(arrows, colour) {
    const { context } = this;
    context.fillStyle = colour;
    for (const { x1, y1, x2, y2 } of arrows) {
      const angle = Math.atan2(y2 - y1, x2 - x1);
      context.beginPath();
      context.moveTo(x2, y2);
      context.lineTo(x2 - 7 * Math.cos(angle - 0.38), y2 - 7 * Math.sin(angle - 0.38));
      context.lineTo(x2 - 7 * Math.cos(angle + 0.38), y2 - 7 * Math.sin(angle + 0.38));
      context.fill();
    }
  }

  /** What was searched, what differs from the run beside, what the pointer is at, what is selected. */
  drawMarks() {
    const { pane, context, colours } = this;
    const { low, high } = pane.range;
    if (pane.differing) {
      context.fillStyle = colours.accent;
      this.eachWithin(pane.differing, low, high, (x, middle) => {
        const y = middle - this.picture.barHeight / 2 - 3;
        context.beginPath();
        context.moveTo(x, y - 3.5);
        context.lineTo(x + 3.5, y);
        context.lineTo(x, y + 3.5);
        context.lineTo(x - 3.5, y);
        context.fill();
      });
    }
    context.strokeStyle = colours.text;
    context.lineWidth = 1.5;
    this.eachWithin(pane.matches, low, high, (x, middle, operation) => this.frame(operation, 1));
    if (pane.hovered.message >= 0) this.strongArrow(pane.hovered.message);
    if (pane.hovered.operation >= 0) this.frame(pane.hovered.operation, 1.5);
    const { operation, message } = pane.selected;
    if (message >= 0) this.strongArrow(message);
    if (operation < 0) return;
    for (const one of this.run.sentBy.of(operation)) this.strongArrow(one);
    for (const one of this.run.receivedBy.of(operation)) this.strongArrow(one);
    for (const race of this.run.racesOf.of(operation)) this.alternative(race);
    for (const race of this.run.dataRaces) {
      if (race.first === operation || race.second === operation) this.drawDataRace(race, 2.5);
    }
    this.frame(operation, 2.5);
  }

  /** Of ascending operations those in view; no more than one in each pixel of a row. */
  eachWithin(operations, low, high, visit) {
    const { picture, run, axis } = this;
    const from = axis.isTime ? 0 : lowerBound(operations, low - 1);
    const to = axis.isTime ? operations.length : lowerBound(operations, high + 1);
    const drawn = new Map();
    for (let i = from; i < to; ++i) {
      const operation = operations[i];
      const position = axis.point(operation);
      if (position < low || position > high) continue;
      const row = run.rowOf[run.task[operation]];
      const x = Math.round(picture.x(position));
      if (drawn.get(row) === x) continue;
      drawn.set(row, x);
      if (picture.isRowInView(row)) visit(x, picture.middleOf(row), operation);
    }
  }

  frame(operation, width) {
    const { picture, context, colours, axis } = this;
    const number = this.run.rowOf[this.run.task[operation]];
    const row = axis.rows[number];
    const place = this.run.placeInRow[operation];
    const left = Math.max(picture.x(row.begins[place]), picture.area.left - 5);
    const right = Math.min(picture.x(row.ends[place]), picture.area.right + 5);
    const middle = picture.middleOf(number);
    context.strokeStyle = colours.text;
    context.lineWidth = width;
    const height = picture.barHeight + 3;
    context.strokeRect(left - 1.5, middle - height / 2, Math.max(right - left, 1) + 3, height);
  }

  strongArrow(message) {
    const { picture, context, colours, run, axis } = this;
    const { send, receive, racing } = run.messages;
    if (send[message] < 0 || receive[message] < 0) return;
    const [from, to] = [send[message], receive[message]];
    const arrow = picture.arrowBetween(from, to, axis.point(from), axis.point(to));
    context.strokeStyle = racing[message] ? colours.racing : colours.accent;
    context.lineWidth = 2.5;
    context.beginPath();
    context.moveTo(arrow.x1, arrow.y1);
    context.lineTo(arrow.x2, arrow.y2);
    context.stroke();
    this.drawHeads([arrow], context.strokeStyle);
  }

  /** The message that a receive could have got instead: from its send to this receive. */
  alternative(race) {
    const { picture, context, colours, run, axis } = this;
    const send = run.messages.send[run.races.other[race]];
    const receiver = run.races.receiver[race];
    if (send < 0) return;
    const arrow = picture.arrowBetween(send, receiver, axis.point(send), axis.point(receiver));
    context.strokeStyle = colours.racing;
    context.lineWidth = 1.7;
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(arrow.x1, arrow.y1);
    context.lineTo(arrow.x2, arrow.y2);
    context.stroke();
    context.setLineDash([]);
    this.drawHeads([arrow], colours.racing);
  }
}
