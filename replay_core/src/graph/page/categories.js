// What tasks do, in ten sorts, each with a colour of its own.

const CATEGORIES = [
  { name: 'compute', words: 'computes' },
  { name: 'send', words: 'sends' },
  { name: 'receive', words: 'receives, waits for messages' },
  { name: 'collective', words: 'collective operation' },
  { name: 'lock', words: 'locks, waits for threads' },
  { name: 'memory', words: 'shared memory' },
  { name: 'sleep', words: 'sleeps' },
  { name: 'other', words: 'starts, ends, other' },
  { name: 'fault', words: 'fault' },
  { name: 'unfinished', words: 'unfinished' },
];
const OTHER = 7;

const KIND_SORTS = {
  compute: 'compute', sleep: 'sleep', fault: 'fault', unfinished: 'unfinished',
  send: 'send',
  receive: 'receive', post_receive: 'receive', wait: 'receive', select: 'receive', test: 'receive',
  probe: 'receive', try_probe: 'receive', cancel: 'receive',
  join: 'lock', mutex_lock: 'lock', mutex_try_lock: 'lock', mutex_unlock: 'lock', shared_lock: 'lock',
  shared_try_lock: 'lock', shared_unlock: 'lock', condition_wait: 'lock', condition_notify: 'lock',
  semaphore_acquire: 'lock', semaphore_try_acquire: 'lock', semaphore_release: 'lock',
  barrier_arrive: 'lock', barrier_wait: 'lock', latch_count_down: 'lock', latch_wait: 'lock',
  once_begin: 'lock', once_end: 'lock',
  read: 'memory', write: 'memory', read_modify_write: 'memory', fence: 'memory',
};

const COLLECTIVE = new RegExp('^MPI_(I?(neighbor_)?(barrier|bcast|gatherv?|scatterv?|allgatherv?|alltoall[vw]?'
  + '|(all)?reduce|reduce_scatter(_block)?|(ex)?scan)|comm_(dup|split|create).*|win_(fence|create|free|allocate).*)$', 'i');

/** The category of each operation, by its kind and call. */
function categoriesOf(run) {
  const place = (name) => CATEGORIES.findIndex((one) => one.name === name);
  const byKind = run.kinds.map((kind) => (kind in KIND_SORTS ? place(KIND_SORTS[kind]) : OTHER));
  const isCollective = run.calls.map((call) => COLLECTIVE.test(call));
  const collective = place('collective');
  const fixed = [place('fault'), place('unfinished'), place('compute')];
  const categories = new Uint8Array(run.count);
  for (let i = 0; i < run.count; ++i) {
    const own = byKind[run.kind[i]];
    categories[i] = isCollective[run.call[i]] && !fixed.includes(own) ? collective : own;
  }
  return categories;
}

/** The colours of the page as it looks now; `number` is a pixel of a picture. */
class Colours {
  constructor() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue('--' + name).trim();
    for (const name of ['ground', 'panel', 'text', 'faint', 'line', 'track', 'accent', 'message',
      'racing', 'interval', 'alarm', 'life']) {
      this[name] = of(name);
    }
    this.categories = CATEGORIES.map((one) => of(one.name));
    this.numbers = this.categories.map((text) => Colours.pixel(text));
    this.inks = this.numbers.map((pixel) => {
      const bright = 0.299 * (pixel & 255) + 0.587 * ((pixel >> 8) & 255) + 0.114 * ((pixel >> 16) & 255);
      return bright > 118 ? '#0c0d0e' : '#ffffff';
    });
  }

  static pixel(text) {
    const digits = parseInt(text.slice(1), 16);
    return ((255 << 24) | ((digits & 255) << 16) | (digits & 0xff00) | (digits >> 16)) >>> 0;
  }
}
