import { readFile } from 'node:fs/promises';

import { type Command, Argument } from 'commander';

import { shells, type Shell } from '../completion/shells.ts';
import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

/** The folder of the shell scripts. */
const folder = new URL('../completion/', import.meta.url);

export function define(command: Command, context: Context): void {
  command.addArgument(new Argument('<shell>', 'name of the shell').choices(shells)).action(async (shell: Shell) => {
    const script = await readFile(new URL(`baton.${shell}`, folder), 'utf8');
    context.stdout.line(script.trimEnd());
  });
  addExamples(command, [
    ['source <(baton completion bash)', 'for this shell; add the line to ~/.bashrc for all shells'],
    ['source <(baton completion zsh)', 'in ~/.zshrc, after compinit'],
    ['baton completion fish > ~/.config/fish/completions/baton.fish', 'for fish'],
  ]);
}
