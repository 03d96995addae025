  // resting tells whether something is on its way that the page has set going: "busy", "quiet", or "" where nobody can say. script/watch.js knows
  // of its timers; an animation counts that ends within RESTS milliseconds.
  const WATCH = '@watch@', RESTS = 2000;
  const asked = what => !window.dispatchEvent(new Event(WATCH + what, {cancelable: true}));
  const animated = method(Document.prototype, 'getAnimations');
  const resting = () => {
    if (!asked('here')) return '';
    if (asked('busy')) return 'busy';
    const moves = animated(document).some(a => a.playState === 'running' && a.effect && a.effect.getComputedTiming().endTime <= RESTS);
    return moves || asked('ticking') ? '' : 'quiet';
  };
