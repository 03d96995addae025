// literal writes a text so that the language takes none of it for a variable. In the second argument of replaceAll "$$"
// stands for one "$"; a function's result is taken as it is.
export const literal = (text) => text.replaceAll("${", () => "$${");

// quoted writes a text as a value of YAML that cannot be taken for anything else.
export function quoted(text) {
  const escaped = literal(text);
  if (escaped.includes('"') && !/['\\\p{Cc}]/u.test(escaped)) return `'${escaped}'`;
  return /^[\p{L}_][\p{L}\p{N} @._/=-]*$/u.test(escaped) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(escaped) && escaped === escaped.trim() ? escaped : JSON.stringify(escaped);
}
