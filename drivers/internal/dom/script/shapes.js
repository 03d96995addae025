  // Elements that fill only a part of their box: the shapes of drawings, and boxes with a clip-path. The points of GRID
  // may all miss an L, a ring or a thin curve.

  const FINE = [.1, .2, .3, .4, .5, .6, .7, .8, .9], MAX_SHAPES = 8, STEPS = 12;
  const GEOMETRY = 'path, rect, circle, ellipse, polygon, polyline, line';
  const inFill = method(SVGGeometryElement.prototype, 'isPointInFill'),
    lengthOf = method(SVGGeometryElement.prototype, 'getTotalLength'),
    pointAt = method(SVGGeometryElement.prototype, 'getPointAtLength'),
    matrixOf = method(SVGGraphicsElement.prototype, 'getScreenCTM');
  const fineGrid = b => FINE.flatMap(c => FINE.map(a => pointWithin(b, a, c)));
  // shapePoints returns points of an element that is drawn in a part of its box, where its view is box; none for other
  // elements, and for those that something else than their own drawing hides.
  const shapePoints = (occlusion, el, box) => {
    const {x, y} = pointWithin(box, 0.5, 0.5), hit = occlusion.hit(x, y);
    if (!(el instanceof SVGElement)) return occlusion.reader.style(el).clipPath === 'none' ? [] : fineGrid(box);
    if (!hit || !(hit instanceof SVGElement) && !holds(hit, el)) return [];
    const shapes = (matches(el, GEOMETRY) ? [el] : [...every(el, GEOMETRY)]).slice(0, MAX_SHAPES);
    return shapes.flatMap(shape => pointsOf(shape, occlusion.reader.style(shape))).filter(p => inBox(box, p.x, p.y));
  };
  // pointsOf returns points in the fill of a shape, or else on its line.
  const pointsOf = (shape, style) => {
    try {
      const matrix = matrixOf(shape), back = matrix.inverse();
      const within = style.fill === 'none' ? [] : fineGrid(boxOf(rectOf(shape)))
        .filter(p => inFill(shape, new DOMPoint(p.x, p.y).matrixTransform(back)));
      if (within.length) return within;
      const whole = lengthOf(shape);
      return Array.from({length: STEPS}, (_, i) => {
        const p = pointAt(shape, whole * (i + 0.5) / STEPS).matrixTransform(matrix);
        return {x: Math.round(p.x), y: Math.round(p.y)};
      });
    } catch { return []; }
  };
