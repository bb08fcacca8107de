import type { Command } from 'commander';

/** A command line, and what it does. */
export type Example = readonly [line: string, does: string];

const columnsMax = 80;

/** At the end of a command's help. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  const width = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, does]) => `  $ ${line.padEnd(width)}  ${does}`);
  // In a narrow terminal, the sentence stands above its command.
  const isWide = beside.some((line) => line.length > columnsMax);
  const lines = isWide
    ? examples.map(([line, does]) => `  # ${does}\n  ${line.startsWith('{') ? '' : '$ '}${line}`)
    : beside;
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
