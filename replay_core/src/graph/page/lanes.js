// What is counted over time: tasks by what they do, messages on their way, cards and links at work;
// and the map of the whole run below the picture.

function laneFrame(picture, top, title, ...lines) {
  const { context, colours, area } = picture;
  context.fillStyle = colours.ground;
  context.fillRect(0, top, picture.width, LANE);
  context.fillStyle = colours.line;
  context.fillRect(0, top, picture.width, 1);
  context.fillStyle = colours.text;
  context.fillText(picture.fitted(title, area.left - 12), 8, top + 12);
  context.fillStyle = colours.faint;
  lines.forEach((line, i) => context.fillText(picture.fitted(line, area.left - 12), 8, top + 26 + 14 * i));
}

/** How many tasks do what. */
class StatesLane {
  constructor(run, axis) {
    this.run = run;
    this.axis = axis;
  }

  draw(picture, top) {
    const { context, colours, area, pane } = picture;
    const tasks = this.run.rows.length;
    laneFrame(picture, top, 'tasks', 'by state', 'of ' + tasks);
    const { low, high } = pane.range;
    const wide = Math.max(2, Math.min(32, Math.ceil(tasks * area.width / 30000)));  // pixels
    const count = Math.ceil(area.width / wide);
    const shares = this.shares(low, high, count);
    const sorts = CATEGORIES.length;
    const height = LANE - 8;
    const unit = height / tasks / ((high - low) / count);
    for (let i = 0; i < count; ++i) {
      let y = top + LANE - 2;
      for (let sort = 0; sort < sorts; ++sort) {
        const part = shares[i * sorts + sort] * unit;
        if (part === 0) continue;
        context.fillStyle = colours.categories[sort];
        context.fillRect(area.left + i * wide, y - part, wide, part);
        y -= part;
      }
    }
  }

  /** How long all tasks together do what, in each of `count` equal parts. */
  shares(low, high, count) {
    const sorts = CATEGORIES.length;
    const shares = new Float64Array(count * sorts);
    const visitor = {
      one(part, sort, length) {
        shares[part * sorts + sort] += length;
      },
      several(part, lasted) {
        for (let sort = 0; sort < sorts; ++sort) shares[part * sorts + sort] += lasted[sort];
      },
    };
    for (const row of this.axis.rows) this.axis.eachPart(row, low, high, count, visitor);
    return shares;
  }

  tell(position) {
    const counts = new Map();
    for (const row of this.axis.rows) {
      const at = lowerBound(row.ends, position);
      if (at === row.ends.length || row.begins[at] > position) continue;
      const { words } = CATEGORIES[this.run.category[row.operations[at]]];
      counts.set(words, (counts.get(words) ?? 0) + 1);
    }
    return { title: timeText(position), fields: [...counts] };
  }
}

/** Messages, or their bytes, that have been sent and not yet received. */
class FlightLane {
  constructor(run, title, weight) {
    this.title = title;
    const { send, receive } = run.messages;
    const isWhole = (message) => send[message] >= 0 && receive[message] >= 0;
    this.dates = new Float64Array(run.whole);
    this.levels = new Float64Array(run.whole);  // from each date on
    this.most = 0;
    let count = 0;
    let level = 0;
    for (let i = 0; i < run.whole; ++i) {
      const before = level;
      for (const message of run.receivedBy.of(i)) if (isWhole(message)) level -= weight(message);
      for (const message of run.sentBy.of(i)) if (isWhole(message)) level += weight(message);
      if (level === before) continue;
      this.dates[count] = run.end[i];
      this.levels[count++] = level;
      this.most = Math.max(this.most, level);
    }
    this.dates = this.dates.subarray(0, count);
    this.levels = this.levels.subarray(0, count);
  }

  at(date) {
    const place = lowerBound(this.dates, date + 0.5) - 1;
    return place < 0 ? 0 : this.levels[place];
  }

  draw(picture, top) {
    const { context, colours, area } = picture;
    laneFrame(picture, top, this.title, 'on the way', 'up to ' + countText(this.most));
    if (this.most === 0) return;
    const unit = (LANE - 8) / this.most;
    context.fillStyle = colours.accent;
    let level = this.at(picture.position(area.left));
    let next = lowerBound(this.dates, picture.position(area.left));
    for (let x = 0; x < area.width; ++x) {
      const to = picture.position(area.left + x + 1);
      let most = level;  // within this pixel
      for (; next < this.dates.length && this.dates[next] < to; ++next) {
        level = this.levels[next];
        most = Math.max(most, level);
      }
      const height = Math.max(most * unit, 1);
      if (most > 0) context.fillRect(area.left + x, top + LANE - 2 - height, 1, height);
    }
  }

  tell(position) {
    return { title: timeText(position), fields: [[this.title + ' on the way', countText(this.at(position))]] };
  }
}

function countText(count) {
  return Math.round(count).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** `1 message`, `2 messages`. */
function counted(count, name) {
  return countText(count) + ' ' + name + (count === 1 ? '' : 's');
}

/** What the picture of the network has as rows: stations of cards, then links. */
function networkRows(network) {
  const rows = [];
  for (const nic of network?.nics ?? []) {
    for (const station of nic.stations) rows.push({ ...station, name: nic.host + ' ' + station.name });
  }
  for (const link of network?.links ?? []) rows.push({ ...link, isLink: true });
  return rows;
}

/** Rows of the network: the darker, the busier. */
class NetworkPainter {
  constructor(pane, picture) {
    this.pane = pane;
    this.picture = picture;
  }

  draw() {
    const { pane, picture } = this;
    const { context, colours, area } = picture;
    const [first, last] = picture.rowsInView();
    const room = picture.rowHeight - 3;
    picture.arrows = [];
    picture.part = 1;
    context.save();
    context.beginPath();
    context.rect(area.left, area.top, area.width, area.height);
    context.clip();
    for (let number = first; number < last; ++number) {
      const row = pane.network[number];
      const middle = picture.middleOf(number);
      const { bucket_ps: width, busy_ps: busy } = row.over_time;
      context.fillStyle = colours.categories[row.isLink ? 3 : 1];
      for (let i = 0; i < busy.length; ++i) {
        const left = Math.max(picture.x(i * width), area.left);
        const right = Math.min(picture.x((i + 1) * width), picture.x(pane.axis.last), area.right);
        if (right <= left || busy[i] === 0) continue;
        const part = Math.min(1, busy[i] / Math.min(width, Math.max(pane.axis.last - i * width, 1)));
        const height = Math.max(1, part * room);
        context.globalAlpha = 0.35 + 0.65 * part;
        context.fillRect(left, middle + room / 2 - height, Math.max(right - left - 0.5, 0.7), height);
      }
      context.globalAlpha = 1;
    }
    context.restore();
  }

  static tell(pane, number, position) {
    const row = pane.network[number];
    const { bucket_ps: width, busy_ps: busy } = row.over_time;
    const bucket = Math.floor(position / width);
    const now = busy[bucket] ?? 0;
    const fields = [
      ['busy here', percentText(now, Math.min(width, pane.axis.last - bucket * width))],
      ['busy in all', percentText(row.busy_ps, pane.run.network.end_ps) + ', ' + timeText(row.busy_ps)],
      ['longest wait', timeText(row.longest_wait_ps)], ['longest queue', countText(row.longest_queue)],
    ];
    if (row.isLink) fields.push(['messages', countText(row.messages)], ['bytes', countText(row.bytes)]);
    return { title: row.name, fields };
  }
}

function percentText(part, whole) {
  return whole > 0 ? (100 * part / whole).toFixed(1) + ' %' : '0 %';
}

/** The whole run in a strip, with a frame around what is in view. */
function drawMap(pane, picture) {
  const { context, colours, area } = picture;
  const top = picture.height - MAP + 5;
  const height = MAP - 8;
  const { axis } = pane;
  const width = Math.max(1, Math.round(area.width));
  const key = pane.view + width;
  if (!picture.map || picture.map.key !== key) picture.map = { key, image: mapImage(pane, picture, width) };
  context.fillStyle = colours.ground;
  context.fillRect(0, picture.height - MAP, picture.width, MAP);
  context.fillStyle = colours.line;
  context.fillRect(0, picture.height - MAP, picture.width, 1);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture.map.image, area.left, top, area.width, height);
  const x = (position) => area.left + (position - axis.low) / (axis.high - axis.low) * area.width;
  context.fillStyle = colours.text;
  for (const operation of pane.matches.length < 5000 ? pane.matches : []) {
    context.fillRect(x(axis.point(operation)), top - 3, 1, 4);
  }
  const left = Math.max(x(pane.range.low), area.left);
  const right = Math.min(x(pane.range.high), area.right);
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.strokeRect(left, top - 1, Math.max(right - left, 3), height + 2);
  context.fillStyle = colours.faint;
  context.fillText('whole run', 8, top + height / 2);
}

function mapImage(pane, picture, width) {
  const { colours } = picture;
  const rows = 16;
  const image = document.createElement('canvas');
  image.width = width;
  image.height = rows;
  const pixels = new ImageData(width, rows);
  const numbers = new Uint32Array(pixels.data.buffer);
  const sorts = CATEGORIES.length;
  const shares = new StatesLane(pane.run, pane.axis).shares(pane.axis.low, pane.axis.high, width);
  for (let x = 0; x < width; ++x) {
    let sum = 0;
    for (let sort = 0; sort < sorts; ++sort) sum += shares[x * sorts + sort];
    let y = rows;
    let whole = 0;
    for (let sort = 0; sort < sorts && sum > 0; ++sort) {
      whole += shares[x * sorts + sort];
      const limit = Math.round(rows - whole / sum * rows);
      while (y > limit) numbers[--y * width + x] = ((colours.numbers[sort] & 0xffffff) | (0xb0 << 24)) >>> 0;
    }
  }
  image.getContext('2d').putImageData(pixels, 0, 0);
  return image;
}
