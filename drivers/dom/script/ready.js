  // ready tells how far a document has come: "loading", "interactive", "complete"; "stopped" is one whose loading was
  // broken off. As soon as a page is left while it loads, browsers call it complete, though it never gets its load
  // event. For STOPPED milliseconds the page in its place may be on its way; a document that is still there after them
  // (it led to a download, or stopped itself) has all that it will get.
  const STOPPED = 1000;
  const navigation = () => performance.getEntriesByType('navigation')[0];
  let stoppedAt;
  const ready = root => {
    const stage = readyState(root), came = stage === 'complete' && navigation();
    if (!came || came.loadEventStart > 0) return stage;
    stoppedAt ??= performance.now();
    return performance.now() - stoppedAt < STOPPED ? 'stopped' : stage;
  };
