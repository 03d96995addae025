// Cutting out a part of the screen: as an image next to the test, or to read the text in it.
import { quoted } from "./literal.js";

function node(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

export class Cut {
  // on: {deviceUrl(), lease(), inspect(body), run(step), append(line), say(text), inTurn(work), path()}; saves: images
  // can be saved next to the test.
  constructor(on, saves) { Object.assign(this, { on, saves }); }

  // take cuts a part, in percent of the screen, out of a new screenshot.
  async take(from, to) {
    // remove the buttons of the previous cut
    document.getElementById("element").replaceChildren(node("p", "Cutting out…", "quiet"));
    const answer = await fetch(`${this.on.deviceUrl()}/screenshot`, { headers: this.on.lease() });
    if (!answer.ok) throw new Error((await answer.json()).message);
    const whole = await createImageBitmap(await answer.blob());
    const pixel = (part, size) => Math.round((part * size) / 100);
    const left = pixel(Math.min(from.x, to.x), whole.width), top = pixel(Math.min(from.y, to.y), whole.height);
    const width = pixel(Math.max(from.x, to.x), whole.width) - left;
    const height = pixel(Math.max(from.y, to.y), whole.height) - top;
    if (width < 4 || height < 4) throw new Error("Draw a larger box around the part to cut out.");
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    canvas.getContext("2d").drawImage(whole, left, top, width, height, 0, 0, width, height);
    whole.close();
    this.show(canvas, { left, top, width, height });
  }

  show(canvas, box) {
    const pane = node("div"), name = node("input"), label = node("label", "Name of the image ", "line");
    const images = node("div", undefined, "menu-of"), texts = node("div");
    pane.id = "cutting";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${box.width} by ${box.height} pixels that were cut out`);
    Object.assign(name, { value: "cut.png", autocomplete: "off", spellcheck: false });
    label.append(name);
    const button = (text, work) => {
      const made = node("button", text, "tool");
      made.type = "button";
      made.addEventListener("click", () => this.on.inTurn(work));
      return made;
    };
    for (const [text, action] of [["Tap this image", "tap"], ["Assert this image", "assert"]]) {
      images.append(button(text, () => this.saveImage(canvas, name.value.trim(), action)));
    }
    pane.append(node("h2", "Cut out"), canvas);
    if (this.saves) pane.append(label, images);
    pane.append(button("Read its text", () => this.read(box, texts)), texts);
    document.getElementById("element").replaceChildren(pane);
  }

  // saveImage saves the part next to the test, performs a step with it, and records the step if it passes.
  async saveImage(canvas, name, action) {
    const { on } = this, beside = on.path();
    if (!beside) return on.say("Name the test's file first: the image is saved next to it.");
    const png = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
    const query = new URLSearchParams({ beside, name: /\.png$/i.test(name) ? name : `${name || "cut"}.png` });
    const headers = { "Content-Type": "application/octet-stream" };
    const answer = await fetch(`/studio/attachment?${query}`, { method: "PUT", headers, body: png });
    if (!answer.ok) return on.say(await answer.text());
    const step = `${action}: {image: ${quoted((await answer.json()).name)}}`;
    if (await on.run(step)) on.append(step);
  }

  async read(box, pane) {
    const { lines } = await this.on.inspect({ read: box });
    const list = (lines ?? []).map((l) => l.trim()).filter(Boolean);
    pane.replaceChildren(list.length ? node("pre", list.join("\n")) : node("p", "No text was found there.", "quiet"));
    const menu = node("div", undefined, "menu-of");
    for (const line of list) {
      for (const [text, action] of [["Tap", "tap"], ["Assert", "assert"]]) {
        const made = node("button", `${text} “${line}”`, "copy"), step = `${action}: {ocr: ${quoted(line)}}`;
        made.type = "button";
        made.addEventListener("click", () => this.on.inTurn(async () => {
          if (await this.on.run(step)) this.on.append(step);
        }));
        menu.append(made);
      }
    }
    pane.append(menu);
  }
}
