/** Prints findings, marked for a person, or as JSON for a program. */
import { cleanText } from '@baton/primitives';

import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import type { Paint } from '../output/output.ts';
import { oneLine, padEnd, widthOf } from '../output/text.ts';
import type { DoctorFinding } from './finding.ts';

const marks: Readonly<Record<DoctorFinding['state'], (paint: Paint) => string>> = {
  ok: (paint) => paint.green('✓'),
  odd: (paint) => paint.yellow('!'),
  wrong: (paint) => paint.red('✗'),
};

const messageMax = 4_000;

/** 1 if a check failed. */
export function printFindings(
  { stdout }: Pick<Context, 'stdout'>,
  findings: readonly DoctorFinding[],
  asJson: boolean,
): ExitCode {
  const exitCode = findings.some(({ state }) => state === 'wrong') ? exitCodes.failed : exitCodes.done;
  if (asJson) {
    stdout.line(jsonText(findings));
    return exitCode;
  }
  const width = Math.max(...findings.map(({ what }) => widthOf(oneLine(what))));
  for (const { what, state, message, hint } of findings) {
    // The frame of a fault in mcp.json and the stderr of a server have lines of their own.
    const [first = '', ...others] = cleanText(message, messageMax).trimEnd().split('\n');
    const indent = ' '.repeat(width + 4);
    stdout.line(`${marks[state](stdout.paint)} ${padEnd(oneLine(what), width)}  ${first}`);
    for (const line of others) stdout.line(`${indent}${line}`.trimEnd());
    if (hint !== undefined) stdout.line(`${indent}${stdout.paint.cyan('hint:')} ${oneLine(hint)}`);
  }
  return exitCode;
}
