  // resting tells whether something is on its way that the page has set going: "busy", "quiet", or "" where nobody can say. script/watch.js knows
  // of its timers; an animation counts that ends within SOON milliseconds.
  const WATCH = '@watch@', SOON = 2000;
  const asked = what => !window.dispatchEvent(new Event(WATCH + what, {cancelable: true}));
  const animations = {9: method(Document.prototype, 'getAnimations'), 11: method(ShadowRoot.prototype, 'getAnimations')};
  const resting = () => {
    if (!asked('here')) return '';
    if (asked('busy')) return 'busy';
    const moves = animations[9](document).some(a => a.playState === 'running' && a.effect && a.effect.getComputedTiming().endTime <= SOON);
    return moves || asked('ticking') ? '' : 'quiet';
  };
