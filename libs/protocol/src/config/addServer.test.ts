import { expect, test } from 'vitest';

import { addServer } from './addServer.ts';
import { readServers } from './readServers.ts';

test('a server is put beside the others, and comments stay', () => {
  const before = '{\n  // ours\n  "mcpServers": {\n    "a": { "command": "a" }, // the first\n  }\n}\n';
  const after = addServer(before, 'b', { command: 'b' }) ?? '';
  expect(after).toContain('// ours');
  expect(after).toContain('// the first');
  expect([...readServers(after).config.servers.keys()]).toEqual(['a', 'b']);
});

test('a file of VS Code keeps its spelling, and an empty one gets ours', () => {
  expect(addServer('{ "servers": {} }', 'b', { command: 'b' })).toMatch(/^\{\s+"servers": \{\s+"b"/);
  expect(JSON.parse(addServer('', 'b', { command: 'b' }) ?? '')).toEqual({ mcpServers: { b: { command: 'b' } } });
});

test('a server that is there is not replaced', () => {
  expect(addServer('{ "mcpServers": { "b": { "command": "mine" } } }', 'b', { command: 'b' })).toBe(undefined);
});
