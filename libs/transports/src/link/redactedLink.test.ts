/**
 * Goal: no kind of message that a server may send brings a secret in.
 * Method: the kinds are the protocol's own list (the schemas of the SDK, both eras), and for each of them a message is made
 * that has the secret in every text, under every name that is free, and beside them. A kind that a new revision brings is
 * in the list by itself.
 */
import { FailureError } from '@baton/engine';
import { type Json, type JsonObject, cleanText, defined } from '@baton/primitives';
import { KnownSecrets } from '@baton/runner';
import {
  JSONRPCErrorResponseSchema,
  ServerNotificationSchema,
  ServerRequestSchema,
  ServerResultSchema,
} from '@modelcontextprotocol/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Link, LinkReport } from './link.ts';
import type { Message } from './messages.ts';
import { RedactedLink } from './redactedLink.ts';

const canary = 'canary+"9/7a?3c-d1e5f8';
const forms = [canary, JSON.stringify(canary).slice(1, -1), encodeURIComponent(canary), btoa(canary)];

/** Between the characters of the secret: `cleanText` removes each of them later. */
const gaps = [
  '\u001B(B\u001B[m',
  '\u001B]0;t\u0007',
  '\u009B1m',
  '\u206A',
  '\u{E0041}',
  '\u061C',
  '\uFFF9',
  '\u{1D173}',
  '\uD800',
];
const cutForms = gaps.map((gap) => canary.slice(0, 7) + gap + canary.slice(7));

/** As much of a JSON Schema as zod makes of the protocol's. */
interface Shape {
  readonly type?: string;
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly minimum?: number;
  readonly $ref?: string;
}

const shapesOf = (schema: z.ZodType): readonly Shape[] => {
  const shape = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Shape;
  return shape.anyOf ?? shape.oneOf ?? [shape];
};

/** How a message says the secret. */
interface SaidSecret {
  readonly text: string;
  readonly forms: readonly string[];
}

const whole: SaidSecret = { text: canary, forms };

/** The largest value of that shape that is all made of the secret. */
function sample(shape: Shape, said: SaidSecret = whole, depth = 0): Json {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0] ?? null;
  const options = shape.anyOf ?? shape.oneOf;
  if (options !== undefined) return options.length === 0 ? said.text : sample(richest(options), said, depth);
  if (shape.allOf !== undefined)
    return Object.assign({}, ...shape.allOf.map((one) => sample(one, said, depth))) as Json;
  if (shape.type === 'array') return depth > 12 ? [] : [sample(shape.items ?? {}, said, depth + 1)];
  if (shape.type === 'number' || shape.type === 'integer') return Math.max(shape.minimum ?? 1, 1);
  if (shape.type === 'boolean') return true;
  if (shape.type !== 'object') return said.text;
  const known = Object.entries(shape.properties ?? {}).map(([name, one]) => [name, sample(one, said, depth + 1)]);
  return {
    ...(Object.fromEntries(known) as JsonObject),
    [said.text]: said.forms as Json,
    free: { deep: said.forms as Json },
  };
}

const richest = (options: readonly Shape[]): Shape =>
  options.toSorted((one, other) => JSON.stringify(other).length - JSON.stringify(one).length)[0] ?? {};

const methodOf = (shape: Shape): string => JSON.stringify(shape.properties?.['method']?.const).slice(1, -1);

const requests = shapesOf(ServerRequestSchema).map(
  (shape) => [methodOf(shape), { ...(sample(shape) as JsonObject), id: 7 }] as const,
);
const notices = shapesOf(ServerNotificationSchema).map(
  (shape) => [methodOf(shape), sample(shape) as JsonObject] as const,
);
const results = shapesOf(ServerResultSchema).map(
  (shape, at) => [`result ${at}`, { id: 1_000_000, result: sample(shape) }] as const,
);
const errors = shapesOf(JSONRPCErrorResponseSchema).map(
  (shape, at) => [`error ${at}`, { ...(sample(shape) as JsonObject), id: 1_000_000 }] as const,
);

interface OpenedLink {
  readonly inner: Link;
  readonly link: RedactedLink;
  readonly seen: unknown[];
}

function open(report: LinkReport = { peer: 'test' }): OpenedLink {
  const known = new KnownSecrets();
  known.learn('test', [canary]);
  const inner: Link = {
    onmessage: undefined,
    onlost: undefined,
    onnoise: undefined,
    onclose: undefined,
    hasSession: true,
    protocolVersion: undefined,
    account: { mayHaveArrived: () => true, forget: () => {}, report: () => report },
    start: () => Promise.resolve(),
    send: () => Promise.resolve(),
    post: () => true,
    close: () => Promise.resolve(),
  };
  const link = new RedactedLink(inner, known);
  const seen: unknown[] = [];
  return { inner, link, seen };
}

const expectClean = (seen: unknown): void => {
  const text = JSON.stringify(seen);
  expect(text).toContain('[secret]');
  for (const form of [...forms, 'd1e5f8']) expect(text).not.toContain(form);
};

/** Every text of the message, as people are shown it. */
const shownTexts = (value: unknown): string =>
  typeof value === 'string'
    ? cleanText(value)
    : Object.entries(value ?? {})
        .map(([name, one]) => `${cleanText(name)} ${shownTexts(one)}`)
        .join(' ');

describe('no secret comes in with', () => {
  test('any kind of message', () => {
    // What the protocol has today, of both eras: fewer would mean that the list is not read any more.
    expect(requests.map(([method]) => method)).toEqual(
      expect.arrayContaining(['ping', 'sampling/createMessage', 'elicitation/create', 'roots/list']),
    );
    expect(notices.map(([method]) => method)).toEqual(
      expect.arrayContaining(
        ['cancelled', 'progress', 'message', 'resources/updated', 'resources/list_changed', 'tools/list_changed']
          .concat(['prompts/list_changed', 'elicitation/complete'])
          .map((name) => `notifications/${name}`),
      ),
    );
    expect(results.length).toBeGreaterThanOrEqual(12);
    for (const [, message] of [...requests, ...notices, ...results])
      expect(JSON.stringify(message)).toContain('d1e5f8');
  });

  /** What an invisible character cuts, the cleaner puts together again: after the filter, as for titles and progress. */
  test.each([
    ['requests', ServerRequestSchema],
    ['notifications', ServerNotificationSchema],
    ['results', ServerResultSchema],
    ['errors', JSONRPCErrorResponseSchema],
  ] as const)('%s in which it is cut by what is not seen', (_, schema) => {
    for (const shape of shapesOf(schema))
      for (const text of cutForms) {
        const { inner, link, seen } = open();
        link.onmessage = (heard) => void seen.push(heard);
        inner.onmessage?.(sample(shape, { text, forms: [text] }) as unknown as Message);
        expect(shownTexts(seen)).toContain('[secret]');
        expect(shownTexts(seen)).not.toContain(canary);
      }
  });

  test.each([...requests, ...notices, ...results, ...errors])('%s', (_, body) => {
    const message = body as unknown as Message;
    const { inner, link, seen } = open();
    link.onmessage = (heard) => void seen.push(heard);
    inner.onmessage?.(message);
    expect(seen).toHaveLength(1);
    expectClean(seen);
    // What it is, and what it is about, is still there.
    const { method, id } = message as { method?: string; id?: number };
    expect(seen[0]).toMatchObject(defined({ method, id }));
  });

  test('a request that has no answer any more', () => {
    const { inner, link, seen } = open();
    link.onlost = (id, failure) => {
      seen.push([id, failure.failure]);
      return true;
    };
    const failure = new FailureError('server-error', `Error 500: ${canary}`, { details: { body: forms as Json } });
    expect(inner.onlost?.(3, failure)).toBe(true);
    expectClean(seen);
  });

  test('what it wrote to stderr, wherever that was cut, or printed on stdout', () => {
    const noise = `${'x'.repeat(9_000)} \u001b[31m${canary.slice(0, 4)}\u001b[0m${canary.slice(4)} end`;
    const rubbish = { lines: 1, first: `${'y'.repeat(180)} ${canary}` };
    const { link } = open({ peer: 'test', stderr: `${canary}\n${noise}`, rubbish });
    const report = link.account.report();
    expectClean(report);
    expect(report.stderr?.length).toBeLessThanOrEqual(8_192);
    expect(report.stderr?.endsWith('[secret] end')).toBe(true);
    expect(report.rubbish?.first.length).toBeLessThanOrEqual(200);
    // Cut in two by the beginning of what is kept.
    const cut = open({ peer: 'test', stderr: `${'z'.repeat(20_000)}${canary}${'x'.repeat(8_180)}` });
    expect(cut.link.account.report().stderr).not.toContain(canary.slice(-6));
  });
});

/** Goal: a message of megabytes holds up neither the process nor the order of what comes after it. */
test('a large message is redacted in slices, and what comes after it waits for it', async () => {
  const { inner, link, seen } = open();
  link.onmessage = (heard) => void seen.push(JSON.stringify(heard).slice(0, 90));
  link.onclose = () => void seen.push('closed');
  link.onlost = (id) => {
    seen.push(`lost ${id}`);
    return false;
  };
  const send = (text: string): void => inner.onmessage?.({ jsonrpc: '2.0', method: 'n', params: { text } } as Message);
  send(`first ${canary}`);
  send(`large ${canary} ${'\u001B['.repeat(300_000)}`);
  send(`small ${canary}`);
  expect(inner.onlost?.(7, new FailureError('connection-lost', 'Gone.'))).toBe(true);
  inner.onclose?.();
  expect(seen).toHaveLength(1);
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 0);
  await expect.poll(() => seen).toHaveLength(5);
  clearInterval(turning);
  expect(turns).toBeGreaterThan(0);
  expect(
    seen.map((one) =>
      String(one)
        .replace(/^.*"text":"/, '')
        .slice(0, 14),
    ),
  ).toEqual(['first [secret]', 'large [secret]', 'small [secret]', 'lost 7', 'closed']);
});
