import type { Command } from 'commander';

/** A command line, and what it does. */
export type Example = readonly [line: string, does: string];

/** At the end of a command's help. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, does]) => `  $ ${line.padEnd(width)}  ${does}`);
  command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
