/** The example of the language page, every branch of it, its failures and its cancel included. */
import { readFileSync } from 'node:fs';

import { planOf, textResult } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { judge } from './decide/judge.ts';
import { type CallResult, type SimulatedCall, type SimulatedRun, type PlayOptions, play } from './play/play.ts';
import { rowOf } from './state/row.ts';
import type { UnfinishedRun } from './state/run.ts';
import { Trace } from './state/trace.ts';

const fixture = new URL('../../language/fixtures/nightly-report.workflow.yaml', import.meta.url);
const plan = planOf(readFileSync(fixture, 'utf8'), {
  'github/list_repositories': 'read',
  'scanner/scan': 'read',
  'scanner/release': 'idempotent',
  'jira/search': 'read',
  'jira/close_issue': 'idempotent',
});

const repositories = ['api', 'web', 'old'].map((name) => ({
  name,
  cloneUrl: `https://example.test/${name}.git`,
  archived: name === 'old',
}));

interface World {
  readonly worst?: string;
  /** Instead of the usual answer; undefined: the usual one. */
  readonly instead?: (made: SimulatedCall) => CallResult | undefined;
  readonly usd?: number;
}

const answers =
  ({ worst = 'low', usd = 0.1, instead }: World) =>
  (made: SimulatedCall): CallResult => {
    const other = instead?.(made);
    if (other !== undefined) return other;
    switch (made.target) {
      case 'github/list_repositories':
        return { result: { content: [], structuredContent: { items: repositories } } };
      case 'scanner/scan':
        return { result: textResult({ findings: [{ in: made.arguments['url'] ?? null }] }), takesMs: 5_000 };
      case 'playbook/vulnerability_report':
        return { result: { messages: [{ role: 'user', content: { type: 'text', text: 'For managers.' } }] } };
      case 'sample': {
        const output = { worst, summary: 'Two findings.' };
        const content = { type: 'text', text: JSON.stringify(output) };
        return { result: { role: 'assistant', content, model: 'm', stopReason: 'endTurn', output }, usage: { usd } };
      }
      case 'jira/create_issue':
        return { result: textResult({ key: 'SEC-1' }) };
      default:
        return { result: textResult({ issues: [] }) };
    }
  };

const answering =
  (answer: { approve: boolean; priority: string }) =>
  ({ questions, at }: UnfinishedRun) =>
    questions > 0 ? [{ type: 'question.answered', at, path: 'approval', answer, by: 'ada' } as const] : [];

const nightly = (world: World = {}, options: PlayOptions = {}): SimulatedRun =>
  play(plan, { inputs: { org: 'acme', maxRepos: 40 }, answer: answers(world), ...options });

const targets = ({ calls }: SimulatedRun): string[] => calls.map(({ target }) => target);
const status = ({ journal }: SimulatedRun, path: string): string | undefined => Trace.of(journal).step(path)?.status;
const argumentsOf = ({ calls }: SimulatedRun, target: string): unknown =>
  calls.find((made) => made.target === target)?.arguments;

const approved = { outside: answering({ approve: true, priority: 'P1' }) };
const isSent = { failure: { code: 'connection-lost', message: 'Gone.' }, delivery: 'unknown' } as const;

describe('[L-060 L-061 L-063 L-074] the nightly report', () => {
  test('[L-048] that finds little names it, and releases the scanner', () => {
    const played = nightly();
    expect(targets(played)).toEqual([
      'github/list_repositories',
      'scanner/scan',
      'scanner/scan',
      'playbook/vulnerability_report',
      'sample',
      'scanner/release',
    ]);
    expect(played.run).toMatchObject({ status: 'succeeded', outputs: { json: { worst: 'low' } } });
  });

  test('ranks what was found, in the order of the repositories, in the words of the playbook', () => {
    const collected = repositories
      .slice(0, 2)
      .map(({ name, cloneUrl }) => ({ repo: name, findings: [{ in: cloneUrl }] }));
    expect(argumentsOf(nightly(), 'sample')).toMatchObject({
      messages: [
        { role: 'user', content: { type: 'text', text: 'For managers.' } },
        { role: 'user', content: { text: `Rank these findings: ${JSON.stringify(collected)}` } },
      ],
      systemPrompt: 'You rank security findings.',
      maxTokens: 800,
    });
  });

  test('[L-064] that finds much files a ticket once a person agrees', () => {
    const played = nightly({ worst: 'critical' }, approved);
    expect(argumentsOf(played, 'jira/create_issue')).toEqual({
      project: 'SEC',
      title: 'Vulnerabilities',
      body: 'Two findings.',
    });
    const started = played.journal.find((event) => event.type === 'step.started' && event.path === 'ticket');
    expect(started).toMatchObject({ call: { effect: 'write', idempotencyKey: `${played.run.id}:ticket` } });
    expect(played.run.status).toBe('succeeded');
  });

  test('[L-078] files none without a person’s consent', () => {
    const played = nightly({ worst: 'high' }, { outside: answering({ approve: false, priority: 'P2' }) });
    expect([status(played, 'ticket'), played.run.status]).toEqual(['skipped', 'succeeded']);
  });

  test('[L-043 L-046] waits for an answer no longer than the run may take', () => {
    const played = nightly({ worst: 'high' });
    expect(rowOf(played.run).failure?.code).toBe('run-timed-out');
    expect(targets(played).slice(-2)).toEqual(['chat/post', 'scanner/release']);
  });

  test('[L-073 L-087] a scan that fails three times is an error at its place, and the others go on', () => {
    const played = nightly({
      instead: ({ path }) =>
        path === 'scans/1/scan'
          ? { failure: { code: 'server-error', message: 'No.' }, delivery: 'answered' }
          : undefined,
    });
    const scans = played.calls
      .filter(({ target }) => target === 'scanner/scan')
      .map(({ path, attempt }) => `${path}#${attempt}`);
    expect(scans.toSorted()).toEqual(['scans/0/scan#1', 'scans/1/scan#1', 'scans/1/scan#2', 'scans/1/scan#3']);
    expect(played.run.status).toBe('succeeded');
    expect(JSON.stringify(argumentsOf(played, 'sample'))).toContain('server-error');
  });

  test('[L-046 L-047 L-090] that cannot list the repositories says so, releases the scanner, and does not mind if that fails', () => {
    const played = nightly({
      instead: ({ target }) =>
        target === 'github/list_repositories' || target === 'scanner/release'
          ? { failure: { code: 'invalid-arguments', message: 'No such org.' }, delivery: 'unsent' }
          : undefined,
    });
    expect(argumentsOf(played, 'chat/post')).toEqual({
      text: `Run ${played.run.id} failed at repos: No such org.`,
    });
    expect(targets(played)).toEqual(['github/list_repositories', 'chat/post', 'scanner/release']);
    expect(played.run).toMatchObject({ status: 'failed', failure: { code: 'invalid-arguments', step: 'repos' } });
  });

  test('[L-044] whose ranking costs more than it may fails', () => {
    const played = nightly({ usd: 0.5 });
    expect(rowOf(played.run).failure).toMatchObject({ code: 'budget-exceeded', step: 'rank' });
  });
});

describe('[L-084] a ticket whose answer is lost', () => {
  const lost = (found: readonly string[]): World => ({
    worst: 'high',
    instead: ({ target, attempt }) => {
      if (target === 'jira/create_issue' && attempt === 1) return isSent;
      return target === 'jira/search' ? { result: textResult({ issues: [...found] }) } : undefined;
    },
  });

  test.each([
    ['is not filed again where the search finds it', ['SEC-1'], ['ticket#1']],
    ['is filed again where the search does not', [], ['ticket#1', 'ticket#2']],
  ])('%s', (_, found, made) => {
    const played = nightly(lost(found), approved);
    const tickets = played.calls.filter(({ target }) => target === 'jira/create_issue');
    expect(tickets.map(({ path, attempt }) => `${path}#${attempt}`)).toEqual(made);
    expect(argumentsOf(played, 'jira/search')).toEqual({ text: `${played.run.id}:ticket` });
    expect(played.run.status).toBe('succeeded');
  });

  test('[L-092] and comes after the run was given up, is closed again', () => {
    const slow: World = {
      worst: 'high',
      instead: ({ target }) => (target === 'jira/create_issue' ? { ...isSent, takesMs: 60 * 60_000 } : undefined),
    };
    const late = {
      path: 'ticket',
      attempt: 1,
      outcome: 'succeeded',
      value: { json: textResult({ key: 'SEC-7' }) },
    } as const;
    const played = nightly(slow, {
      outside: (run) =>
        run.status !== 'running' || run.ending === undefined
          ? answering({ approve: true, priority: 'P1' })(run)
          : judge(plan, run, { ...late, at: run.at }),
    });
    expect(played.run).toMatchObject({ status: 'failed', failure: { code: 'run-timed-out' } });
    expect(argumentsOf(played, 'jira/close_issue')).toEqual({ issue: 'SEC-7' });
  });
});

describe('a nightly report that is cancelled', () => {
  const cancelWhen =
    (isTime: (run: UnfinishedRun) => boolean): NonNullable<PlayOptions['outside']> =>
    (run) =>
      run.cancel === undefined && isTime(run) ? [{ type: 'run.cancelRequested', at: run.at, by: 'ada' }] : [];

  test('[L-047] while it scans stops the scans, releases the scanner, and sends no report', () => {
    const played = nightly({}, { outside: cancelWhen((run) => run.frames.get('@main')?.steps.has('scans') === true) });
    expect(['scans', 'scans/0/scan', 'scans/1/scan'].map((path) => status(played, path))).toEqual(
      Array(3).fill('cancelled'),
    );
    expect(targets(played).slice(3)).toEqual(['scanner/release']);
    expect(played.run.status).toBe('cancelled');
  });

  test('while it asks takes the question back', () => {
    const played = nightly({ worst: 'high' }, { outside: cancelWhen(({ questions }) => questions > 0) });
    expect([status(played, 'approval'), played.run.questions, played.run.status]).toEqual([
      'cancelled',
      0,
      'cancelled',
    ]);
  });
});
