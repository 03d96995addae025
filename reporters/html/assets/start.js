common();
({ pack: packPage, run: runPage, runs: runsPage })[D.page]();
