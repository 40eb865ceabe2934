// Mouse, pen and touch on a picture: hover, click, drag, wheel, pinch.

class Pointer {
  constructor(pane, canvas) {
    this.pane = pane;
    this.canvas = canvas;
    this.held = new Map();  // pointers that are down, and where
    this.isDrag = false;
    const listen = (name, does, options) => canvas.addEventListener(name, (event) => does.call(this, event), options);
    listen('pointerdown', this.down);
    listen('pointermove', this.move);
    listen('pointerup', this.up);
    listen('pointercancel', this.cancel);
    listen('pointerleave', this.leave);
    listen('wheel', this.wheel, { passive: false });
    listen('dblclick', this.doubleClick);
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event) {
    if (event.button !== 0) return;
    const place = this.place(event);
    this.held.set(event.pointerId, place);
    this.canvas.setPointerCapture(event.pointerId);
    this.start = place;
    this.isDrag = false;
    this.isOnMap = place.y > this.pane.picture.height - MAP;
    this.pane.page.focusPane(this.pane);
    if (this.isOnMap) this.goOnMap(place.x);
  }

  move(event) {
    const place = this.place(event);
    const before = this.held.get(event.pointerId);
    if (!before) return this.hover(event, place);
    this.held.set(event.pointerId, place);
    if (this.isOnMap) return this.goOnMap(place.x);
    if (this.held.size === 2) return this.pinch(event.pointerId, before, place);
    if (Math.hypot(place.x - this.start.x, place.y - this.start.y) > 4) this.isDrag = true;
    if (!this.isDrag) return;
    this.pane.page.hideHint();
    this.pane.picture.top -= place.y - before.y;
    this.pane.pan((before.x - place.x) / this.pane.picture.area.width);
  }

  up(event) {
    const isClick = this.held.size === 1 && !this.isDrag && !this.isOnMap;
    this.held.delete(event.pointerId);
    if (!isClick) return;
    const { x, y } = this.place(event);
    this.pane.page.select(this.pane, this.pane.at(x, y), false);
  }

  cancel(event) {
    this.held.delete(event.pointerId);
  }

  leave() {
    this.pane.page.hideHint();
    if (this.pane.hovered === NOTHING) return;
    this.pane.hovered = NOTHING;
    this.pane.picture.ask();
  }

  hover(event, { x, y }) {
    const { pane } = this;
    const found = pane.at(x, y);
    if (found.operation !== pane.hovered.operation || found.message !== pane.hovered.message) {
      pane.hovered = found;
      pane.picture.ask();
    }
    this.canvas.style.cursor = found.operation >= 0 || found.message >= 0 ? 'pointer' : 'default';
    pane.page.showHint(pane, found, pane.tell(x, y), event.clientX, event.clientY);
  }

  /** The wheel zooms where the pointer is; with Shift, or across, it pans; on the names it scrolls. */
  wheel(event) {
    event.preventDefault();
    const { pane } = this;
    const { picture } = pane;
    const { x } = this.place(event);
    const unit = event.deltaMode === 1 ? 30 : 1;
    const across = event.shiftKey ? event.deltaX + event.deltaY : event.deltaX;
    pane.page.hideHint();
    if (x < picture.area.left && !event.ctrlKey) {
      picture.top += event.deltaY * unit;
      return picture.ask();
    }
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      return pane.pan(across * unit / picture.area.width);
    }
    const speed = event.ctrlKey ? 0.01 : 0.0018;
    pane.zoom(Math.exp(event.deltaY * unit * speed), picture.position(Math.max(x, picture.area.left)));
  }

  pinch(moved, before, place) {
    const other = [...this.held].find(([id]) => id !== moved)[1];
    const was = Math.abs(before.x - other.x);
    const is = Math.abs(place.x - other.x);
    this.isDrag = true;
    if (was > 8 && is > 8) this.pane.zoom(was / is, this.pane.picture.position((place.x + other.x) / 2));
  }

  doubleClick(event) {
    const { x } = this.place(event);
    this.pane.zoom(0.4, this.pane.picture.position(x));
  }

  goOnMap(x) {
    const { axis, range, picture } = this.pane;
    const middle = axis.low + (x - picture.area.left) / picture.area.width * (axis.high - axis.low);
    const half = (range.high - range.low) / 2;
    this.pane.setRange(middle - half, middle + half);
  }
}
