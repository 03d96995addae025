(quiet = 60, limit = 250) => new Promise(done => {
  // timers do not run, and only the browser itself changes the page
  if (matchMedia('(scripting: none)').matches) return done(true);
  let last = performance.now(), frames = 0;
  const changed = () => { last = performance.now(); };
  const watch = new MutationObserver(changed), how = {capture: true, passive: true};
  addEventListener('scroll', changed, how);
  // observe starts to observe the changes in a document and its open shadow roots.
  const observe = root => {
    watch.observe(root, {subtree: true, childList: true, characterData: true});
    for (const el of root.querySelectorAll('*')) if (el.shadowRoot) observe(el.shadowRoot);
  };
  observe(document);
  const end = rested => {
    watch.disconnect();
    removeEventListener('scroll', changed, how);
    clearTimeout(timer);
    done(rested);
  };
  const timer = setTimeout(() => end(false), limit);
  const onFrame = () => {
    if (++frames > 2 && performance.now() - last >= quiet) end(true); else requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
})
