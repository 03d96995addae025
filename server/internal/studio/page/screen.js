// The live screen of a device: draws the newest frame of the stream, and reports the actions of the pointer and the
// keys on it.

const holdMs = 600, doubleMs = 230, wheelMs = 450;
const keys = {
  Enter: "enter", Backspace: "backspace", Delete: "delete", Escape: "escape",
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Home: "home", End: "end",
};

// frames reads the images of a multipart response.
async function* frames(body) {
  const reader = body.getReader();
  let data = new Uint8Array(0);
  const more = async () => {
    const { done, value } = await reader.read();
    if (done) return false;
    const joined = new Uint8Array(data.length + value.length);
    joined.set(data);
    joined.set(value, data.length);
    data = joined;
    return true;
  };
  for (;;) {
    let end;
    while ((end = headEnd(data)) < 0) if (!(await more())) return;
    const head = new TextDecoder().decode(data.subarray(0, end));
    const size = Number(/Content-Length: (\d+)/i.exec(head)?.[1]);
    const screen = /X-Screen: (\d+)x(\d+)/i.exec(head);
    if (!size || !screen) throw new Error("the image cannot be read");
    while (data.length < end + size) if (!(await more())) return;
    yield { jpeg: data.slice(end, end + size), width: Number(screen[1]), height: Number(screen[2]) };
    data = data.slice(end + size);
  }
}

function headEnd(data) {
  for (let i = 0; i + 3 < data.length; i++) {
    if (data[i] === 13 && data[i + 1] === 10 && data[i + 2] === 13 && data[i + 3] === 10) return i + 4;
  }
  return -1;
}

export class Screen {
  // on: {state(text), act(name, place, to), text(text), key(name), hover(place), pin(place)}; while pointing is true,
  // clicks pin elements.
  constructor(glass, device, on) {
    const [canvas, boxes] = [glass.querySelector("canvas"), glass.querySelector(".boxes")];
    Object.assign(this, { canvas, boxes, device, on, pointing: false, cutting: false });
    Object.assign(this, { width: 0, height: 0, count: 0, waiting: [] });
    this.listen();
  }

  // watch draws until the page is closed; it restarts a stream that ends.
  async watch() {
    for (;;) {
      try {
        const answer = await fetch(`${document.body.dataset.api}/devices/${encodeURIComponent(this.device)}/live`);
        if (!answer.ok) throw new Error((await answer.json()).message);
        for await (const frame of frames(answer.body)) await this.draw(frame);
        this.on.state("The device was released or disconnected. Trying again…");
      } catch (e) {
        this.on.state(`No image: ${e.message}. Trying again…`);
      }
      await new Promise((done) => setTimeout(done, 1500));
    }
  }

  async draw(frame) {
    const image = await createImageBitmap(new Blob([frame.jpeg], { type: "image/jpeg" }));
    const { canvas } = this;
    if (canvas.width !== image.width || canvas.height !== image.height) {
      [canvas.width, canvas.height] = [image.width, image.height];
      this.shape(image.width > image.height ? "wide" : "tall");
    }
    canvas.getContext("2d").drawImage(image, 0, 0);
    image.close();
    [this.width, this.height] = [frame.width, frame.height];
    this.count++;
    canvas.dataset.frames = this.count;
    for (const waiting of this.waiting.splice(0)) waiting();
    this.on.state("");
  }

  // shape sets the layout of the screen, and of the columns if it is the only one.
  shape(shape) {
    this.canvas.closest(".screen").dataset.shape = shape;
    if (!document.body.dataset.several) document.body.dataset.shape = shape;
  }

  // next returns the next image, or the newest one when none arrives within ms; null: there is none yet.
  async next(ms) {
    await new Promise((done) => { this.waiting.push(done); setTimeout(done, ms); });
    return this.count ? new Promise((done) => { this.canvas.toBlob(done, "image/jpeg", 0.7); }) : null;
  }

  // place returns the position of an event, in percent of the screen.
  place(event) {
    const r = this.canvas.getBoundingClientRect();
    const part = (at, from, size) => Math.min(Math.max((at - from) / size, 0), 0.9999) * 100;
    return { x: part(event.clientX, r.left, r.width), y: part(event.clientY, r.top, r.height) };
  }

  // mark draws boxes, in pixels of the screen, over the image.
  mark(kind, list) {
    for (const old of this.boxes.querySelectorAll("." + kind)) old.remove();
    for (const b of list) {
      const box = document.createElement("div");
      box.className = kind;
      const per = (n, of) => `${(100 * n) / (of || 1)}%`;
      Object.assign(box.style, {
        left: per(b.left, this.width), top: per(b.top, this.height),
        width: per(b.width, this.width), height: per(b.height, this.height),
      });
      this.boxes.append(box);
    }
  }

  // outline draws the box from one place to another.
  outline(a, b) {
    const px = (x) => (x * this.width) / 100, py = (y) => (y * this.height) / 100;
    this.mark("cut", [{
      left: px(Math.min(a.x, b.x)), top: py(Math.min(a.y, b.y)),
      width: px(Math.abs(a.x - b.x)), height: py(Math.abs(a.y - b.y)),
    }]);
  }

  // receive calls dropped with files that are dropped on the screen.
  receive(dropped) {
    const glass = this.canvas.parentElement, over = (is) => glass.classList.toggle("dropping", is);
    for (const type of ["dragenter", "dragover"]) {
      glass.addEventListener(type, (e) => { e.preventDefault(); over(true); });
    }
    glass.addEventListener("dragleave", () => over(false));
    glass.addEventListener("drop", (e) => { e.preventDefault(); over(false); dropped([...e.dataTransfer.files]); });
  }

  listen() {
    const { canvas, on } = this;
    let down = null, waiting = 0, wheeled = 0;
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      canvas.focus();
      canvas.setPointerCapture(e.pointerId);
      // timeStamp is when the button was pressed: a busy page receives the event later
      down = { at: this.place(e), time: e.timeStamp, moved: 0 };
    });
    canvas.addEventListener("pointermove", (e) => {
      const at = this.place(e);
      if (!down) return void on.hover(at);
      if (this.cutting) return this.outline(down.at, at);
      if (!down.moved && Math.hypot(at.x - down.at.x, at.y - down.at.y) > 2) down.moved = e.timeStamp;
    });
    canvas.addEventListener("pointercancel", () => { down = null; });
    canvas.addEventListener("pointerup", (e) => {
      if (!down) return;
      const from = down, to = this.place(e), held = (from.moved || e.timeStamp) - from.time;
      down = null;
      if (this.cutting) return void on.cut(from.at, to);
      if (this.pointing) return on.pin(from.at);
      if (from.moved) return on.act(held > holdMs ? "drag" : "swipe", from.at, to);
      if (held > holdMs) return on.act("longPress", from.at);
      if (waiting) {
        clearTimeout(waiting);
        waiting = 0;
        return on.act("doubleTap", from.at);
      }
      waiting = setTimeout(() => { waiting = 0; on.act("tap", from.at); }, doubleMs);
    });
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      if (e.timeStamp - wheeled < wheelMs) return;
      wheeled = e.timeStamp;
      const across = Math.abs(e.deltaX) > Math.abs(e.deltaY);
      if (e.ctrlKey) return on.act(e.deltaY < 0 ? "pinchOpen" : "pinchClose", this.place(e));
      on.act("scroll", across ? (e.deltaX > 0 ? "right" : "left") : e.deltaY > 0 ? "down" : "up");
    }, { passive: false });
    canvas.addEventListener("contextmenu", (e) => { e.preventDefault(); on.pin(this.place(e)); });
    canvas.addEventListener("keydown", (e) => {
      if ((e.ctrlKey || e.metaKey) && e.key === "c") return void on.copy();
      if (e.ctrlKey || e.metaKey || e.key === "Tab") return;
      if (keys[e.key]) on.key(keys[e.key]);
      else if ([...e.key].length === 1) on.text(e.key);
      else return;
      e.preventDefault();
    });
    canvas.addEventListener("paste", (e) => { e.preventDefault(); on.text(e.clipboardData.getData("text")); });
  }
}
