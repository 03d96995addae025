// What really happened to the page: the names of all that was clicked, and what fields hold. Tests read it by model.of(name).
window.model = {
  clicks: [],
  values: {},
  of(name) {
    if (name in model) return String(model[name]);
    const e = document.getElementById(name);
    if (e.isContentEditable) return e.innerText.trim();
    return String(e.type === 'checkbox' || e.type === 'radio' ? e.checked : e.value);
  },
};
window.addEventListener('click', (event) => {
  const named = event.composedPath().find((e) => e.dataset && e.dataset.m);
  if (named) model.clicks.push(named.dataset.m);
}, true);
