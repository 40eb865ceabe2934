// Behind a page of `orrery show --graph`: how long its frames take, into the attribute `frames`.
addEventListener('load', () => {
  const page = window.orrery;
  const [pane] = page.panes;
  const { picture } = pane;
  const lines = [];

  /** One frame, until all of it is painted. */
  const frame = () => {
    const begin = performance.now();
    picture.draw();
    picture.context.getImageData(0, 0, 1, 1);
    return performance.now() - begin;
  };

  for (const view of ['events', 'time', 'network']) {
    if (view === 'network' && pane.network.length === 0) continue;
    const begin = performance.now();
    page.setView(view);
    frame();
    const first = performance.now() - begin;
    const { low, high } = pane.axis;
    const times = [];
    for (let i = 0; i < 120; ++i) {  // from the whole run to a hundred thousandth of it
      const half = (high - low) * 0.9 ** i / 2;
      const middle = low + (high - low) * (0.4 + 0.001 * i);
      pane.setRange(middle - half, middle + half);
      times.push(frame());
    }
    for (let i = 0; i < 60; ++i) {  // along nearly all of it
      const span = (high - low) * 0.9;
      pane.setRange(low + i * span / 600, low + i * span / 600 + span);
      times.push(frame());
    }
    times.sort((a, b) => a - b);
    const part = (of) => times[Math.floor((times.length - 1) * of)].toFixed(1);
    lines.push(`${view}: first ${first.toFixed(0)} ms; then median ${part(0.5)}, 95 % within ${part(0.95)}, `
      + `worst ${part(1)} ms`);
  }
  const { operations, messages, tasks } = pane.run;
  lines.unshift(`${operations.count} operations, ${messages.count} messages, ${tasks.length} tasks`);
  document.body.dataset.frames = lines.join('|');
});
