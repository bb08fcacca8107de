#!/usr/bin/env node
/**
 * The `baton` command. It runs on any Node, so it is plain JavaScript: it starts the command line if this Node is new
 * enough, otherwise with the Node that scripts/setup.mjs installed here.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The same as `engines` in the root's package.json. */
const needed = '24.3';
const main = new URL('./main.ts', import.meta.url);
const own = join(fileURLToPath(new URL('../../..', import.meta.url)), 'node_modules', '.bin', 'node');

if (isNewEnough(process.versions.node)) {
  // Before main.ts, whose types are else removed anew each time: the compiler for that takes 45 ms to load.
  module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)));
  await import(main.href);
} else if (existsSync(own)) runWith(own);
else {
  process.stderr.write(`error: Baton needs Node ${needed}, and this is Node ${process.versions.node}.\n`);
  process.stderr.write('hint: run `node scripts/setup.mjs` where Baton is: it installs a Node of its own\n');
  process.exitCode = 2;
}

function isNewEnough(version) {
  const [[major, minor], [leastMajor, leastMinor]] = [version, needed].map((one) => one.split('.').map(Number));
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function runWith(node) {
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    // A terminal signals both processes; another sender signals this one alone.
    process.on(signal, () => {
      if (!process.stdin.isTTY || signal === 'SIGTERM') child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
