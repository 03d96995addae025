  // resting returns the activity that the page has started: "busy", "quiet", or "" when it is unknown. script/watch.js
  // knows its timers and what it waits for. An animation counts when at most BRIEF milliseconds of it are left: a
  // script may wait for its end.
  const WATCH = '@watch@', SOON = 2000, BRIEF = 1000, LATE = 500;
  // scriptless: the document may not run scripts (sandbox). A listener that is called there causes an error in the
  // page's console, even a listener of this script.
  const scriptless = window.matchMedia('(scripting: none)').matches;
  // watchReports returns the answer of script/watch.js to a question; false without it.
  const watchReports = what => !scriptless && !window.dispatchEvent(new Event(WATCH + what, {cancelable: true}));
  const animations = {
    9: method(Document.prototype, 'getAnimations'), 11: method(ShadowRoot.prototype, 'getAnimations')};
  // ending has the animations that were seen shortly before their end, with the time until which they count. On a busy
  // machine an animation has ended before the page gets the event of its end, with the next frame.
  const ending = new Map();
  const ends = (animation, left) => {
    if (!scriptless && !ending.has(animation))
      for (const kind of ['finish', 'cancel', 'remove'])
        animation.addEventListener(kind, () => setTimeout(() => ending.delete(animation)), {once: true});
    ending.set(animation, performance.now() + left + (scriptless ? 0 : LATE));
  };
  const isEnding = () => {
    for (const [animation, until] of ending) if (performance.now() > until) ending.delete(animation);
    return ending.size > 0;
  };
  const resting = () => {
    if (!scriptless && !watchReports('here')) return '';
    if (watchReports('busy')) return 'busy';
    const left = animations[9](document).filter(a => a.playState === 'running' && a.effect).map(a => {
      const end = a.effect.getComputedTiming().endTime;
      const at = typeof a.currentTime === 'number' ? a.currentTime : 0;
      const ms = end <= SOON ? (end - at) / Math.abs(a.playbackRate || 1) : Infinity;
      if (ms <= BRIEF) ends(a, Math.max(ms, 0));
      return ms;
    });
    if (isEnding()) return 'busy';
    return left.some(ms => ms < Infinity) || watchReports('ticking') ? '' : 'quiet';
  };
