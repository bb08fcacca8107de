/** Options that `retry` and `rerun` share. */
import type { Command } from 'commander';

import { versionArgument } from '../arguments.ts';

export const addAgainOptions = (command: Command): Command =>
  command
    .option(
      '--workflow-version <version>',
      'continue with this version of the workflow: a number, or latest',
      versionArgument,
    )
    .option('--preview', 'only show which calls would be repeated')
    .option('-w, --watch', 'show every step live until the run ends')
    .option('--idempotency-key <key>', 'a repeated request with this key returns the same run')
    .option('--json', 'print kept steps, repeated calls and the new run’s id as JSON');
