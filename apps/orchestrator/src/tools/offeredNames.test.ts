import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { offeredName, offeredUri, serversFor, uriAt, wholeNameAt } from './offeredNames.ts';

test.each([
  ['files', 'read_file', 'files__read_file'],
  ['My.Server', 'list', 'My_Server__list--'],
  ['x', 'Create CIFS Share', 'x__Create_CIFS_Share--'],
  ['x', '/leading', 'x___leading--'],
  ['x', 'größe_setzen', 'x__gro_e_setzen--'],
  ['x', 'über', 'x__uber--'],
  ['x', '日本語', 'x___--'],
  ['x', 'a\u001b[31m\u202e', 'x__a_31m_--'],
  ['x', 'long_'.repeat(38), `x__${'long_'.repeat(11)}`.slice(0, 54)],
  ['x', 'ends--0123abcd', 'x__ends--0123abcd--'],
])('the tool of the server %s that is called %j is offered as one that clients take', (server, name, offered) => {
  const given = offeredName([server], server, name);
  expect(given).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(given.startsWith(offered)).toBe(true);
  expect(offeredName(['other', server], server, name)).toBe(given);
  expect(serversFor(['other', server], given)).toEqual([server]);
});

test('a name that begins with that of another server too leads to one of them', () => {
  const servers = ['a', 'a__b'];
  expect(offeredName(servers, 'a__b', 'c')).toBe('a__b__c');
  expect(offeredName(servers, 'a', 'b__c')).toMatch(/^a__b__c--/);
  expect(serversFor(servers, 'a__b__c')).toEqual(['a__b']);
  expect(wholeNameAt(servers, 'a__b__c')).toEqual({ server: 'a__b', name: 'c' });
  expect(serversFor(servers, 'none__c')).toEqual([]);
  expect(uriAt(servers, offeredUri('a', 'file:///x'))).toEqual({ server: 'a', uri: 'file:///x' });
});

/**
 * Goal: every offered name fits the pattern of providers, and two tools have two names.
 * Method: names of servers as `mcp.json` takes them, that are beginnings of each other, with names of any characters.
 */
test('all offered names fit, differ, and lead back, with any names of servers and tools', () => {
  const servers = ['a', 'a.b', 'a_b', 'a__b', 'x'.repeat(63)];
  const names = fc.oneof(
    fc.constantFrom('c', 'b__c', 'c--0123abcd', '__c', 'a b', 'a/b'),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(
        names.filter((name) => name !== ''),
        { maxLength: 8 },
      ),
      (tools) => {
        const all = servers.flatMap((server) => tools.map((name) => ({ server, name })));
        const offered = all.map(({ server, name }) => offeredName(servers, server, name));
        expect(new Set(offered).size).toBe(all.length);
        for (const [at, name] of offered.entries()) {
          expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(serversFor(servers, name)).toContain(all[at]?.server);
        }
      },
    ),
  );
});
