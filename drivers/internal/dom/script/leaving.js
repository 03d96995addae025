  // leaving returns the elements that an animation moves, turns or fades out and that reach their final state within
  // SOON milliseconds: what is visible of them may be about to disappear. An element that only fades in is not among
  // them, nor one that moves for longer.
  const MAX_ANIMATIONS = 500, FADES = ['opacity', 'visibility'];
  const MOVES = ['transform', 'rotate', 'scale', 'translate', 'left', 'top', 'right', 'bottom', 'width', 'height',
    'maxWidth', 'maxHeight',
    'marginLeft', 'marginTop', 'marginRight', 'marginBottom', 'clipPath', 'display', 'contentVisibility',
    'offsetDistance'];
  const leaving = root => {
    const found = new Set();
    for (const animation of animations[typeOf(root)](root).slice(0, MAX_ANIMATIONS)) {
      const {effect, playState, currentTime, playbackRate} = animation;
      if (playState !== 'running' || !effect || !effect.target || !(playbackRate > 0) ||
          effect.pseudoElement && effect.pseudoElement !== '::details-content')
        continue;
      const at = typeof currentTime === 'number' ? currentTime : 0;
      const left = (effect.getComputedTiming().endTime - at) / playbackRate;
      if (left > 0 && left <= SOON && leavesView(effect.getKeyframes())) found.add(effect.target);
    }
    return found;
  };
  // leavesView reports whether keyframes move an element or fade it out.
  const leavesView = frames => {
    const first = frames[0], last = frames[frames.length - 1];
    if (frames.some(frame => MOVES.some(name => name in frame))) return true;
    return FADES.some(name => last && name in last &&
      (name === 'opacity' ? +last[name] < +(first[name] ?? 1) : last[name] !== 'visible'));
  };
