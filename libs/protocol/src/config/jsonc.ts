/**
 * JSON with comments and trailing commas, as MCP clients accept it, with the position of every value.
 *
 * Input may be hostile: size and depth are checked before any recursion.
 */
import { Source } from '@baton/expressions';
import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';

/** 1-based, in code points; with the lines around it, and a caret under it. */
interface JsonPlace {
  readonly line: number;
  readonly column: number;
  readonly frame: string;
}

const charactersMax = 1024 * 1024;
const depthMax = 32;
const forbiddenKeys = new Set(['__proto__', 'prototype', 'constructor']);

export type Path = readonly (string | number)[];

interface JsonFault {
  readonly code: string;
  readonly message: string;
  readonly path: Path;
  readonly place: JsonPlace;
}

export interface Document {
  readonly value: unknown;
  readonly faults: readonly JsonFault[];
  /** The place of a value, or of the nearest existing value around it. */
  locate(path: Path): JsonPlace;
}

/** Texts for which `isPrivate` is true may hold credentials: no frame shows them. */
export function readJsonc(text: string, isPrivate: (path: Path, text: string) => boolean): Document {
  const plain = text.replace(/^\uFEFF/, '');
  const top = (code: string, message: string, offset = 0): Document => ({
    value: undefined,
    faults: [{ code, message, path: [], place: placeIn(new Source(plain.slice(0, charactersMax)), offset) }],
    locate: () => placeIn(new Source(''), 0),
  });
  if (plain.length > charactersMax) return top('too-large', `The file is larger than ${charactersMax} characters.`);
  const deep = tooDeep(plain);
  if (deep !== undefined) return top('too-deep', `Nesting is deeper than ${depthMax} levels.`, deep);
  const errors: ParseError[] = [];
  const root = parseTree(plain, errors, { allowTrailingComma: true });
  if (isYaml(plain)) return top('syntax', 'This is YAML; the file of servers is JSON.');
  if (root === undefined) return top('syntax', 'The file is empty; an object was expected.');
  const source = new Source(masked(plain, root, isPrivate));
  const faults: JsonFault[] = errors.map(({ error, offset, length }) => ({
    code: 'syntax',
    message: `This is not JSON: ${wordsOf(printParseErrorCode(error))}.`,
    path: [],
    place: placeIn(source, offset, length),
  }));
  const value = valueOf(root, [], source, faults);
  return {
    value,
    faults,
    locate: (path) => {
      const { offset, length } = nearest(root, path);
      return placeIn(source, offset, length);
    },
  };
}

/** It begins with a key that is not in quotes. */
const isYaml = (text: string): boolean => /^(?:\s*#[^\n]*\n)*\s*(?:---\s|[A-Za-z_][\w-]*:(?:\s|$))/.test(text);

const placeIn = (source: Source, offset: number, length = 1): JsonPlace => ({
  ...source.position(offset),
  frame: source.frame([offset, offset + length]),
});

/** The text with private strings replaced by stars of the same length. */
function masked(text: string, root: Node, isPrivate: (path: Path, text: string) => boolean): string {
  const ranges: { readonly from: number; readonly to: number }[] = [];
  const walk = (node: Node, path: Path): void => {
    if (node.type === 'object') {
      for (const { children: [key, value] = [] } of node.children ?? []) {
        if (value !== undefined) walk(value, [...path, String(key?.value)]);
      }
    } else if (node.type === 'array') (node.children ?? []).forEach((item, at) => walk(item, [...path, at]));
    else if (node.type === 'string' && isPrivate(path, String(node.value))) {
      ranges.push({ from: node.offset + 1, to: node.offset + node.length - 1 });
    }
  };
  walk(root, []);
  const characters = text.split('');
  for (const { from, to } of ranges) characters.fill('*', from, to);
  return characters.join('');
}

/** Where brackets nest too deeply, found without recursion. */
function tooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= text.length) return undefined;
    const first = text[offset];
    if (first === '{' || first === '[') depth += 1;
    else if (first === '}' || first === ']') depth -= 1;
    if (depth > depthMax) return offset;
  }
}

const wordsOf = (code: string): string => code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

/** The plain value, with a fault for every duplicate or forbidden key. */
function valueOf(node: Node, path: Path, source: Source, faults: JsonFault[]): unknown {
  if (node.type === 'array')
    return (node.children ?? []).map((item, at) => valueOf(item, [...path, at], source, faults));
  if (node.type !== 'object') return node.value as unknown;
  const entries = new Map<string, unknown>();
  for (const { children = [] } of node.children ?? []) {
    const [keyNode, valueNode] = children;
    const key = String(keyNode?.value);
    const place = placeIn(source, keyNode?.offset ?? node.offset, keyNode?.length);
    const here = [...path, key];
    if (forbiddenKeys.has(key)) {
      faults.push({ code: 'forbidden-key', message: `"${key}" may not be a key.`, path: here, place });
    } else if (entries.has(key)) {
      faults.push({ code: 'duplicate-key', message: `"${key.slice(0, 80)}" stands here twice.`, path: here, place });
    } else if (valueNode !== undefined) entries.set(key, valueOf(valueNode, here, source, faults));
  }
  return Object.fromEntries(entries);
}

function nearest(root: Node, path: Path): Node {
  let node = root;
  for (const segment of path) {
    const next =
      typeof segment === 'number'
        ? node.children?.[segment]
        : node.children?.find(({ children }) => children?.[0]?.value === segment)?.children?.[1];
    if (next === undefined) return node;
    node = next;
  }
  return node;
}
