// What the page is made of: a run's operations and messages as columns of numbers.

/** Whole numbers, packed as base64: a bit of sign and 6 bits in the first byte, 7 in each further one;
 *  the highest bit says that there are more. */
function unpack(text, count, Type) {
  const raw = atob(text);
  const numbers = new Type(count);
  let at = 0;
  for (let i = 0; i < count; ++i) {
    let byte = raw.charCodeAt(at++);
    const isNegative = (byte & 1) === 1;
    let value = (byte >> 1) & 63;
    for (let scale = 64; byte > 127; scale *= 128) {
      byte = raw.charCodeAt(at++);
      value += (byte & 127) * scale;
    }
    numbers[i] = isNegative ? -value : value;
  }
  return numbers;
}

/** The first place in ascending `numbers`, from `low` on and before `high`, with at least `wanted`. */
function lowerBound(numbers, wanted, low = 0, high = numbers.length) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** For each of `count` owners the numbers of those that belong to it. */
class Groups {
  constructor(owners, count) {
    this.starts = new Uint32Array(count + 1);
    for (const owner of owners) if (owner >= 0) this.starts[owner + 1] += 1;
    for (let i = 0; i < count; ++i) this.starts[i + 1] += this.starts[i];
    this.members = new Uint32Array(this.starts[count]);
    const next = this.starts.slice();
    for (let i = 0; i < owners.length; ++i) {
      if (owners[i] >= 0) this.members[next[owners[i]]++] = i;
    }
  }

  of(owner) {
    return this.members.subarray(this.starts[owner], this.starts[owner + 1]);
  }
}

/** `app.c:12`, or empty. */
function placeText({ file, line }) {
  return file ? file.slice(file.lastIndexOf('/') + 1) + ':' + line : '';
}

const TIMED_OUT = 1;
const HAS_VALUE = 2;

/** One run.  Operations are numbered in the order in which they ended; dates are picoseconds. */
class Run {
  constructor(data) {
    Object.assign(this, data);
    this.readOperations(data.operations);
    this.readMessages(data.messages);
    this.makeRows();
    const races = data.races;
    this.races = {
      count: races.count,
      total: races.total,  // in a long run not all are here
      number: unpack(races.number, races.count, Uint32Array),
      receiver: unpack(races.receiver, races.count, Uint32Array),
      taken: unpack(races.taken, races.count, Uint32Array),
      other: unpack(races.other, races.count, Uint32Array),
    };
    this.racesOf = new Groups(this.races.receiver, this.count);
    this.racingAccesses = [...new Set(this.dataRaces.flatMap(({ first, second }) => [first, second]))]
      .sort((a, b) => a - b);
    this.intervalsOf = this.tasks.map(() => []);
    for (const interval of this.intervals) this.intervalsOf[interval.task].push(interval);
  }

  readOperations(columns) {
    const whole = columns.count;
    const rest = this.unfinished;
    this.whole = whole;  // from there on: what tasks were about in the end
    this.count = whole + rest.length;
    const read = (name, Type) => {
      const all = new Type(this.count);
      all.set(unpack(columns[name], whole, Type));
      return all;
    };
    for (const name of ['task', 'object', 'place', 'number', 'pieces', 'valueLow', 'valueHigh']) {
      this[name] = read(name, Uint32Array);
    }
    for (const name of ['kind', 'call', 'flags']) this[name] = read(name, Uint16Array);
    for (const name of ['peer', 'tag']) this[name] = read(name, Int32Array);
    this.bytes = read('bytes', Float64Array);
    this.begin = read('gap', Float64Array);
    this.end = read('length', Float64Array);
    // Each begins where the task's operation before it ended; the sums are those of who wrote them.
    const ends = new Float64Array(this.tasks.length);
    const numbers = new Uint32Array(this.tasks.length);
    for (let i = 0; i < whole; ++i) {
      const task = this.task[i];
      this.begin[i] += ends[task];
      this.end[i] += this.begin[i];
      ends[task] = this.end[i];
      numbers[task] += this.number[i];
      this.number[i] = numbers[task];
    }
    const kind = this.kinds.push('unfinished') - 1;
    rest.forEach((state, i) => {
      this.task[whole + i] = state.task;
      this.begin[whole + i] = state.begin;
      this.end[whole + i] = state.end;
      this.kind[whole + i] = kind;
      this.call[whole + i] = this.calls.push(state.label) - 1;
      this.pieces[whole + i] = 1;
      this.peer[whole + i] = -1;
      this.tag[whole + i] = -1;
    });
    this.category = categoriesOf(this);
  }

  readMessages(columns) {
    const count = columns.count;
    const message = { count, total: columns.total };
    for (const name of ['send', 'receive', 'source', 'destination', 'tag', 'context', 'racing']) {
      message[name] = unpack(columns[name], count, Int32Array);
    }
    message.bytes = unpack(columns.bytes, count, Float64Array);
    message.contents = unpack(columns.contents, count, Uint32Array);  // a hash
    this.messages = message;
    this.sentBy = new Groups(message.send, this.count);
    this.receivedBy = new Groups(message.receive, this.count);
  }

  /** A row for each task, those of a process together. */
  makeRows() {
    const order = this.tasks.map((task, number) => number);
    order.sort((a, b) => this.tasks[a].process - this.tasks[b].process || a - b);
    const groups = new Groups(this.task, this.tasks.length);
    this.rowOf = new Uint32Array(this.tasks.length);
    this.rows = order.map((task, row) => {
      this.rowOf[task] = row;
      const before = row > 0 ? this.tasks[order[row - 1]].process : -1;
      return {
        task, operations: groups.of(task), name: this.tasks[task].name,
        isFurther: this.tasks[task].process === before,  // another thread of the process above
      };
    });
    this.placeInRow = new Uint32Array(this.count);
    for (const row of this.rows) {
      row.operations.forEach((operation, i) => { this.placeInRow[operation] = i; });
    }
  }

  /** In a word: `MPI_Recv`, `compute`. */
  label(operation) {
    return this.calls[this.call[operation]] || this.kinds[this.kind[operation]];
  }

  /** `app.c:12`, or empty. */
  line(operation) {
    const place = this.places[this.place[operation]];
    return placeText(place) || place.function;
  }

  idText(operation) {
    return operation < this.whole ? this.task[operation] + '.' + this.number[operation] : '';
  }

  /** The operation with this id, or -1. */
  find(task, number) {
    if (!(task >= 0 && task < this.tasks.length)) return -1;
    const operations = this.rows[this.rowOf[task]].operations;
    let low = 0;
    let high = operations.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const one = operations[middle];
      if (one < this.whole && this.number[one] < number) low = middle + 1;
      else high = middle;
    }
    const found = operations[low];
    return low < operations.length && found < this.whole && this.number[found] === number ? found : -1;
  }

  /** The operation of the same task that is so many further, or -1. */
  neighbour(operation, step) {
    const row = this.rows[this.rowOf[this.task[operation]]];
    const place = this.placeInRow[operation] + step;
    return place >= 0 && place < row.operations.length ? row.operations[place] : -1;
  }

  valueText(operation) {
    if (!(this.flags[operation] & HAS_VALUE)) return '';
    const bits = (BigInt(this.valueHigh[operation]) << 32n) | BigInt(this.valueLow[operation]);
    const size = this.bytes[operation];
    if (!(size >= 1 && size <= 8)) return bits.toString();
    // The bits of a variable, whose type nobody kept: small numbers of either sign are shown as such.
    const value = BigInt.asIntN(8 * size, bits);
    return value > -(1n << 40n) && value < 1n << 40n ? value.toString() : '0x' + bits.toString(16);
  }

  /** Which interval of its rank the operation is in, or undefined. */
  intervalOf(operation) {
    const number = this.number[operation];
    return this.intervalsOf[this.task[operation]].find(
      (one) => number >= one.first && (one.end === 0 || number < one.end));
  }
}
