import { expect, test } from 'vitest';

import { inAscii } from './inAscii.ts';

test.each([
  ['größe', 'groesse'],
  ['gro\u0308ße', 'groesse'],
  ['Änderung', 'Aenderung'],
  ['réponse ça va', 'reponse ca va'],
  ['Łódź', 'Lodz'],
  ['smørrebrød', 'smorrebrod'],
  ['数', '数'],
  ['plain-name_1', 'plain-name_1'],
])('%s is written %s in ASCII', (text, ascii) => {
  expect(inAscii(text)).toBe(ascii);
});
