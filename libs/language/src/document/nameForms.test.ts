import { expect, test } from 'vitest';

import { isName, respell } from './nameForms.ts';

test.each(['s/Create CIFS Share', 's//a/b', 's/ led by a space', 's/ends with one ', 's/日本語', 's/🔧', 's/a.b:c'])(
  'a tool can be called by a name that a server chose: %j',
  (target) => {
    expect(isName('target', target)).toBe(true);
  },
);

test.each(['s', 's/', '/a', 'a b/c', 's/line\nend', 's/tab\there', 's/${{ inputs.tool }}', `s/${'x'.repeat(257)}`])(
  'no target of a call is %j',
  (target) => {
    expect(isName('target', target)).toBe(false);
  },
);

test.each([
  ['step', 'größe', 'groesse'],
  ['step', 'réponse 1', 'reponse_1'],
  ['workflow', 'Übersicht/Größe', 'uebersicht/groesse'],
  ['secret', 'SCHLÜSSEL', 'SCHLUeSSEL'],
] as const)('of a %s, the name nearest to %j is %j', (form, text, name) => {
  expect(respell(form, text)).toBe(name);
});
