  // The events of a touch.
  const TOUCHES = ['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick', 'dblclick', 'contextmenu'];
  // begins tells whether an event may be the first of a touch. What a finger brings about later may belong to the touch
  // before, whose end comes to the page when the next one is already aimed.
  const begins = event => event.type === 'pointerdown' || event.type === 'touchstart' || !event.touches && event.pointerType !== 'touch' &&
    !(event.sourceCapabilities && event.sourceCapabilities.firesTouchEvents) && event.mozInputSource !== 5;
