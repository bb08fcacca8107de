/** The JSON Schema in the hands of an editor: the language service of VS Code, which YAML extensions build on, too. */
import type { Json } from '@baton/primitives';
import { describe, expect, test } from 'vitest';
import * as json from 'vscode-json-languageservice';

import { workflowJsonSchema } from './jsonSchema.ts';
import { keysOf } from './shape.ts';
import { verbs } from './step.ts';

const service = json.getLanguageService({});
service.configure({ validate: true, schemas: [{ uri: 'schema://w', fileMatch: ['*'], schema: workflowJsonSchema() }] });

const documentOf = (text: string): ReturnType<typeof json.TextDocument.create> =>
  json.TextDocument.create('file:///w.json', 'json', 1, text);

/** What is offered at the `|`. */
async function offered(text: string): Promise<string[]> {
  const document = documentOf(text.replace('|', ''));
  const at = document.positionAt(text.indexOf('|'));
  const completions = await service.doComplete(document, at, service.parseJSONDocument(document));
  return completions?.items.map(({ label }) => label.replaceAll('"', '')) ?? [];
}

/** What is underlined. */
async function flagged(value: Json): Promise<string[]> {
  const document = documentOf(JSON.stringify(value));
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  return found.map(({ range }) => document.getText(range).replaceAll('"', ''));
}

const step = (text: string): string => `{"workflow": "w", "steps": [${text}]}`;

describe('[L-001] an editor', () => {
  test('offers every verb in an empty step, and in one with an id', async () => {
    expect(await offered(step('{|}'))).toEqual(expect.arrayContaining([...verbs]));
    expect(await offered(step('{"id": "a", |}'))).toEqual(expect.arrayContaining([...verbs]));
  });

  test('offers the keys of the verb that is there, and no other verb', async () => {
    const keys = await offered(step('{"tool": "a/b", |}'));
    expect(['tool', ...keys].toSorted()).toEqual([...keysOf('toolStep')].toSorted());
    expect(keys.filter((key) => (verbs as readonly string[]).includes(key))).toEqual([]);
  });

  test('offers verbs further in, the keys of the file, kinds of triggers, and values', async () => {
    expect(await offered(step('{"parallel": [{|}]}'))).toEqual(expect.arrayContaining([...verbs]));
    expect((await offered('{|}')).toSorted()).toEqual([...keysOf('workflow')].toSorted());
    const triggers = ['schedule', 'webhook', 'resource', 'tool', 'device'];
    expect(await offered('{"on": [{|}]}')).toEqual(expect.arrayContaining(triggers));
    expect(await offered('{"on": [{"schedule": "0 6 * * *", "overlap": |}]}')).toEqual([
      'skip',
      'queue',
      'replace',
      'allow',
    ]);
  });

  test('flags a second verb, whichever comes first', async () => {
    expect(await flagged({ workflow: 'w', steps: [{ tool: 'a/b', prompt: 'a/c' }] })).toEqual(['prompt']);
    expect(await flagged({ workflow: 'w', steps: [{ set: {}, wait: '5m' }] })).toHaveLength(1);
  });

  test('flags an unknown key, a step without a verb and a slip in a step further in', async () => {
    expect(await flagged({ workflow: 'w', steps: [{ tool: 'a/b', retyr: {} }] })).toEqual(['retyr']);
    expect(await flagged({ workflow: 'w', steps: [{ id: 'a' }] })).toHaveLength(1);
    expect(await flagged({ workflow: 'w', steps: [{ forEach: [1], steps: [{ set: {}, iff: 'true' }] }] })).toEqual([
      'iff',
    ]);
  });
});
