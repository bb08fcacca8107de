/** The expression that contains a mark, completed if it is unfinished. */
import { type ExpressionNode, parse, SyntaxProblem, childrenOf, scan } from '@baton/expressions';

import { mark } from './cursor.ts';

export interface ExpressionPart {
  readonly source: string;
  /** Its position in the enclosing text. */
  readonly start: number;
}

const opening = '${{';

/** The expression around a position of a text; undefined if there is none. */
export function expressionAt(text: string, at: number): ExpressionPart | undefined {
  for (let open = text.lastIndexOf(opening, at); open >= 0; open = text.lastIndexOf(opening, open - 1)) {
    const start = open + opening.length;
    if (start > at) continue;
    const { end } = scan(text, start);
    if (end !== undefined && end < at) return undefined;
    // An unclosed expression may have swallowed the next one, or its own braces.
    const rest = text.slice(start);
    const stop =
      end ?? start + (/\}\}/.exec(rest.slice(at - start))?.index ?? rest.length - (at - start)) + (at - start);
    return { source: text.slice(start, stop), start };
  }
  return undefined;
}

/** The syntax tree of the readable part around the mark; undefined if there is none. */
export function parseAround(source: string): ExpressionNode | undefined {
  const at = source.indexOf(mark);
  const head = source.slice(0, at + mark.length);
  const chain = /(?:[A-Za-z_]\w*(?:\([^()]*\)|\[[^[\]]*\])*\??\.\??)*Cursor0Mark$/.exec(head)?.[0] ?? mark;
  for (const text of [source, head + closersFor(head), withBinder(head), chain]) {
    const tree = parseWhole(text);
    if (tree !== undefined) return tree;
  }
  return undefined;
}

/** Undefined if it is no expression. */
export function parseWhole(source: string): ExpressionNode | undefined {
  try {
    return parse(source);
  } catch (error) {
    if (error instanceof SyntaxProblem) return undefined;
    throw error;
  }
}

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Closes the brackets and the quote that are open at the end of the text. */
function closersFor(text: string): string {
  const open: string[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const one = text[at] ?? '';
    if (quote !== '') {
      if (one === '\\') at++;
      else if (one === quote) quote = '';
    } else if (one === '"' || one === "'") quote = one;
    else if (pairs[one] !== undefined) open.push(pairs[one]);
    else if (open.at(-1) === one) open.pop();
  }
  return quote + open.toReversed().join('');
}

/** `cond ? a` and `{a: ` need more than brackets. */
function withBinder(head: string): string {
  const last = closersFor(head);
  return last.startsWith('}') ? `${head}: 0${last}` : `${head} : 0${last}`;
}

/** The node that is the mark, or has it as its key. */
export function markedNode(node: ExpressionNode): ExpressionNode | undefined {
  if (isMarked(node)) return node;
  for (const child of childrenOf(node)) {
    const found = markedNode(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isMarked(node: ExpressionNode): boolean {
  if (node.op === 'id') return node.args === mark;
  if (node.op === '.' || node.op === '.?') return node.args[1] === mark;
  if (node.op === '[]' || node.op === '[?]') {
    const key = node.args[1];
    return key.op === 'value' && key.args === mark;
  }
  return (node.op === 'call' || node.op === 'rcall') && node.args[0] === mark;
}
