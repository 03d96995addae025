  // ready returns the state of a document: "loading", "interactive", "complete", or "stopped" when its loading was
  // aborted. Browsers call a page complete when it is left while it loads, though it never receives its load event. For
  // STOPPED milliseconds its successor may be on its way; a document that is still there after that (a download, or
  // window.stop()) is as complete as it will be.
  const STOPPED = 1000;
  const navigation = () => performance.getEntriesByType('navigation')[0];
  let stoppedAt;
  const ready = root => {
    const stage = readyState(root), came = stage === 'complete' && navigation();
    if (!came || came.loadEventStart > 0) return stage;
    stoppedAt ??= performance.now();
    return performance.now() - stoppedAt < STOPPED ? 'stopped' : stage;
  };
