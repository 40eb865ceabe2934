// Where things lie from left to right: by their order, or by their dates.

/** An axis of a run.  `begins` and `ends` of a row's operations ascend, so that what is in view is
 *  found by bisection, and `sums` tells what is in a pixel without looking at each operation. */
class Axis {
  /** `isTime`: dates, otherwise numbers of operations, each of which takes 0.8 of its column. */
  constructor(run, isTime) {
    this.run = run;
    this.isTime = isTime;
    // What tasks were about in the end stands behind the last event.
    const rest = run.count > run.whole ? Math.max(2, 0.08 * run.whole) : 0;
    const end = Math.max(run.end_ps, 1000);
    const margin = 0.006 * end;  // so that what happens at once is seen
    this.low = isTime ? -margin : -1;
    this.high = isTime ? end + margin : Math.max(run.whole + rest, 4);
    this.last = isTime ? end : run.whole - 1;
    this.narrowest = isTime ? Math.max(100, this.high * 1e-13) : 4;
    this.rows = run.rows.map((row) => this.makeRow(row.operations));
  }

  makeRow(operations) {
    const count = operations.length;
    const begins = new Float64Array(count);
    const ends = new Float64Array(count);
    for (let i = 0; i < count; ++i) {
      const one = operations[i];
      const isRest = one >= this.run.whole;
      begins[i] = this.isTime ? this.run.begin[one] : this.point(one) - 0.4;
      ends[i] = this.isTime ? this.run.end[one] : isRest ? this.high : one + 0.4;
    }
    return { operations, begins, ends, sums: null };
  }

  /** Where the arrows of an operation begin and end. */
  point(operation) {
    return this.isTime ? this.run.end[operation] : Math.min(operation, this.run.whole);
  }

  /** How long each category has lasted before each operation of a row; made when it is first needed. */
  sumsOf(row) {
    if (row.sums) return row.sums;
    const sorts = CATEGORIES.length;
    const sums = new Float64Array((row.operations.length + 1) * sorts);
    for (let i = 0; i < row.operations.length; ++i) {
      for (let sort = 0; sort < sorts; ++sort) sums[(i + 1) * sorts + sort] = sums[i * sorts + sort];
      sums[(i + 1) * sorts + this.run.category[row.operations[i]]] += row.ends[i] - row.begins[i];
    }
    row.sums = sums;
    return sums;
  }

  /** For each of `count` equal parts from `low` to `high` in which there is something: calls
   *  `one(part, sort, length)` where a single operation lasts there, otherwise
   *  `several(part, lasted, operation)`: how long each category lasts, and one of the operations. */
  eachPart(row, low, high, count, visitor) {
    const first = lowerBound(row.ends, low);
    const last = lowerBound(row.begins, high, first);
    if (last - first > 6 * count) this.eachPartBySums(row, low, high, count, visitor);
    else this.eachPartByWalking(row, low, high, count, visitor, first);
  }

  eachPartByWalking(row, low, high, count, visitor, first) {
    const { category } = this.run;
    const { operations, begins, ends } = row;
    const lasted = new Float64Array(CATEGORIES.length);
    const width = (high - low) / count;
    let at = first;
    for (let part = 0; part < count && at < begins.length; ++part) {
      const from = low + part * width;
      const to = from + width;
      if (begins[at] >= to) continue;
      if (ends[at] > to) {
        visitor.one(part, category[operations[at]], to - Math.max(begins[at], from));
        continue;
      }
      let here = -1;
      for (; at < begins.length && begins[at] < to; ++at) {
        const length = Math.min(ends[at], to) - Math.max(begins[at], from);
        here = operations[at];
        if (length > 0) lasted[category[here]] += length;
        if (ends[at] > to) break;
      }
      visitor.several(part, lasted, here);
      lasted.fill(0);
    }
  }

  eachPartBySums(row, low, high, count, visitor) {
    const sorts = CATEGORIES.length;
    let before = new Float64Array(sorts);
    let after = new Float64Array(sorts);
    const lasted = new Float64Array(sorts);
    let at = this.lasted(row, low, before);
    for (let part = 0; part < count; ++part) {
      const next = this.lasted(row, low + (part + 1) * (high - low) / count, after, at);
      for (let sort = 0; sort < sorts; ++sort) lasted[sort] = after[sort] - before[sort];
      visitor.several(part, lasted, next > at ? row.operations[at] : -1);
      at = next;
      [before, after] = [after, before];
    }
  }

  /** How long each category has lasted up to `position`, into `out`; gives the first operation that
   *  ends there or later, which is not before `first`. */
  lasted(row, position, out, first = 0) {
    const sums = this.sumsOf(row);
    const sorts = CATEGORIES.length;
    const at = lowerBound(row.ends, position, first);
    for (let sort = 0; sort < sorts; ++sort) out[sort] = sums[at * sorts + sort];
    if (at < row.operations.length && position > row.begins[at]) {
      out[this.run.category[row.operations[at]]] += position - row.begins[at];
    }
    return at;
  }

  text(position, step) {
    return this.isTime ? timeText(position, step) : String(Math.round(position) + 1);
  }
}

const TIME_UNITS = [['s', 1e12], ['ms', 1e9], ['us', 1e6], ['ns', 1e3], ['ps', 1]];

/** A date or length in the unit that suits it, with all digits, or those that `step` leaves. */
function timeText(picoseconds, step = 0) {
  if (picoseconds === 0) return '0';
  const size = Math.abs(picoseconds);
  const [unit, scale] = TIME_UNITS.find(([, least]) => size >= least) || TIME_UNITS[4];
  let digits = Math.round(Math.log10(scale));
  if (step > 0) digits = Math.min(digits, Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9)));
  let text = (picoseconds / scale).toFixed(digits);
  if (step === 0 && text.includes('.')) text = text.replace(/0+$/, '').replace(/\.$/, '');
  return text + ' ' + unit;
}

/** 1, 2 or 5 times a power of ten, such that steps of `span` are at least `apart` pixels wide. */
function niceStep(span, pixels, apart, least) {
  const wanted = Math.max(span * apart / pixels, least);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= wanted * 0.999999);
}

/** The messages of a run along an axis: those in view, or an even part of them where they are many. */
class Arrows {
  static BLOCK = 128;

  constructor(axis, isWanted) {
    const { run } = axis;
    const { send, receive, count } = run.messages;
    const chosen = [];
    for (let i = 0; i < count; ++i) {
      if (send[i] >= 0 && receive[i] >= 0 && isWanted(i)) chosen.push(i);
    }
    chosen.sort((a, b) => axis.point(send[a]) - axis.point(send[b]));
    this.levels = [];
    // Each level has half of the one before, by a rule that does not see which task sends.
    for (let list = chosen, level = 0; ; ++level) {
      this.levels.push(this.makeLevel(axis, list));
      if (list.length < 512) break;
      list = list.filter((message) => ((Math.imul(message, 0x9e3779b1) ^ 0x5bd1e995) >>> (31 - level)) % 2 === 0);
    }
  }

  makeLevel(axis, list) {
    const { send, receive } = axis.run.messages;
    const messages = Uint32Array.from(list);
    const from = Float64Array.from(list, (message) => axis.point(send[message]));
    const to = Float64Array.from(list, (message) => axis.point(receive[message]));
    const latest = new Float64Array(Math.ceil(list.length / Arrows.BLOCK)).fill(-Infinity);
    to.forEach((end, i) => {
      const block = Math.floor(i / Arrows.BLOCK);
      latest[block] = Math.max(latest[block], end);
    });
    return { messages, from, to, latest };
  }

  /** Calls `visit(message, from, to)` for at most about `limit` messages that lie between `low` and
   *  `high`; gives how many there are for each that was visited. */
  visit(low, high, limit, visit) {
    let level = 0;
    const begun = (one) => lowerBound(one.from, high) - lowerBound(one.from, low);
    while (level + 1 < this.levels.length && begun(this.levels[level]) > limit) ++level;
    const { messages, from, to, latest } = this.levels[level];
    const last = lowerBound(from, high);
    for (let block = 0; block * Arrows.BLOCK < last; ++block) {
      if (latest[block] < low) continue;
      const stop = Math.min(last, (block + 1) * Arrows.BLOCK);
      for (let i = block * Arrows.BLOCK; i < stop; ++i) {
        if (to[i] >= low) visit(messages[i], from[i], to[i]);
      }
    }
    return 2 ** level;
  }
}
