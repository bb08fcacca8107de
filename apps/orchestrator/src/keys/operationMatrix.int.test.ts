/**
 * Each operation, as each kind of limited key asks for it, at each face that has it. The rows come from the operations
 * themselves, so a new one is tried without a line here, or fails for want of what it is asked with.
 */
import { type Access, routes, scopes } from '@baton/api';
import { control, generalNames } from '@baton/control';
import { type FreshStore, freshStore } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { generalTools } from '../mcp/generalTools.ts';
import { overMcp } from '../testing/overMcp.ts';
import { type Owned, owned, ownedBySession } from '../testing/ownedRuns.ts';
import { type TestApp, openTestApp } from '../testing/testApp.ts';

type Name = keyof typeof control;

let store: FreshStore;
let app: TestApp;
let mine: Owned;
let theirs: Owned;
/** Of another key. */
let session: Owned;

beforeAll(async () => {
  store = await freshStore();
  app = await openTestApp(store, store.url, { servers: { away: { url: 'http://127.0.0.1:9/mcp' } } });
  mine = await owned(app, store, 'payments/eu/refunds', writing);
  theirs = await owned(app, store, 'payments-eu/theirs', writing);
  session = await ownedBySession(app, store);
  await app.ask('GET /v1/schedules');
});

afterAll(async () => {
  await app.close();
  await store.close();
});

/** It does more than a key with `effects: read` may cause. */
const costly = '{ sample: { append: Hello } }';
const writing = `state: { seen: { type: string } }\nsteps: [{ id: ok, ask: Go on? }, ${costly}]\nfinally: [${costly}]`;

/** What an operation is asked with, besides its path. */
const bodies: Partial<Record<Name, object | ((of: Owned) => object)>> = {
  deployWorkflow: ({ workflow }) => ({ workflow, steps: [{ sample: { append: 'Hello' } }] }),
  checkWorkflow: { workflow: 'payments/eu/refunds', steps: [{ set: {} }] },
  startWorkflow: {},
  startRun: ({ workflow }) => ({ workflow }),
  cancelRuns: { filter: {}, preview: true },
  retryRuns: { filter: {}, preview: true },
  approveServer: { preview: true },
  decideConsent: { choice: null },
  signalRun: {},
  evaluateRun: { expression: 'inputs' },
  answerQuestion: { answer: {} },
  addPerson: { name: 'eve' },
  grantRole: ({ workflow }) => ({ role: 'approver', effects: 'read', on: [workflow] }),
  resetPoll: {},
  setWorkflowState: { value: 'x' },
  backfillSchedule: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
};
const ofEndedRuns: ReadonlySet<Name> = new Set(['retryRun', 'rerunRun', 'undoRun', 'evaluateRun', 'learnFromRun']);

const queries: Partial<Record<Name, string>> = {
  getRunHistogram: '?from=2026-01-01T00:00:00Z&to=2099-01-01T00:00:00Z',
};

/** The id of what an operation is about; undefined: it is about nothing of one workflow. */
function subjectOf(name: Name, of: Owned): string | undefined {
  if (name === 'startRun' || name === 'deployWorkflow') return of.workflow;
  const [, kind] = /^\/v1\/(\w+)\/:id/.exec(control[name].route.path) ?? [];
  switch (kind) {
    case undefined:
      return undefined;
    case 'workflows':
      return of.workflow;
    case 'schedules':
      return `${of.workflow}.schedule-1`;
    case 'polls':
      return `${of.workflow}.p`;
    case 'questions':
      return of.question;
    case 'runs':
      return ofEndedRuns.has(name) ? of.over : of.asking;
    case 'people':
      return name === 'removePerson' ? of.leaving.id : of.person.id;
    default:
      if (control[name].isOfInstallation === true) return 'none';
      throw new Error(`What is ${control[name].route.path} about?`);
  }
}

/** How a face answers. */
interface FaceAnswer {
  readonly isForbidden: boolean;
  readonly isAbsent: boolean;
  readonly text: string;
}

type Ask = (name: Name, of: Owned, key: string) => Promise<FaceAnswer>;

const overRest: Ask = async (name, of, key) => {
  const { method, path } = control[name].route;
  const others: Readonly<Record<string, string>> = {
    version: '1',
    sha256: 'a'.repeat(64),
    grant: of.person.grant,
    key: 'seen',
    name: path.startsWith('/v1/servers') ? 'away' : 'go',
  };
  const filled = path.replaceAll(/:(\w+)/g, (_, member: string) =>
    member === 'id' ? encodeURIComponent(subjectOf(name, of) ?? '') : (others[member] ?? ''),
  );
  // What is removed is another version than it expects, so it stays.
  const headers = name === 'deleteWorkflow' ? { 'if-match': '"99"' } : {};
  const body = bodies[name];
  const json = typeof body === 'function' ? body(of) : body;
  const { status, text } = await app.ask(`${method} ${filled}${queries[name] ?? ''}`, { key, headers, json });
  return { isForbidden: status === 403, isAbsent: status === 404 && !/no such value/.test(text), text };
};

/** The tools that call an operation, and what each is called with. */
const tools: Partial<Record<Name, readonly (readonly [tool: string, given: (of: Owned) => object])[]>> = {
  listWorkflows: [['list_workflows', () => ({})]],
  getWorkflow: [['get_workflow', ({ workflow }) => ({ workflow })]],
  startWorkflow: [['run_workflow', ({ workflow }) => ({ workflow })]],
  checkWorkflow: [['check_workflow', () => ({ source: 'workflow: payments/eu/refunds\nsteps: [{ set: {} }]' })]],
  listHooks: [['list_webhooks', () => ({})]],
  learnFromRun: [['learn_session', ({ over: id }) => ({ id })]],
  listRuns: [['list_runs', () => ({})]],
  getFailureCauses: [['list_runs', () => ({ status: 'failed' })]],
  listRunEvents: [
    ['get_run', ({ asking: id }) => ({ id })],
    ['explain_run', ({ over: id }) => ({ id })],
  ],
  cancelRun: [['cancel_run', ({ asking: id }) => ({ id })]],
  retryRun: [['retry_run', ({ over: id }) => ({ id })]],
  rerunRun: [['rerun_run', ({ over: id }) => ({ id })]],
  undoRun: [['undo_run', ({ over: id }) => ({ id })]],
  signalRun: [['send_signal', ({ asking: id }) => ({ id, name: 'go' })]],
  answerQuestion: [['answer_question', ({ question: id }) => ({ id, answer: {} })]],
  listSchedules: [['list_schedules', () => ({})]],
  pauseSchedule: [['change_schedule', ({ workflow }) => ({ id: `${workflow}.schedule-1`, action: 'pause' })]],
  resumeSchedule: [['change_schedule', ({ workflow }) => ({ id: `${workflow}.schedule-1`, action: 'resume' })]],
  triggerSchedule: [['change_schedule', ({ workflow }) => ({ id: `${workflow}.schedule-1`, action: 'trigger' })]],
};

const overTool =
  (tool: string, given: (of: Owned) => object): Ask =>
  async (_name, of, key) => {
    const text = await overMcp(app, key, tool, given(of));
    const isForbidden = /This (?:needs a key|key may only)|There is no tool/.test(text);
    return {
      isForbidden,
      isAbsent: /There is no (?:run|question|schedule)|No workflow .* is deployed/.test(text),
      text,
    };
  };

const names = (Object.keys(routes) as (keyof typeof routes)[]).filter((name): name is Name => name in control);
const asks = names.flatMap((name) => [
  { name, face: 'REST', ask: overRest },
  ...(tools[name] ?? []).map(([tool, given]) => ({ name, face: tool, ask: overTool(tool, given) })),
]);

const every = scopes.filter((scope) => scope !== 'admin');

const accessOf = (name: Name): Exclude<Access, 'public'> => control[name].route.access;

describe.each(asks.filter(({ name }) => accessOf(name) !== 'any-key'))('$name by $face', ({ name, ask }) => {
  const needed: ReadonlySet<string> = new Set([accessOf(name)].flat());

  test(`${name} is closed to a key with every other scope`, async () => {
    const key = await app.newKey(every.filter((scope) => !needed.has(scope)));
    expect(await ask(name, mine, key)).toMatchObject({ isForbidden: true });
  });
});

/** What no key can have that is limited to workflows; and its own session. */
const unlimited: ReadonlySet<string> = new Set(['admin', 'audit:read', 'secrets:write', 'any-key']);
const isUnlimited = (name: Name): boolean => [accessOf(name)].flat().every((scope) => unlimited.has(scope));
const asksOfLimitedKeys = asks.filter(({ name }) => !isUnlimited(name));
/** They say which workflow it is: its name is in what the caller sent. */
const refusing: ReadonlySet<Name> = new Set(['deployWorkflow']);

describe.each(asksOfLimitedKeys)('$name by $face', ({ name, ask }) => {
  const { effects } = control[name];

  test(`${name} reaches only the workflows of the key`, async () => {
    const key = await app.newKey(every, { workflows: ['payments/*'] });
    const isRefused = refusing.has(name);
    for (const others of isRefused ? [theirs] : [theirs, session]) {
      const isList = subjectOf(name, others) === undefined;
      const { isForbidden, isAbsent, text } = await ask(name, others, key);
      const isListed = isList && /theirs|"session\b/.test(text);
      expect({ isForbidden, isAbsent, isListed }).toEqual({
        isForbidden: isRefused,
        isAbsent: !isList && !isRefused,
        isListed: false,
      });
    }
  });

  test(`${name} causes no more than the effects of the key`, async () => {
    const key = await app.newKey(every, { effects: 'read' });
    const isLimited = effects === 'checked' || effects === 'by-start';
    expect(await ask(name, mine, key)).toMatchObject({ isForbidden: isLimited, isAbsent: false });
  });
});

test('Each route that takes a key is an operation, and has its rows in this table', () => {
  const takesKey = Object.entries(routes).filter(([, { access }]) => access !== 'public');
  // Metrics are of the process: whether they take a key depends on where it listens.
  const found = takesKey.map(([name]) => name).filter((name) => !(name in control));
  expect(found).toEqual(['getMetrics']);
});

test('each general tool that is bound to an operation needs the scopes of its route', () => {
  const bound = Object.entries(tools).flatMap(([name, all]) => all.map(([tool]) => [tool, name as Name] as const));
  const wrong = bound.filter(([tool, name]) => {
    if (!(generalNames as readonly string[]).includes(tool) || tool === 'change_schedule') return false;
    return generalTools[tool as keyof typeof generalTools].scopes !== accessOf(name);
  });
  expect(wrong).toEqual([]);
});

test('docs/reference/operations.md is up to date', async () => {
  const limits = {
    none: 'not limited',
    'by-start': 'checked when the run starts',
    'for-each': 'checked for each',
    checked: 'checked',
  };
  const row = (name: Name): string => {
    const { route, effects } = control[name];
    const faces = [`\`${route.method} ${route.path}\``, ...(tools[name] ?? []).map(([tool]) => `\`${tool}\``)];
    const others = subjectOf(name, mine) === undefined ? 'left out' : 'absent';
    const reach = refusing.has(name) ? 'refused' : others;
    const isWhole = isUnlimited(name) || control[name].isOfInstallation === true;
    const needed = [route.access].flat().join(', ').replace('any-key', 'any key');
    return `| ${[faces.join(', '), needed, isWhole ? '–' : reach, limits[effects]].join(' | ')} |`;
  };
  const page = `# Operations and limited keys

What a limited key may do is said once for each operation, and is the same at each face: REST, and the tools of \`/mcp\`. This page is generated from the operations in \`libs/control/src/operations\`; \`apps/orchestrator/src/keys/operationMatrix.int.test.ts\` tries each row with each kind of key at each face.

- **Scopes**: the key needs one of them, or \`admin\`.
- **Other workflows**: for a key with \`workflows\`, what belongs to another workflow is absent (as if it had never been there), left out of a list, or refused. –: it belongs to no workflow, or no key with \`workflows\` can have the scope.
- **Effects**: for a key with \`effects\`, what the operation causes is checked against the limit; "for each": the answer names the workflows or runs that are refused.

| operation | scopes | other workflows | effects |
| --- | --- | --- | --- |
${names.map(row).join('\n')}
`;
  await expect(page).toMatchFileSnapshot('../../../../docs/reference/operations.md');
});
