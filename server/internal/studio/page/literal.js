// literal escapes a text so that the test syntax finds no variable in it. The replacement is a function, because
// replaceAll reads "$$" in a string as one "$".
export const literal = (text) => text.replaceAll("${", () => "$${");

// quoted writes a text as a YAML string, in quotes where it could be read as another type.
export function quoted(text) {
  const escaped = literal(text);
  if (escaped.includes('"') && !/['\\\p{Cc}]/u.test(escaped)) return `'${escaped}'`;
  const isPlain = /^[\p{L}_][\p{L}\p{N} @._/=-]*$/u.test(escaped) && escaped === escaped.trim();
  const isKeyword = /^(true|false|null|yes|no|on|off|y|n)$/i.test(escaped);
  return isPlain && !isKeyword ? escaped : JSON.stringify(escaped);
}
