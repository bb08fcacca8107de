import type { Finding } from '@baton/language';

import type { Output } from '../output/output.ts';
import { findingLines } from './findingLines.ts';

/** Prints each finding with its lines and a blank line after it. */
export function printFindings(output: Output, file: string, findings: readonly Finding[]): void {
  for (const finding of findings) {
    for (const line of findingLines(finding, file, { paint: output.paint, columns: output.columns() }))
      output.line(line);
    output.line();
  }
}
