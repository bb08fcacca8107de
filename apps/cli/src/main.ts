#!/usr/bin/env node
/**
 * The `baton` command: checks, deploys and starts workflows, watches runs, and starts Baton itself.
 *
 * It decides nothing about runs: it calls the API, and folds journals with the engine to draw them. stdout is data,
 * stderr is progress. Each command is loaded when it is called, so that a command does not load the code of others.
 *
 * Folders, lowest first: client, typescript, output, tree, inputs, trust, workflows, check, deploy, knowledge, api,
 * hooks, lsp, explain, recording, import, init, watch, run, add, stack, backup, dev, completion, learn, audit, doctor,
 * call, login, commands.
 */
import { constants, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ProcessStreams } from './context.ts';
import { packageName } from './version.ts';

// The compile cache is beside the packages, where only their owner can write.
const cache = fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url));
const { status } = enableCompileCache(cache);
// The user cannot write into a package that was installed for everyone.
if (status === constants.compileCacheStatus.FAILED) enableCompileCache(join(homedir(), '.cache', packageName));

const { env, stdin, stdout, stderr } = process;
// The reader of the pipe has closed it: `baton runs ls | head -1`.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}
const { runCommandLine } = await import('./program.ts');
process.exitCode = await runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr } satisfies ProcessStreams);
