/**
 * What a real server asks of us in the middle of a call: runs that are driven as in production, on a journal in memory.
 */
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';

import { createLogger } from '@baton/boot';
import { type RunEvent, isEnded } from '@baton/engine';
import { createModels } from '@baton/models';
import type { Json, JsonObject } from '@baton/primitives';
import { ModelsConfig, readServers } from '@baton/protocol';
import { advance, RunDrivers, requested, systemClock } from '@baton/runner';
import { MemoryBus, MemoryJournal, planOf, testPorts } from '@baton/testing';
import { openServers } from '@baton/transports';
import { expect, onTestFinished, test } from 'vitest';

import { CallsUnderWay } from './callsUnderWay.ts';
import { serverHandlers } from './serverHandlers.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const never = (): never => {
  throw new Error('these workflows do not need it');
};

const order = { workflow: 'asked', definition: 'asked', trigger: { kind: 'api' }, by: 'ada', inputs: {} } as const;

type Question = Extract<RunEvent, { type: 'question.asked' }>;

interface EndedCall {
  readonly row: ReturnType<MemoryJournal['row']>;
  readonly events: readonly RunEvent[];
}

function surroundings(workflow: string) {
  const journal = new MemoryJournal();
  const bus = new MemoryBus();
  const plans = async () => planOf(workflow);
  const rules = [{ match: 'moon', text: 'Cheese.' }, { text: 'No idea.' }];
  const config = ModelsConfig.parse({ default: 'it', providers: { it: { kind: 'scripted', rules } } });
  const models = createModels(config, { env: never, secret: never, workspaceFolder: tmpdir() });
  const underWay = new CallsUnderWay();
  const log = createLogger({ level: 'silent', name: 'test' });
  const handlers = serverHandlers({ underWay, models, journal, plans, bus, clock: systemClock, log });
  return { journal, bus, plans, models, underWay, handlers };
}

/** A run of the workflow from its beginning to its end. `answers`: to its questions, one after the other. */
async function run(steps: string, baton: object, answers: readonly Json[] = []): Promise<EndedCall> {
  const { journal, bus, plans, models, underWay, handlers } = surroundings(`workflow: asked\n${steps}`);
  const entry = { command: process.execPath, args: [everything], baton };
  const { config } = readServers(JSON.stringify({ mcpServers: { every: entry } }));
  const { calls, close } = openServers(config, {
    environment: { PATH: process.env['PATH'] },
    secret: never,
    root: tmpdir(),
    version: 'test',
    handlers,
  });
  onTestFinished(() => close());
  const ports = testPorts({
    worker: 'worker-1',
    journal,
    blobs: journal.blobs,
    plans,
    calls: underWay.tracking(calls),
    models,
    bus,
  });
  const { runId } = await journal.request(requested(order, Date.now()));
  const drives = new RunDrivers(ports);
  const left = [...answers];
  const unsubscribe = bus.subscribe((hint) => {
    drives.routeHint(hint);
    void answerNext(journal, bus, runId, left);
  });
  await drives.drive(runId);
  unsubscribe();
  return { row: journal.row(runId), events: (await journal.open(runId))?.events ?? [] };
}

/** As the API does it. */
async function answerNext(journal: MemoryJournal, bus: MemoryBus, runId: string, left: Json[]): Promise<void> {
  const advanced = await advance(journal, runId, (now) => {
    const answer = now.questions > 0 && !isEnded(now) ? left[0] : undefined;
    return answer === undefined ? [] : [{ type: 'question.answered', at: now.at, path: 'it', answer, by: 'ada' }];
  });
  if (advanced === undefined || advanced.events.length === 0) return;
  left.shift();
  bus.publish({ runId, seq: advanced.run.seq });
}

const outputsOf = ({ row }: EndedCall): JsonObject => {
  if (row?.outputs === undefined || !('json' in row.outputs)) throw new Error(JSON.stringify(row));
  return row.outputs.json as JsonObject;
};

const questionsOf = ({ events }: EndedCall): readonly Question['question'][] =>
  events.filter((event): event is Question => event.type === 'question.asked').map(({ question }) => question);

const sampling = (more = ''): string => `${more}
steps:
  - { id: it, tool: every/trigger-sampling-request, with: { prompt: What is the moon made of?, maxTokens: 50 } }
outputs: { said: "\${{ steps.it.text }}" }
`;

test('a server that may ask a model is answered by a configured model, and the run pays', async () => {
  const ended = await run(sampling(), { sampling: 'allow' });
  expect(outputsOf(ended)['said']).toContain('Cheese.');
  const { usage } = ended.events.find((event) => event.type === 'step.succeeded') ?? {};
  expect(usage).toMatchObject({
    inputTokens: expect.any(Number) as number,
    outputTokens: expect.any(Number) as number,
  });
});

test('a run answers for no server beyond its budget', async () => {
  const budget = 'budget: { tokens: 3 }';
  const tight = await run(sampling(budget), { sampling: 'allow' });
  expect(tight.row).toMatchObject({ status: 'failed', failure: { code: 'budget-exceeded' } });

  // A call that goes on asking is refused before it is over.
  const { handlers, underWay, journal } = surroundings(`workflow: asked\n${sampling(budget)}`);
  const { runId } = await journal.request(requested(order, Date.now()));
  const gate = Promise.withResolvers<never>();
  const calls = underWay.tracking({
    callTool: () => gate.promise,
    getPrompt: never,
    readResource: never,
    release: () => {},
  });
  const { signal } = new AbortController();
  const context = { runId, attemptKey: `${runId}/it#1`, signal, timeout: {}, onProgress: () => {} };
  const call = calls.callTool({ server: 'every', tool: 'any', arguments: {} }, context);
  call.catch(() => {});
  const asking = { server: 'every', session: 'every#1', signal, policy: 'allow', runs: [runId] } as const;
  const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Well?' } }] };
  // Asked many times at once it is spent once.
  const all = await Promise.allSettled(Array.from({ length: 5 }, async () => handlers.sampling?.(params, asking)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(handlers.sampling?.(params, asking)).rejects.toMatchObject({ code: 'budget-exceeded' });
  // Nor where it cannot be told who would pay.
  const others = { ...asking, runs: [runId, 'another'] };
  await expect(handlers.sampling?.(params, others)).rejects.toMatchObject({ code: 'server-rejected' });
  // Nor does Baton decline in the place of a person whom it cannot find.
  await expect(handlers.elicitation?.({ message: 'Who?' }, others)).rejects.toMatchObject({ code: 'server-rejected' });
  gate.reject(new Error('over'));
});

test.each([
  [true, 'Cheese.'],
  [false, 'No person agreed'],
])('with the policy `ask` a person is asked first: %s', async (allow, said) => {
  const ended = await run(sampling(), { sampling: 'ask' }, [{ allow }]);
  expect(JSON.stringify(ended.row)).toContain(said);
  expect(questionsOf(ended)).toMatchObject([
    { message: expect.stringContaining('What is the moon made of?') as string, form: { required: ['allow'] } },
  ]);
});

const elicitation = `
steps:
  - { id: it, tool: every/trigger-elicitation-request }
outputs: { said: "\${{ json(steps.it.content) }}" }
`;

test('a server’s question to a person is a question of the run, and the server gets the answer', async () => {
  const ended = await run(elicitation, { elicitation: 'ask' }, [{ name: 'Ada', check: true }]);
  expect(questionsOf(ended)).toMatchObject([
    { message: 'every: Please provide inputs for the following fields:', form: { required: ['name'] } },
  ]);
  expect(JSON.stringify(ended.row)).toContain('Name: Ada');
});

const address = (more = ''): string => `
steps:
  - { id: it, tool: every/trigger-url-elicitation, with: { url: https://example.com/a%20b, message: Agree there.${more} } }
outputs: { said: "\${{ json(steps.it.content) }}" }
`;

test.each([
  [true, 'User completed'],
  [false, 'User declined'],
])('an address that a server wants opened is a question with it, answered %s', async (accept, said) => {
  const ended = await run(address(), { elicitation: 'ask' }, [{ accept }]);
  expect(questionsOf(ended)).toMatchObject([
    {
      message: 'every: Agree there. Open https://example.com/a%20b',
      url: 'https://example.com/a%20b',
      form: { required: ['accept'] },
    },
  ]);
  expect(JSON.stringify(ended.row)).toContain(said);
});

test('a call that is refused until an address was opened is made again when a person says that it was', async () => {
  const ended = await run(address(', errorPath: true'), { elicitation: 'ask' }, [{ accept: true }, { accept: true }]);
  expect(questionsOf(ended).map(({ url }) => url)).toEqual([
    'https://modelcontextprotocol.io/',
    'https://example.com/a%20b',
  ]);
  expect(JSON.stringify(ended.row)).toContain('User completed');
});

/** A step that is under way, whose server asks. */
async function underWayStep(workflow: string) {
  const all = surroundings(workflow);
  const { journal, underWay } = all;
  const { runId } = await journal.request(requested(order, Date.now()));
  const at = Date.now();
  await advance(journal, runId, () => [
    { type: 'run.claimed', at, worker: 'worker-1', claim: 1 },
    { type: 'step.started', at, path: 'it', verb: 'tool', attempt: 1 },
  ]);
  const gate = Promise.withResolvers<never>();
  const calls = underWay.tracking({
    callTool: () => gate.promise,
    getPrompt: never,
    readResource: never,
    release: () => {},
  });
  const { signal } = new AbortController();
  const context = { runId, attemptKey: `${runId}/it#1`, signal, timeout: {}, onProgress: () => {} };
  calls.callTool({ server: 'every', tool: 'any', arguments: {} }, context).catch(() => {});
  onTestFinished(() => gate.reject(new Error('over')));
  const asking = { server: 'every', session: 'every#1', signal, policy: 'ask', runs: [runId] } as const;
  return { ...all, runId, asking };
}

test('a server that learns by itself that the person is done answers the question in their place', async () => {
  const { handlers, asking, journal, runId } = await underWayStep(`workflow: asked\n${address()}`);
  const done = new AbortController();
  const params = { mode: 'url', message: 'Agree there.', url: 'https://example.com/', elicitationId: 'e' };
  const answer = handlers.elicitation?.(params, { ...asking, completed: done.signal });
  const types = async () => ((await journal.open(runId))?.events ?? []).map(({ type }) => type);
  await expect.poll(types).toContain('question.asked');
  done.abort();
  expect(await answer).toEqual({ action: 'accept' });
  const { events } = (await journal.open(runId)) ?? { events: [] };
  expect(events.at(-1)).toMatchObject({ type: 'question.answered', by: 'every', answer: { accept: true } });
});

test.each([
  'http://example.com/',
  'https://bank.example@evil.example/',
  'javascript:alert(1)',
  `https://example.com/${'x'.repeat(3_000)}`,
])('no person is asked to open %s', async (url) => {
  const { handlers, asking, journal, runId } = await underWayStep(`workflow: asked\n${address()}`);
  const asked = handlers.elicitation?.({ mode: 'url', message: 'There.', url }, asking);
  await expect(asked).rejects.toMatchObject({
    code: 'server-rejected',
    message: expect.stringContaining('address') as string,
  });
  expect((await journal.open(runId))?.events.map(({ type }) => type)).not.toContain('question.asked');
});

test('a server that may not ask does not see the capability', async () => {
  const { row } = await run(elicitation, {});
  expect(row).toMatchObject({ failure: { code: 'tool-not-found' } });
});
