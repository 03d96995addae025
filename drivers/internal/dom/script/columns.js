  // spans returns the number of columns or rows that a cell or column takes.
  const spans = (el, name) => Math.min(1000, Math.max(1, +attr(el, name) || 1));
  // places returns the first column of each cell of a table. Cells of earlier rows may extend into a row.
  const places = table => {
    const found = new Map();
    let group = null, down = [];
    for (const row of every(table, 'tr')) {
      let column = 0;
      if (parent(row) !== group) { group = parent(row); down = []; }
      const fresh = [];
      for (const cell of children(row)) {
        if (!isElement(cell)) continue;
        while (down[column] > 0) column++;
        found.set(cell, column);
        for (let n = spans(cell, 'colspan'); n > 0; n--) fresh[column++] = spans(cell, 'rowspan');
      }
      for (let n = 0; n < Math.max(down.length, fresh.length); n++)
        down[n] = Math.max(0, (fresh[n] || down[n] || 0) - 1);
    }
    return found;
  };
