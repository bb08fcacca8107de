#!/usr/bin/env node
/**
 * What is called `baton`. It runs on whatever Node the machine has, so it is plain JavaScript: the command line itself
 * where that Node is new enough, and otherwise the same with the Node that npm installed here.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const needed = 24;
const main = new URL('./main.ts', import.meta.url);
const own = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));

if (Number.parseInt(process.versions.node, 10) >= needed) await import(main.href);
else if (existsSync(own)) runWith(own);
else {
  process.stderr.write(`error: Baton needs Node ${needed}, and this is Node ${process.versions.node}.\n`);
  process.stderr.write('hint: run `npm ci` where Baton is: it brings its own Node\n');
  process.exitCode = 2;
}

function runWith(node) {
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    // A terminal tells both of us; somebody else told this process alone.
    process.on(signal, () => void (process.stdin.isTTY && signal !== 'SIGTERM' ? undefined : child.kill(signal)));
  }
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
