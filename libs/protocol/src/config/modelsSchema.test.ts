import { expect, test } from 'vitest';

import { readServers } from './readServers.ts';

test('a mistake in the models has its line, as one in the servers has', () => {
  const text = `{
  "models": {
    "default": "other",
    "providers": {
      "scripted": {
        "kind": "scripted",
        "rules": [
          { "answer": "x" },
          { "pattern": "(", "text": "y" }
        ]
      },
      "local": { "kind": "openai-compatibel", "url": "http://127.0.0.1" }
    }
  }
}`;
  const found = readServers(text).findings.map(
    ({ severity, code, path, line }) => `${line} ${severity} ${code} ${path}`,
  );
  expect(found.toSorted()).toEqual([
    '12 error invalid-value /models/providers/local/kind',
    '8 error invalid-value /models/providers/scripted/rules/0',
    '8 error unknown-key /models/providers/scripted/rules/0/answer',
    '9 error invalid-value /models/providers/scripted/rules/1/pattern',
  ]);
});
