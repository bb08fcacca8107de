#!/usr/bin/env node
/**
 * The `baton` command: checks, deploys and starts workflows, watches runs, and brings Baton itself up.
 *
 * It decides nothing about runs: it asks the API, and draws what it is told with the engine's own eyes. stdout is data,
 * stderr is progress. Commands are loaded when they are called, so that none pays for another.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

import type { ProcessStreams } from './context.ts';

// Sources run as they are; what was parsed once is kept beside the packages, where nobody else can put anything.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)));

const { env, stdin, stdout, stderr } = process;
// Whoever reads has had enough: `baton runs ls | head -1`.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}
const { runCommandLine } = await import('./program.ts');
process.exitCode = await runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr } satisfies ProcessStreams);
