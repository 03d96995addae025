  // Peers are windows of one origin that can access each other: a frame and the page around it, a page and its opener.
  // Pending work in one of them may change the others, so each reports the state of all.
  const origin = performance.timeOrigin, clock = () => origin + now(); // the same clock for all windows
  const ANSWER = 1500; // milliseconds after a touch in which the work that starts counts as its effect
  const me = {window, gone: false};
  // peersOf returns the list that another window shares with its peers.
  const peersOf = other => {
    const asked = new Custom(NAME + 'peers', {detail: {}});
    try { if (other && other !== window) send(other, asked); } catch { /* a window of another origin */ }
    return asked.detail.shared;
  };
  const shared = peersOf(window.parent) || peersOf(window.opener) || {peers: [], touched: -1e9};
  shared.peers.push(me);
  listen(window, NAME + 'peers', event => { event.detail.shared = shared; });
  listen(window, 'pagehide', () => { me.gone = true; });
  listen(window, 'pageshow', () => { me.gone = false; });
  const closed = peer => { try { return peer.window.closed; } catch { return true; } };
  // anyPeer reports whether a state (such as busy) is true for one of the windows.
  const anyPeer = what => {
    if (shared.peers.length > 1) shared.peers = shared.peers.filter(peer => !closed(peer));
    return shared.peers.some(peer => !peer.gone && peer[what]());
  };
  const touchedNow = () => clock() - shared.touched < ANSWER;
