/** Prints findings, marked for a person, or as JSON for a program. */

import type { Context } from '../context.ts';
import type { ExitCode } from '../exitCodes.ts';
import { exitCodes } from '../exitCodes.ts';
import { jsonText } from '../output/json.ts';
import type { Paint } from '../output/output.ts';
import { oneLine, padEnd, widthOf } from '../output/text.ts';
import type { DoctorFinding } from './finding.ts';

const marks: Readonly<Record<DoctorFinding['state'], (paint: Paint) => string>> = {
  ok: (paint) => paint.green('✓'),
  odd: (paint) => paint.yellow('!'),
  wrong: (paint) => paint.red('✗'),
};

/** 1 if a check failed. */
export function printFindings({ stdout }: Context, findings: readonly DoctorFinding[], asJson: boolean): ExitCode {
  const exitCode = findings.some(({ state }) => state === 'wrong') ? exitCodes.failed : exitCodes.done;
  if (asJson) {
    stdout.line(jsonText(findings));
    return exitCode;
  }
  const width = Math.max(...findings.map(({ what }) => widthOf(oneLine(what))));
  for (const { what, state, message, hint } of findings) {
    stdout.line(`${marks[state](stdout.paint)} ${padEnd(oneLine(what), width)}  ${oneLine(message)}`);
    if (hint !== undefined) stdout.line(`  ${' '.repeat(width)}  ${stdout.paint.cyan('hint:')} ${oneLine(hint)}`);
  }
  return exitCode;
}
