// What is known of an element: its attributes, and its selectors with what speaks for each. Every text of a screen goes
// through textContent.

const $ = (id) => document.getElementById(id);

function node(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

const names = { tap: "Tap", assert: "Assert this", assertValue: "Assert its value", waitGone: "Wait until gone", extract: "Extract into a variable", doubleTap: "Double tap", longPress: "Long press" };

// showElement lists an element; chosen hears of the step that a person picks from its menu.
export function showElement(element, chosen) {
  const pane = $("element");
  if (!element) {
    pane.replaceChildren(node("p", "There is no element of the app there: tap it as a place, or look for it by ocr: or image:.", "quiet"));
    return;
  }
  const facts = document.createElement("dl");
  for (const [name, value] of Object.entries(element.attributes)) facts.append(node("dt", name), node("dd", value));
  facts.append(node("dt", "path"), node("dd", element.path.join(" › ")));
  const list = document.createElement("ol");
  for (const s of element.selectors) {
    const item = document.createElement("li");
    item.append(node("code", s.yaml));
    item.append(node("div", `${s.matches === 1 ? "1 match" : s.matches + " matches"}; ${s.picks ? (s.robust ? "robust" : "brittle") : "does not pick it"}: ${s.why}`, s.picks && s.robust ? "verdict-good" : "verdict-bad"));
    if (s.picks && chosen) {
      const menu = node("div", undefined, "menu-of");
      for (const [name, label] of Object.entries(names)) {
        if (!s.steps[name]) continue;
        const button = node("button", label, "copy");
        button.type = "button";
        button.addEventListener("click", () => chosen(name, s.steps[name]));
        menu.append(button);
      }
      item.append(menu);
    }
    list.append(item);
  }
  pane.replaceChildren(node("h2", element.words), facts, list);
}

// showFound says what a selector picks, as taproot find does.
export function showFound(found) {
  const pane = $("element");
  const words = { one: "One element matches", none: "No element matches", ambiguous: "Several elements match" };
  const list = document.createElement("ol");
  for (const m of found.matches) {
    const item = node("li", `${m.type.split(/[.$]/).pop() || "element"} “${m.label}”${m.id ? " #" + m.id : ""}, tapped at ${m.tap.x},${m.tap.y}`);
    if (m.obstacle) item.append(node("div", m.obstacle, "verdict-bad"));
    list.append(item);
  }
  for (const near of found.nearest || []) list.append(node("li", "near: " + near));
  pane.replaceChildren(node("h2", `${words[found.verdict]} ${found.selector}`), node("p", found.problem || "", "quiet"),
    node("p", found.seen?.length ? "An assertion passes: a person sees it." : "An assertion fails: a person cannot see it.", "quiet"), list);
  return found.matches.map((m) => ({ left: m.bounds[0], top: m.bounds[1], width: m.bounds[2] - m.bounds[0], height: m.bounds[3] - m.bounds[1] }));
}

// showTree lists all elements; over and chosen hear of the one that is pointed at or picked.
export function showTree(elements, over, chosen) {
  $("tree").querySelector("ul").replaceChildren(...elements.map((e) => {
    const item = document.createElement("li"), button = node("button", " ".repeat(2 * e.depth) + (e.words.trim() || "element without a name"));
    button.type = "button";
    for (const name of ["focus", "mouseenter"]) button.addEventListener(name, () => over(e));
    button.addEventListener("click", () => chosen(e));
    item.append(button);
    return item;
  }));
}
