// A report: choose a step, and ask which other steps would have held on its screen.
const at = (id) => document.getElementById(id), buttons = [...document.querySelectorAll("#steps button")];
const screen = at("screen"), image = screen.querySelector("img"), question = at("question"), results = at("results");
let step = 0, own = "";

function choose(button) {
  for (const other of buttons) other.removeAttribute("aria-current");
  button.setAttribute("aria-current", "step");
  const d = button.dataset;
  step = Number(d.step);
  at("which").textContent = `Try on the screen of step ${step}`;
  at("problem").hidden = !d.problem;
  at("problem").textContent = d.problem;
  screen.hidden = !d.shot;
  image.src = d.shot || "";
  image.alt = d.shot ? `The screen of step ${step}` : "";
  if (question.value === own) question.value = d.question; // what was typed stays, for the screens of other steps
  own = d.question;
  history.replaceState(null, "", "?step=" + step);
}

async function ask(text) {
  const about = step;
  const reply = await fetch(document.body.dataset.try, { method: "POST",
    headers: { "Content-Type": "application/json" }, body: JSON.stringify({ step: about, question: text }) });
  if (!reply.ok) return { word: "not a question", why: (await reply.text()).trim(), about };
  return { ...(await reply.json()), about };
}

function show(text, answer) {
  const item = document.createElement("li"), word = document.createElement("strong");
  const code = document.createElement("code");
  item.dataset.word = answer.word;
  word.textContent = answer.word;
  code.textContent = text;
  item.append(word, ` on the screen of step ${answer.about}: `, code);
  if (answer.why) {
    const why = document.createElement("p");
    why.textContent = answer.why;
    item.append(why);
  }
  results.prepend(item);
}

for (const button of buttons) button.addEventListener("click", () => choose(button));
at("trying").addEventListener("submit", async (e) => {
  e.preventDefault();
  const text = question.value;
  try {
    show(text, await ask(text));
  } catch (problem) {
    show(text, { word: "no answer", why: `Studio does not respond: ${problem.message}`, about: step });
  }
});
const first = buttons.find((b) => b.hasAttribute("aria-current"));
if (first) choose(first);
