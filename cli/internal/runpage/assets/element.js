// Elements of the page. Texts are text nodes, never markup.
export const SIGN = { pass: "✓", warned: "⚠", fail: "✗", error: "!", skipped: "–", interrupted: "◼",
  unreached: "○", waiting: "…", running: "▸", broken: "!", "": "○" };
export const WORD = { pass: "Passed", warned: "Failed, which the test allows", fail: "Failed", error: "Error",
  skipped: "Skipped", interrupted: "Interrupted", unreached: "Not reached", waiting: "Waiting", running: "In progress",
  broken: "Error in the file", "": "No result" };

export const $ = (id) => document.getElementById(id);

// h makes an element with attributes, listeners (on) and children.
export function h(tag, attrs, ...kids) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs || {})) {
    if (name === "on") for (const type of Object.keys(value)) el.addEventListener(type, value[type]);
    else if (name === "cls") el.className = value;
    else if (value !== null && value !== undefined && value !== false) {
      el.setAttribute(name, value === true ? "" : value);
    }
  }
  el.append(...kids.flat(3).filter((kid) => kid !== null && kid !== undefined && kid !== false && kid !== ""));
  return el;
}

export function icon(result) {
  return h("span", { cls: "icon i-" + (result || "none") }, h("span", { "aria-hidden": "true" }, SIGN[result || ""]),
    h("span", { cls: "sr" }, WORD[result || ""]));
}

export function bdi(text, cls) { return h("bdi", { cls }, text); }

export function plural(n, one, many) { return n + " " + (n === 1 ? one : many || one + "s"); }

export function took(ms) {
  if (!ms) return "";
  if (ms < 1000) return ms + " ms";
  if (ms < 60000) return (ms / 1000).toFixed(1) + " s";
  return Math.floor(ms / 60000) + ":" + String(Math.floor(ms / 1000) % 60).padStart(2, "0") + " min";
}
