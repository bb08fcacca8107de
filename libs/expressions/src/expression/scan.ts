/**
 * The part of CEL's lexical grammar that tells where an expression ends and how deeply it nests. Texts and comments are
 * skipped as CEL reads them, so that a `}}` inside them is theirs.
 */
import { limits } from '../limits.ts';

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

interface Scan {
  /** Index of the `}}` that ends the expression; undefined where there is none. */
  readonly end: number | undefined;
  /** Index of the first bracket that nests too deeply. */
  readonly tooDeepAt: number | undefined;
  /** Why there is no end. */
  readonly open?: OpenPart | undefined;
}

/** What was left open inside an expression, so that its `}}` is not its end. */
export interface OpenPart {
  readonly at: number;
  /** `cut`: a text that the end of its line cuts off. */
  readonly part: 'cut' | 'text' | 'map';
}

/** Reads from `start` to the `}}` that is not the expression's own. */
export function scan(text: string, start: number): Scan {
  /** Indexes of open brackets. */
  const brackets: number[] = [];
  const lastOpen = (): string => text[brackets.at(-1) ?? -1] ?? '';
  let openText: OpenPart | undefined;
  let openMap: OpenPart | undefined;
  let popped: number | undefined;
  let at = start;
  while (at < text.length) {
    const here = text[at] ?? '';
    if (here === '"' || here === "'") {
      const from = at;
      at = afterText(text, from);
      if (at <= from + 1 || text[at - 1] !== here) openText ??= { at: from, part: at < text.length ? 'cut' : 'text' };
    } else if (here === '/' && text[at + 1] === '/') {
      at = afterLine(text, at);
    } else if (here === '}' && lastOpen() !== '{' && text[at + 1] === '}') {
      return { end: at, tooDeepAt: undefined };
    } else {
      if (closers[here] !== undefined) {
        brackets.push(at);
        if (brackets.length > limits.expression.nesting) return { end: undefined, tooDeepAt: at };
      } else if (here === closers[lastOpen()]) {
        popped = brackets.pop();
      } else if (here === '}' && text[at - 1] === '}' && popped !== undefined) {
        // The map took one brace of the `}}`.
        openMap ??= { at: popped, part: 'map' };
      }
      at++;
    }
  }
  return { end: undefined, tooDeepAt: undefined, open: openText ?? openMap };
}

function afterText(text: string, start: number): number {
  const quote = text[start] ?? '';
  const isTriple = text.startsWith(quote.repeat(3), start);
  const closing = isTriple ? quote.repeat(3) : quote;
  for (let at = start + closing.length; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(closing, at)) return at + closing.length;
    else if (!isTriple && text[at] === '\n') return at;
  }
  return text.length;
}

function afterLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}
