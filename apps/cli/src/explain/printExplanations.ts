/** Prints what codes mean, for a person. */
import type { Output, Paint } from '../output/output.ts';
import { type Column, printTable } from '../output/table.ts';
import { wrap } from '../output/text.ts';
import type { Explanation, FailureExplanation, FindingExplanation } from './explanations.ts';

/** The most cells of a line; prose is not read well in wider ones. */
const columnsMax = 80;

/** One code, with its examples and the address of its entry. */
export function printExplanation(output: Output, explanation: Explanation, address: string): void {
  const { code, means } = explanation;
  const { paint } = output;
  const width = Math.min(output.columns() ?? columnsMax, columnsMax);
  const details = detailsOf(explanation);
  const lines = [
    `${paint.bold(code)}  ${kindText(explanation, paint)}`,
    '',
    ...wrap(means, width),
    ...details.flatMap((text) => (text.startsWith(' ') ? [text] : wrap(text, width))),
    '',
    paint.dim(address),
  ];
  for (const line of lines) output.line(line);
}

function kindText(explanation: Explanation, paint: Paint): string {
  if (explanation.kind === 'failure') return paint.dim('failure of a run');
  const { severity, group } = explanation;
  return `${(severity === 'error' ? paint.red : paint.yellow)(severity)}  ${paint.dim(group)}`;
}

/** Lines that begin with a space are of a file, and stay as they are. */
function detailsOf(explanation: Explanation): string[] {
  switch (explanation.kind) {
    case 'finding':
      return findingDetails(explanation);
    case 'import':
      return whatMayHelp(explanation.hint);
    case 'failure':
      return failureDetails(explanation);
  }
}

function findingDetails({ example, mended, inWords }: FindingExplanation): string[] {
  if (inWords) return ['', `For example: ${example}.`, '', `Mended: ${mended}.`];
  const indented = (part: string): string[] => part.split('\n').map((line) => `  ${line}`);
  return ['', 'For example:', '', ...indented(example), '', 'Mended:', '', ...indented(mended)];
}

const failureDetails = ({ isTransient, hint }: FailureExplanation): string[] => [
  isTransient
    ? 'Baton tries again by itself where that is safe, as `retry` of the step says.'
    : 'Baton does not try again by itself.',
  ...(hint === undefined ? [] : whatMayHelp(hint)),
];

const whatMayHelp = (hint: string): string[] => ['', `What may help: ${hint}.`];

/** All codes, a table for each group. */
export function printCodes(output: Output, all: readonly Explanation[]): void {
  for (const [at, [group, rows]] of [...Map.groupBy(all, (one) => one.group)].entries()) {
    const code: Column<Explanation> = {
      title: output.isTerminal ? group : 'CODE',
      value: (row) => row.code,
      colour: (paint) => paint.bold,
    };
    const means: Column<Explanation> = { title: '', value: (row) => row.means, canShrink: true, wraps: true };
    // A program reads the group in each row.
    const columns = output.isTerminal ? [code, means] : [code, { title: 'GROUP', value: () => group }, means];
    if (at > 0 && output.isTerminal) output.line();
    printTable(output, columns, rows);
  }
}
