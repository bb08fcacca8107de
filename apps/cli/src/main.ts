#!/usr/bin/env node
/**
 * The `baton` command: checks, deploys and starts workflows, watches runs, and brings Baton itself up.
 *
 * It decides nothing about runs: it asks the API, and draws what it is told with the engine's own eyes. stdout is data,
 * stderr is progress. Commands are loaded when they are called, so that none pays for another.
 */
import { constants, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ProcessStreams } from './context.ts';
import { packageName } from './version.ts';

// What was compiled once is kept beside the packages, where only their owner can put anything.
const cache = fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url));
const { status } = enableCompileCache(cache);
// A package that was installed for everyone lies where this user cannot write.
if (status === constants.compileCacheStatus.FAILED) enableCompileCache(join(homedir(), '.cache', packageName));

const { env, stdin, stdout, stderr } = process;
// The reader of the pipe has closed it: `baton runs ls | head -1`.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}
const { runCommandLine } = await import('./program.ts');
process.exitCode = await runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr } satisfies ProcessStreams);
