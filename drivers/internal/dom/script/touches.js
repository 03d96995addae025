  // The events of a touch.
  const TOUCHES = ['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick',
    'dblclick', 'contextmenu'];
  // mayStartTouch reports whether an event may be the first of a touch. Later events of a finger may belong to the
  // touch before: its end reaches the page when the next one is already aimed.
  const mayStartTouch = event => event.type === 'pointerdown' || event.type === 'touchstart' ||
    !event.touches && event.pointerType !== 'touch' &&
    !(event.sourceCapabilities && event.sourceCapabilities.firesTouchEvents) && event.mozInputSource !== 5;
  // stageOf returns the stage of an event in a press: 1 its start, 2 its end, 3 its click, 0 none of these.
  const STAGES = {pointerdown: 1, pointerup: 2, mouseup: 2, click: 3, auxclick: 3, contextmenu: 3};
  const stageOf = event => STAGES[event.type] || 0;
