import type { SyntaxDialect } from './syntax.ts';
import { UnmappedError } from './syntax.ts';

export type Token =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  /** A text with `${…}`: the texts, and the expressions between them. */
  | { readonly kind: 'template'; readonly parts: readonly { readonly text: string; readonly code?: string }[] }
  | { readonly kind: 'name'; readonly value: string }
  | { readonly kind: 'sign'; readonly value: string };

const space = /\s+/y;
const number = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const names: Readonly<Record<SyntaxDialect, RegExp>> = {
  javascript: /[A-Za-z_$][\w$]*/y,
  github: /[A-Za-z_][\w-]*/y,
};
const sign = /===|!==|==|!=|<=|>=|=>|&&|\|\||\?\?|\?\.|[-+*/%<>!?:.,()[\]{}]/y;
const strings: Readonly<Record<SyntaxDialect, RegExp>> = {
  javascript: /'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"/y,
  github: /'((?:[^']|'')*)'/y,
};
const template = /`((?:[^`\\]|\\[^])*)`/y;

/** Throws `UnmappedError`. */
export function tokensOf(code: string, dialect: SyntaxDialect): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const taken = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(code) ?? undefined;
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  while (at < code.length) {
    if (taken(space) !== undefined) continue;
    const digits = taken(number);
    if (digits !== undefined) {
      tokens.push({ kind: 'number', value: Number(digits[0]) });
      continue;
    }
    const quoted = taken(strings[dialect]);
    if (quoted !== undefined) {
      const inner = quoted[1] ?? quoted[2] ?? '';
      tokens.push({ kind: 'string', value: dialect === 'github' ? inner.replaceAll("''", "'") : unescaped(inner) });
      continue;
    }
    const filled = dialect === 'javascript' ? taken(template) : undefined;
    if (filled !== undefined) {
      tokens.push({ kind: 'template', parts: partsOf(filled[1] ?? '') });
      continue;
    }
    const [name] = taken(names[dialect]) ?? [];
    const [mark] = name === undefined ? (taken(sign) ?? []) : [];
    if (name !== undefined) tokens.push({ kind: 'name', value: name });
    else if (mark !== undefined) tokens.push({ kind: 'sign', value: mark });
    else throw new UnmappedError(`"${code.slice(at, at + 12)}" is not read`);
  }
  return tokens;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const unescaped = (text: string): string => text.replaceAll(/\\([^])/g, (_, one: string) => escapes[one] ?? one);

function partsOf(text: string): { text: string; code?: string }[] {
  const parts: { text: string; code?: string }[] = [];
  let at = 0;
  for (const { 0: whole, 1: code = '', index } of text.matchAll(/\$\{([^{}]*)\}/g)) {
    parts.push({ text: unescaped(text.slice(at, index)), code });
    at = index + whole.length;
  }
  return [...parts, { text: unescaped(text.slice(at)) }];
}
