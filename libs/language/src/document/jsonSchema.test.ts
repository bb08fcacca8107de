import { readdirSync, readFileSync } from 'node:fs';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';

import { Document } from '../yaml/document.ts';
import { workflowJsonSchema } from './jsonSchema.ts';
import { verbs } from './step.ts';
import { WorkflowSchema } from './workflow.ts';

/** As an editor holds a file to it. */
const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(workflowJsonSchema());

const workflowWith = (step: object): object => ({ workflow: 'w', steps: [step] });

describe('the JSON Schema for editors', () => {
  test('[L-001] takes the example of the language page', () => {
    const text = readFileSync(new URL('../../fixtures/nightly-report.workflow.yaml', import.meta.url), 'utf8');
    expect([fits(new Document(text).value), fits.errors]).toEqual([true, null]);
  });

  test.each<[string, object]>([
    ['a second verb', { tool: 'a/b', prompt: 'a/c' }],
    ['no verb', { id: 'a' }],
    ['an unknown key', { tool: 'a/b', timout: '3s' }],
    ['a key of another verb', { set: {}, retry: { attempts: 2 } }],
    ['a bad duration', { tool: 'a/b', timeout: '3 seconds' }],
    ['a mistake in a step further in', { parallel: [{ forEach: [1], steps: [{ tool: 'a' }] }] }],
    ['a mistake in a handler', { tool: 'a/b', onError: [{ match: ['timeout'] }] }],
    ['a mistake in a case', { switch: [{ when: 'true', else: [] }] }],
  ])('flags %s', (_, step) => {
    expect(fits(workflowWith(step))).toBe(false);
  });

  test('has a definition for every verb, and says what each key is for', () => {
    const { $defs } = workflowJsonSchema() as {
      $defs: Record<string, { properties?: Record<string, { description?: string }> }>;
    };
    expect(verbs.filter((verb) => $defs[`${verb}Step`]?.properties?.[verb] === undefined)).toEqual([]);
    const silent = Object.entries($defs).flatMap(([name, { properties = {} }]) =>
      name.endsWith('Step')
        ? Object.entries(properties)
            .filter(([, one]) => one.description === undefined && !('$ref' in one))
            .map(([key]) => `${name}.${key}`)
        : [],
    );
    expect(silent).toEqual([]);
  });

  /** Goal: editors and the checker agree. Method: every broken file, and the good one, asked of both. */
  test('takes what the checker’s schema takes, and nothing more that can be said in JSON Schema', () => {
    const folder = new URL('../../corpus/', import.meta.url);
    const documents = readdirSync(folder)
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => ({ name, value: new Document(readFileSync(new URL(name, folder), 'utf8')).value }))
      .filter(({ value }) => value !== undefined);
    const differing = documents.filter(({ value }) => fits(value) !== WorkflowSchema.safeParse(value).success);
    // Bounds of durations are beyond a pattern.
    expect(differing.map(({ name }) => name)).toEqual(['timeout-year.yaml', 'timeout-zero.yaml']);
  });
});
