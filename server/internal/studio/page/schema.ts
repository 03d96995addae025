// Looks up in the JSON Schema of the test syntax which keys are allowed at a place in a test, their values and their
// descriptions.

// Schema is a part of a JSON Schema (2020-12).
export interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  type?: string | string[];
  description?: string;
  default?: unknown;
  $defs?: Record<string, Schema>;
  then?: Schema;
  else?: Schema;
}

// Step is a key of a map, or 0 for an entry of a list.
export type Step = string | 0;

// Place is the position of a cursor: at a key or a value. from is the column at which its word starts; for a value,
// path ends with its key.
export interface Place {
  path: Step[];
  kind: "key" | "value";
  from: number;
}

interface Line { indent: number; dashes: number[]; key?: string; keyCol: number; valueCol: number; empty: boolean }

// lineOf parses a line of block YAML.
function lineOf(text: string): Line {
  const dashes: number[] = [];
  let col = /^ */.exec(text)![0].length;
  const indent = col;
  for (let more; (more = /^-(?: +|$)/.exec(text.slice(col))); col += more[0].length) dashes.push(col);
  const key = /^(["']?)([^\s"'{}[\],#&*!|>%@`:][^"'{}[\],:]*)\1:(?: +|$)/.exec(text.slice(col));
  const empty = /^(#.*)?$/.test(text.slice(col)) && !dashes.length;
  return { indent, dashes, key: key?.[2], keyCol: col, valueCol: key ? col + key[0].length : -1, empty };
}

// parents returns the path to the map of a key at a column of a line: the keys and lists that contain it.
function parents(lines: string[], n: number, col: number, dashes: number[]): Step[] {
  const path: Step[] = [];
  let at = col, list = dashes, found = true;
  while (found) {
    const inList = list.length > 0;
    for (const _ of list) path.unshift(0);
    if (inList) at = list[0];
    found = false;
    while (!found && --n >= 0) {
      const line = lineOf(lines[n]);
      if (line.empty || (line.dashes[0] ?? line.keyCol) > at) continue;
      if (!inList && line.keyCol === at) { // a neighbour
        if (!line.dashes.length) continue;
        list = line.dashes;
        found = true;
      } else if (line.key !== undefined && (line.keyCol < at || inList && line.keyCol === at && !line.dashes.length)) {
        path.unshift(line.key);
        [at, list, found] = [line.keyCol, line.dashes, true];
      }
    }
  }
  return path;
}

// flow parses a value in braces or brackets up to the cursor, and returns the cursor's path in it; null: the cursor is
// not in such a value.
function flow(text: string): { path: Step[]; kind: "key" | "value"; from: number } | null {
  const open: { map: boolean; key: string | null }[] = [];
  let from = 0, quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote) {
      if (c === "\\" && quote === '"') i++;
      else if (c === quote) quote = "";
      continue;
    }
    if ((c === '"' || c === "'") && !text.slice(from, i).trim()) quote = c;
    else if (c === "{" || c === "[") {
      open.push({ map: c === "{", key: null });
      from = i + 1;
    } else if (c === "}" || c === "]") {
      open.pop();
      from = i + 1;
    } else if (c === "," && open.length) {
      open[open.length - 1].key = null;
      from = i + 1;
    } else if (c === ":" && /[ ]|$/.test(text[i + 1] ?? "") && open.at(-1)?.map && open.at(-1)!.key === null) {
      open.at(-1)!.key = text.slice(from, i).trim().replace(/^["']|["']$/g, "");
      from = i + 1;
    }
  }
  if (!open.length) return null;
  while (text[from] === " ") from++;
  const path: Step[] = [];
  for (const o of open.slice(0, -1)) path.push(o.map ? o.key ?? "" : 0);
  const last = open.at(-1)!;
  if (last.map && last.key !== null) path.push(last.key);
  if (!last.map) path.push(0);
  return { path, kind: last.map && last.key === null ? "key" : "value", from };
}

// placeAt returns the place at a column of a line (both count from 0), also where nothing has been typed yet.
export function placeAt(lines: string[], n: number, col: number): Place | null {
  const text = lines[n], line = lineOf(text);
  if (/(^|\s)#/.test(text.slice(0, col)) && !/["']/.test(text.slice(0, col))) return null;
  const up = parents(lines, n, line.keyCol, line.dashes);
  if (line.key !== undefined && col >= line.valueCol) {
    const path = [...up, line.key], inner = flow(text.slice(line.valueCol, col));
    if (inner) return { path: [...path, ...inner.path], kind: inner.kind, from: line.valueCol + inner.from };
    return { path, kind: "value", from: line.valueCol };
  }
  const inner = flow(text.slice(line.keyCol, col)); // - {id: a, …}
  if (inner) return { path: [...up, ...inner.path], kind: inner.kind, from: line.keyCol + inner.from };
  return col < line.keyCol ? null : { path: up, kind: "key", from: line.keyCol };
}

// Language looks up keys and values in a schema.
export class Language {
  constructor(private root: Schema) {}

  // all returns a schema with the schemas of its references and alternatives.
  private all(s: Schema | undefined, depth = 0): Schema[] {
    if (!s || typeof s !== "object" || depth > 12) return [];
    const more = [...(s.anyOf ?? []), ...(s.oneOf ?? []), ...(s.allOf ?? [])].flatMap((o) => this.all(o, depth + 1));
    const target = s.$ref ? this.all(this.root.$defs?.[s.$ref.replace(/^#\/\$defs\//, "")], depth + 1) : [];
    return [s, ...target, ...more];
  }

  // at returns the schemas at the end of a path.
  at(path: Step[], block: boolean): Schema[] {
    let now = this.all(block ? this.root.then : this.root.else);
    for (const step of path) {
      const other = (s: Schema) => (typeof s.additionalProperties === "object" ? s.additionalProperties : undefined);
      const next = now.map((s) => (step === 0 ? s.items : s.properties?.[step] ?? other(s)));
      now = next.flatMap((s) => this.all(s));
    }
    return now;
  }

  // keys returns the keys of a map with their descriptions.
  keys(path: Step[], block: boolean): Map<string, string> {
    const found = new Map<string, string>();
    for (const s of this.at(path, block)) {
      for (const [key, of] of Object.entries(s.properties ?? {})) {
        if (Object.keys(of).length) found.set(key, found.get(key) || this.words(of));
      }
    }
    return found;
  }

  // values returns the allowed values, where that is a short list.
  values(path: Step[], block: boolean): string[] {
    const valuesOf = (s: Schema) => {
      if (s.enum) return s.enum;
      if (s.const !== undefined) return [s.const];
      return s.type === "boolean" ? [true, false] : [];
    };
    const list = this.at(path, block).flatMap(valuesOf);
    return [...new Set(list.filter((v) => v !== null).map(String))];
  }

  // words returns the description of a schema.
  words(of: Schema): string { return this.all(of).find((s) => s.description)?.description ?? ""; }

  // about returns the description of a key, its values and its default.
  about(path: Step[], block: boolean): string {
    const found = this.at(path, block), words = found.find((s) => s.description)?.description ?? "";
    const values = this.values(path, block), without = found.find((s) => s.default !== undefined)?.default;
    const oneOf = values.length ? `\nOne of: ${values.join(", ")}.` : "";
    return words + oneOf + (without !== undefined ? `\nWithout it: ${without}.` : "");
  }
}
