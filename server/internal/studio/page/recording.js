// The state of recording: the button that turns it on and off, and the red bar with the time while it is on.

const $ = (id) => document.getElementById(id);

export class Recording {
  // A page that may only watch has no button. The button is disabled until ready is called.
  constructor() {
    Object.assign(this, { on: false, isReady: false, seconds: 0, title: document.title });
    $("record")?.addEventListener("click", () => this.set(!this.on));
    setInterval(() => this.tick(), 1000);
  }

  // ready enables the button: this page has the device.
  ready() {
    this.isReady = true;
    const button = $("record");
    button.disabled = false;
    button.title = "Record your actions on the screen as steps of the test";
    if (this.on) this.announce("Recording");
    this.show();
  }

  // wait disables the button until this page has the device again; a recording is paused, and continues then.
  wait(why) {
    this.isReady = false;
    const button = $("record");
    button.disabled = true;
    button.title = `Recording is not possible yet: ${why}`;
    if (this.on) this.announce(`Recording is paused: ${why}`);
    this.show();
  }

  set(on) {
    if (on === this.on || !this.isReady) return;
    [this.on, this.seconds] = [on, 0];
    $("record").setAttribute("aria-pressed", String(on));
    this.announce(on ? "Recording" : "Recording has stopped");
    this.show();
  }

  // announce writes into the live region, which screen readers read aloud; the time is not in it.
  announce(text) {
    $("recording-message").textContent = text;
    $("recording-state").textContent = text;
  }

  show() {
    $("recording").hidden = !this.on;
    $("recording").classList.toggle("paused", !this.isReady);
    document.body.classList.toggle("recording", this.on);
    document.title = this.on ? `● ${this.title}` : this.title;
    $("recording-time").textContent = `${Math.floor(this.seconds / 60)}:${String(this.seconds % 60).padStart(2, "0")}`;
  }

  tick() {
    if (!this.on || !this.isReady) return;
    this.seconds++;
    this.show();
  }
}
