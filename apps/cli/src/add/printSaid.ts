/** `baton add`: prints what a server wrote to its stderr when it started. */
import { isObject } from '@baton/primitives';

import type { Output } from '../output/output.ts';
import { oneLine, truncate } from '../output/text.ts';

const linesMax = 8;
/** In a pipe; else as wide as the terminal. */
const widthMax = 160;

/** The last lines of it, each on one line: one that answers may still lack an argument, such as a folder. */
export function printSaid(output: Output, name: string, said = ''): void {
  const { paint } = output;
  const lines = said.split('\n').map(wordsIn).filter(Boolean);
  if (lines.length === 0) return;
  const left = lines.length - linesMax;
  output.line(paint.dim(`${name} said when it started${left > 0 ? `, after ${left} more lines` : ''}:`));
  const width = (output.columns() ?? widthMax) - 2;
  for (const one of lines.slice(-linesMax)) output.line(paint.dim(`  ${truncate(one, width)}`));
}

/** Of a line that is a log entry in JSON, its message. */
function wordsIn(text: string): string {
  const entry = text.trimStart().startsWith('{') ? parsed(text) : undefined;
  const message = isObject(entry) ? (entry['msg'] ?? entry['message']) : undefined;
  return oneLine(typeof message === 'string' ? message : text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
