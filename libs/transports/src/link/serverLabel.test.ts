import { readServers } from '@baton/protocol';
import { KnownSecrets } from '@baton/runner';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { serverLabelOf } from './serverLabel.ts';

function labelOf(entry: object, secrets: readonly string[] = []): string {
  const known = new KnownSecrets();
  known.learn('test', secrets);
  const [server] = readServers(JSON.stringify({ mcpServers: { files: entry } })).config.servers.values();
  if (server === undefined) throw new Error('the entry is no server');
  return serverLabelOf(server, known);
}

test('a server is named with its command, or its address', () => {
  expect(labelOf({ command: 'node', args: ['server.mjs', 'notes'] })).toBe('"files" (node server.mjs notes)');
  expect(labelOf({ url: 'http://127.0.0.1:1/mcp' })).toBe('"files" (http://127.0.0.1:1/mcp)');
});

/**
 * Goal: a message about a server says which script was started, wherever the project and its Node are.
 * Method: folders of any length and writing before a program, a script and its argument.
 */
test('the program, the script and its argument are in the label, however long their folders are', () => {
  const folder = fc.string({ unit: fc.constantFrom('a', 'ü', ' ', '🙂', '/'), maxLength: 300 });
  fc.assert(
    fc.property(folder, folder, (before, behind) => {
      const label = labelOf({ command: `/${before}/bin/node`, args: [`/${behind}/server.mjs`, 'notes'] });
      expect(label.length).toBeLessThanOrEqual(180);
      expect(label).toMatch(/bin\/node .*\/server\.mjs notes\)$/u);
    }),
  );
});

test('no part of a secret is left where a word is cut', () => {
  const secret = 's3cret-'.repeat(12);
  const label = labelOf({ command: 'node', args: [`/long${'/folder'.repeat(30)}`, `--token=${secret}`] }, [secret]);
  expect(label).not.toContain('s3cret');
});
