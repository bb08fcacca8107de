import { readServers } from '@baton/protocol';
import { expect, test } from 'vitest';

import { actOfServer } from './actOfServer.ts';

function actOf(entry: object) {
  const [[name, server] = []] = [...readServers(JSON.stringify({ mcpServers: { notes: entry } })).config.servers];
  if (name === undefined || server === undefined) throw new Error('the entry is wrong');
  return actOfServer(name, server);
}

test('the line of a program has its whole command, and the names of its variables without their values', () => {
  const entry = { command: 'node', args: ['a b.mjs', '--all'], env: { PYTHONPATH: 'x', TOKEN: 'hidden' } };
  expect(actOf(entry)?.line).toBe("notes: PYTHONPATH=… TOKEN=… node 'a b.mjs' --all");
});

test('no argument hides a part of the line of its program, or begins another line', () => {
  expect(actOf({ command: 'sh', args: ['-c', 'true\nother: ls\r\n\t\u202E\u200B\u001B[2K'] })?.line).toBe(
    String.raw`notes: sh -c 'true\nother: ls\n\t\u202e\u200b\u001b[2K'`,
  );
});

test('another command, argument, value of a variable or working folder is another program', () => {
  const entry = { command: 'node', args: ['a.mjs'], env: { A: '1' }, cwd: 'x' };
  const others = [
    { command: 'deno' },
    { args: ['a.mjs', 'b'] },
    { env: { A: '2' } },
    { env: { B: '1' } },
    { cwd: 'y' },
  ];
  const digests = [entry, ...others.map((change) => ({ ...entry, ...change }))].map((one) => actOf(one)?.digest);
  expect(new Set(digests).size).toBe(digests.length);
  expect(actOf({ ...entry, baton: { concurrency: 2 } })?.digest).toBe(digests[0]);
});

test('an address needs consent where it gets variables of the environment', () => {
  expect(actOf({ url: 'https://notes.example/mcp' })).toBeUndefined();
  expect(actOf({ url: 'https://notes.example/mcp', headers: { 'X-Key': '${secret:NOTES}' } })).toBeUndefined();
  expect(actOf({ url: 'https://notes.example/${HOME}', headers: { 'X-Key': '${env:AWS_KEY}' } })?.line).toBe(
    'notes: sends HOME, AWS_KEY of your environment to https://notes.example/${HOME}',
  );
});

test('a server that is off does nothing', () => {
  expect(actOf({ command: 'node', disabled: true })).toBeUndefined();
});
