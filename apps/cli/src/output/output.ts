/** One of the two output streams of a command, and what it can display. */
import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

import pc from 'picocolors';

import type { Environment } from '../environment.ts';

export type Paint = ReturnType<typeof pc.createColors>;

/** A terminal has all of these, a pipe none. */
export type OutputStream = Writable & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;

export interface Output {
  readonly stream: OutputStream;
  /** A terminal: lines can be drawn again. */
  readonly isTerminal: boolean;
  readonly paint: Paint;
  /** Cells in a row; undefined if lines may have any length. */
  readonly columns: () => number | undefined;
  readonly rows: () => number | undefined;
  line(text?: string): void;
}

export function createOutput(stream: OutputStream, env: Environment): Output {
  const isTerminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  return {
    stream,
    isTerminal,
    paint: pc.createColors(isColoured(isTerminal, env)),
    columns: () => (isTerminal ? stream.columns : undefined),
    rows: () => (isTerminal ? stream.rows : undefined),
    // Nothing: what a command returns is its exit code.
    line: (text = '') => {
      stream.write(`${text}\n`);
    },
  };
}

/** https://no-color.org and https://force-color.org: any value but an empty one counts. */
function isColoured(isTerminal: boolean, env: Environment): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  return isTerminal || !['', '0'].includes(env['FORCE_COLOR'] ?? '');
}
