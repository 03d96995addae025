// The details of an element: its attributes, and its selectors with the reasons for their order. Texts of a screen are
// only set by textContent, never as HTML.

const $ = (id) => document.getElementById(id);

function node(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

const stepNames = {
  tap: "Tap", assert: "Assert this", assertValue: "Assert its value", waitGone: "Wait until gone",
  extract: "Extract into a variable", doubleTap: "Double tap", longPress: "Long press",
};

// showElement shows an element; chosen is called with the step that the user selects from its menu.
export function showElement(element, chosen) {
  const pane = $("element");
  if (!element) {
    const message = "The app has no element there: tap it by its position, or find it with ocr: or image:.";
    pane.replaceChildren(node("p", message, "quiet"));
    return;
  }
  const facts = document.createElement("dl");
  for (const [name, value] of Object.entries(element.attributes)) facts.append(node("dt", name), node("dd", value));
  facts.append(node("dt", "path"), node("dd", element.path.join(" › ")));
  const list = document.createElement("ol");
  for (const s of element.selectors) {
    const item = document.createElement("li");
    item.append(node("code", s.yaml));
    const matches = s.matches === 1 ? "1 match" : s.matches + " matches";
    const quality = s.picks ? (s.robust ? "robust" : "brittle") : "does not select it";
    item.append(node("div", `${matches}; ${quality}: ${s.why}`, s.picks && s.robust ? "result-good" : "result-bad"));
    if (s.picks && chosen) {
      const menu = node("div", undefined, "menu-of");
      for (const [name, label] of Object.entries(stepNames)) {
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

// showFound shows what a selector matches, as taproot find does.
export function showFound(found) {
  const pane = $("element");
  const words = { one: "One element matches", none: "No element matches", ambiguous: "Several elements match" };
  const list = document.createElement("ol");
  for (const m of found.matches) {
    const type = m.type.split(/[.$]/).pop() || "element";
    const item = node("li", `${type} “${m.label}”${m.id ? " #" + m.id : ""}, tapped at ${m.tap.x},${m.tap.y}`);
    if (m.obstacle) item.append(node("div", m.obstacle, "result-bad"));
    list.append(item);
  }
  for (const near of found.nearest || []) list.append(node("li", "near: " + near));
  const seen = found.seen?.length > 0;
  const passes = seen ? "An assertion passes: a person sees it." : "An assertion fails: a person cannot see it.";
  pane.replaceChildren(node("h2", `${words[found.result]} ${found.selector}`), node("p", found.problem || "", "quiet"),
    node("p", passes, "quiet"), list);
  return found.matches.map(({ bounds: [left, top, right, bottom] }) => (
    { left, top, width: right - left, height: bottom - top }
  ));
}

// showTree lists all elements; over and chosen are called with the hovered and the clicked one.
export function showTree(elements, over, chosen) {
  $("tree").querySelector("ul").replaceChildren(...elements.map((e) => {
    const item = document.createElement("li");
    const button = node("button", " ".repeat(2 * e.depth) + (e.words.trim() || "element without a name"));
    button.type = "button";
    for (const name of ["focus", "mouseenter"]) button.addEventListener(name, () => over(e));
    button.addEventListener("click", () => chosen(e));
    item.append(button);
    return item;
  }));
}
