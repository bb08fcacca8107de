/** Finds what a `run` writes for the runner of GitHub, which no tool of Baton reads. */
import { excerpt } from '@baton/expressions';

import type { Import } from '../importing.ts';

const outputs = /GITHUB_OUTPUT|::set-output/;
const environment = /GITHUB_(?:ENV|PATH|STATE)\b|::(?:set-env|add-path|save-state)/;
const summary = /GITHUB_STEP_SUMMARY|::(?:error|warning|notice|debug|group|add-mask)\b/;
/** `name=…`, `name<<…` or `name=name` before it is written. */
const written = /([\w-]+)(?:=|<<)|::set-output name=([\w-]+)/g;

export function noteRunnerFiles(importing: Import, run: string, pointer: string): void {
  if (outputs.test(run)) {
    const names = run
      .split('\n')
      .filter((line) => outputs.test(line))
      .flatMap((line) => [...line.matchAll(written)].map(([, name, other]) => name ?? other ?? ''));
    const shown = names.length === 0 ? '…' : excerpt(`${[...new Set(names)].join(': …, ')}: …`, 80);
    const message =
      'What it writes to GITHUB_OUTPUT, no tool reads: the output of the step is the answer of shell/run.';
    const hint = `let the tool answer { ${shown} }, or call a tool whose answer has these fields`;
    importing.note('differs', { pointer, message, hint });
  }
  const [found] = environment.exec(run) ?? [];
  if (found !== undefined) {
    const message = `What it writes to ${found.replace(/^::/, '')} does not reach the steps after it.`;
    const hint = 'give these steps the value in `with`, from the output of this one';
    importing.note('differs', { pointer, message, hint });
  }
  const [log] = summary.exec(run) ?? [];
  if (log !== undefined)
    importing.note('left-out', {
      pointer,
      message: `${log.replace(/^::/, '')} is for the log of GitHub: here it is part of the text that the tool answers.`,
    });
}
