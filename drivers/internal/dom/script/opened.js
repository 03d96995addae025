  // What is in the top layer (modal dialogs, popovers, full-screen elements) is drawn in the order in which it came
  // there, which no API reports. opened has the time of each; two that come at once get different times.
  const opened = new WeakMap(), MOMENT = 0.01;
  let lastOpened = 0;
  const noteOpened = el => {
    lastOpened = Math.max(now(), lastOpened + MOMENT);
    opened.set(el, lastOpened);
  };
  listen(window, 'beforetoggle', event => {
    if (event.isTrusted && event.newState === 'open') noteOpened(pathOf(event)[0]);
  }, {capture: true, passive: true});
  listen(window, 'fullscreenchange', event => {
    if (event.isTrusted) noteOpened(pathOf(event)[0]);
  }, {capture: true, passive: true});
  // The script that reads the page requests the time of an element.
  listen(window, NAME + 'opened', event => {
    const [el] = pathOf(event), at = opened.get(el);
    if (at) send(el, new Custom(NAME + 'openedat', {composed: true, detail: at}));
  }, {capture: true});
