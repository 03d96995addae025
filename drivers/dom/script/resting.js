  // resting tells whether something is on its way that the page has set going: "busy", "quiet", or "" where nobody can say. script/watch.js knows
  // of its timers; an animation counts that ends within SOON milliseconds.
  const WATCH = '@watch@', SOON = 2000;
  // scriptless: the document may not run scripts (sandbox). A listener that is called there is an error in the page's console, also ours.
  const scriptless = window.matchMedia('(scripting: none)').matches;
  const asked = what => !scriptless && !window.dispatchEvent(new Event(WATCH + what, {cancelable: true}));
  const animations = {9: method(Document.prototype, 'getAnimations'), 11: method(ShadowRoot.prototype, 'getAnimations')};
  const resting = () => {
    if (!scriptless && !asked('here')) return '';
    if (asked('busy')) return 'busy';
    const moves = animations[9](document).some(a => a.playState === 'running' && a.effect && a.effect.getComputedTiming().endTime <= SOON);
    return moves || asked('ticking') ? '' : 'quiet';
  };
