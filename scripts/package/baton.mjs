#!/usr/bin/env node
/** What npm links as `baton`. Plain JavaScript that any Node reads, so that an old one is told instead of failing. */
import process from 'node:process';

const needed = '22.15';
const [major, minor] = process.versions.node.split('.').map(Number);
const [leastMajor, leastMinor] = needed.split('.').map(Number);

if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) await import('../lib/main.js');
else {
  process.stderr.write(`error: Baton needs Node ${needed} or newer, and this is Node ${process.versions.node}.\n`);
  process.stderr.write('hint: install a newer one from https://nodejs.org\n');
  process.exitCode = 2;
}
