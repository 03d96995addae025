  // Equal forms for typographic characters, those of a keyboard, and upper and lower case: the same as Normalise of
  // package screen.

  const SINGLE_QUOTES = /[\u2018-\u201b\u2039\u203a\u02bb\u02bc\u05f3\u275b\u275c\u275f\u276e\u276f]/g;
  const DOUBLE_QUOTES =
    /[\u201c-\u201f\u00ab\u00bb\u05f4\u2e42\u300c-\u300f\u301d-\u301f\u275d\u275e\u2760\u{1f676}-\u{1f678}]/gu;
  const HYPHENS = /[\u2010-\u2013\u2212\u2043]/g, DASHES = /(?!-)\p{Pd}|\u02d7/gu;
  // LONG_DASH replaces a dash between words; a hyphen joins them.
  const LONG_DASH = '\u0004';
  // foldTypography returns a text with characters that a reader does not distinguish replaced by one of them, except
  // for white space and invisible characters.
  const foldTypography = s => s.replace(/[\u2032\u00b4]/g, "'").replace(/\u2033/g, '"').normalize('NFKC')
    .replace(SINGLE_QUOTES, "'").replace(DOUBLE_QUOTES, '"')
    .replace(HYPHENS, '-').replace(DASHES, LONG_DASH).toUpperCase().toLowerCase().replace(/i\u0307/g, 'i')
    .replace(/\u03c2/g, '\u03c3');
  const restoreDashes = s => s.replaceAll(LONG_DASH, '-');
