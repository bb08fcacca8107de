/** Finds what an unfinished line leaves open: quotes, brackets, and the `${{` of an expression. */
import { scan } from '@baton/expressions';

const opening = '${{';

/** The text that completes the line to valid YAML; ignores brackets inside expressions. */
export function closersOf(line: string): string {
  const open: string[] = [];
  let quote = '';
  for (let at = valueStart(line); at < line.length; at++) {
    if (line.startsWith(opening, at)) {
      const { end } = scan(line, at + opening.length);
      if (end === undefined) return ` }}${quote}${open.toReversed().join('')}`;
      at = end + 1;
      continue;
    }
    const one = line[at] ?? '';
    if (quote !== '') {
      if (quote === '"' && one === '\\') at++;
      else if (one === quote) quote = '';
    } else if (isQuoteStart(line, at)) quote = one;
    else if (one === '{') open.push('}');
    else if (one === '[') open.push(']');
    else if ((one === '}' || one === ']') && open.at(-1) === one) open.pop();
  }
  return quote + open.toReversed().join('');
}

/** In a plain text, brackets and quotes are text; only a value that begins with one is examined. */
function valueStart(line: string): number {
  const value = /^\s*(?:- +)*(?:[\w$-]+:\s+|"[^"]*":\s+|'[^']*':\s+)?/.exec(line)?.[0].length ?? 0;
  if (/^["'{[]|^\$\{\{/.test(line.slice(value))) return value;
  return line.includes(opening) ? line.indexOf(opening) : line.length;
}

const isQuoteStart = (line: string, at: number): boolean =>
  (line[at] === '"' || line[at] === "'") && /(?:^|[\s,{[:])$/.test(line.slice(0, at));
