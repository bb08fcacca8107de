import { type RecordedCall, type Recording, parseWorkflow } from '@baton/language';
import { describe, expect, test } from 'vitest';

import { type Replay, replay } from './replay.ts';

const text = (said: string): RecordedCall['result'] => ({ content: [{ type: 'text', text: said }] });

function replayed(workflow: string, recording: Omit<Recording, 'workflow'>): Replay {
  const parsed = parseWorkflow(`workflow: w\n${workflow}`);
  if (parsed.workflow === undefined) throw new Error(JSON.stringify(parsed.findings));
  return replay({ workflow: 'w.workflow.yaml', ...recording }, parsed.workflow);
}

const messages = ({ differences }: Replay): string[] =>
  differences.map(({ path = '', message, at = '' }) => [path, message, at].filter((one) => one !== '').join(' | '));

const reads = `
inputs: { file: { type: string, default: a.md } }
steps:
  - { id: notes, tool: files/read, with: { path: "\${{ inputs.file }}", run: "\${{ run.id }}" } }
  - { id: filed, tool: files/write, with: { text: "\${{ steps.notes.text }}" } }
outputs: { said: "\${{ steps.notes.text }}" }
`;

const recorded = {
  run: { id: 'run-1' },
  calls: [
    {
      path: 'notes',
      target: 'files/read',
      effect: 'read',
      with: { path: 'a.md', run: 'run-1' },
      result: text('hello'),
    },
    { path: 'filed', target: 'files/write', with: { text: 'hello' }, result: text('ok') },
  ],
  outputs: { said: 'hello' },
} satisfies Omit<Recording, 'workflow'>;

describe('a recorded run, done again', () => {
  test('passes if it behaves as recorded', () => {
    expect(replayed(reads, recorded).differences).toEqual([]);
  });

  test('A replay begins with the recorded state, and compares what is left of it.', () => {
    const counting = `
state: { count: { type: integer, default: 0 }, last: { type: string } }
steps: [{ state: { count: "\${{ state.count + 1 }}" } }]
outputs: { before: "\${{ state.count }}" }
`;
    const outputs = { before: 4 };
    const state = { count: 4 };
    expect(replayed(counting, { state, outputs, stateAfter: { count: 5, last: null } }).differences).toEqual([]);
    const other = replayed(counting, { state, outputs, stateAfter: { count: 6 } });
    expect(messages(other)).toEqual(['The run ends with a different result | stateAfter.count']);
    expect(other.updated?.stateAfter).toEqual({ count: 5, last: null });
  });

  test('A replay answers the values of a project as they were read, and compares what is put.', () => {
    const counting = `
steps:
  - { id: seen, tool: kv/get, with: { key: seen, default: { id: 0 }, output: { id: { type: integer } } } }
  - { id: kept, tool: kv/put, with: { key: seen, value: { id: "\${{ steps.seen.output.value.id + 1 }}" } } }
outputs: { next: "\${{ steps.seen.output.value.id + 1 }}" }
`;
    const read = { content: [], structuredContent: { found: true, value: { id: 7 } } };
    const put = (id: number): Omit<Recording, 'workflow'> => ({
      calls: [
        { path: 'seen', target: 'kv/get', effect: 'read', result: read },
        { path: 'kept', target: 'kv/put', with: { key: 'seen', value: { id } }, result: { content: [] } },
      ],
      outputs: { next: 8 },
    });
    expect(replayed(counting, put(8)).differences).toEqual([]);
    expect(messages(replayed(counting, put(9)))).toEqual([expect.stringContaining('value.id')]);
  });

  test('compares only recorded fields', () => {
    const calls = [
      { path: 'notes', result: text('x') },
      { path: 'filed', result: text('ok') },
    ];
    expect(replayed(reads, { calls }).differences).toEqual([]);
  });

  test('names the argument that differs, and what differs at the end', () => {
    const changed = reads.replace('text: "${{ steps.notes.text }}"', 'text: "${{ upper(steps.notes.text) }}"');
    expect(replayed(changed, recorded).differences).toEqual([
      {
        path: 'filed',
        message: 'files/write is called with different arguments',
        at: 'with.text',
        expected: 'hello',
        found: 'HELLO',
      },
    ]);
    const outputs = { said: 'good day' };
    expect(messages(replayed(reads, { ...recorded, outputs }))).toEqual([
      'The run ends with a different result | outputs.said',
    ]);
  });

  test('reports new calls, missing calls and calls of another tool', () => {
    const other = reads.replace('files/write', 'files/append');
    expect(messages(replayed(other, recorded))).toEqual(['filed | files/append is called instead of files/write']);
    const renamed = reads.replace('id: filed', 'id: kept');
    const told = replayed(renamed, recorded);
    expect(messages(told)).toEqual([
      'kept | files/write is called, and no answer is recorded for it',
      'filed | files/write was recorded, and is no longer called',
    ]);
    expect(told.updated).toBe(undefined);
  });

  test('fails, waits and retries as recorded, by the recorded effects', () => {
    const error = { code: 'tool-failed', message: 'not yet' };
    const [first, filed] = recorded.calls;
    const calls = [{ ...first, result: undefined, error }, { ...first, attempt: 2 }, filed];
    const again = JSON.parse(JSON.stringify({ ...recorded, calls })) as Omit<Recording, 'workflow'>;
    const retries = reads.replace('tool: files/read', 'retry: { attempts: 2, on: [tool-failed] }, tool: files/read');
    expect(replayed(retries, again).differences).toEqual([]);
    expect(
      messages(
        replayed(
          reads.replace('tool: files/read', 'retry: { attempts: 1, on: [tool-failed] }, tool: files/read'),
          again,
        ),
      ),
    ).toEqual([
      'notes | files/read was recorded, and is no longer called',
      'filed | files/write was recorded, and is no longer called',
      'The run failed at notes: not yet | status',
    ]);
  });

  test('ends as failed if the recorded run did', () => {
    const calls = [{ path: 'notes', error: { code: 'timeout', message: 'late', delivery: 'unknown' as const } }];
    const error = { code: 'outcome-unknown', step: 'notes' };
    expect(replayed(reads, { calls, status: 'failed', error }).differences).toEqual([]);
    const wrong = { code: 'tool-failed', step: 'notes' };
    expect(messages(replayed(reads, { calls, status: 'failed', error: wrong }))).toEqual([
      'The run ends with a different result | error.code',
    ]);
  });

  test('gets its answers, signals and child runs when it waits for them', () => {
    const waits = `
steps:
  - { id: sure, ask: Sure?, form: { yes: { type: boolean } }, expires: 1h }
  - { id: paid, wait: { signal: paid } }
  - { id: child, workflow: other, with: { n: 1 } }
outputs: { yes: "\${{ steps.sure.output.yes }}", by: "\${{ steps.sure.by }}", sum: "\${{ steps.paid.output.sum }}", child: "\${{ steps.child.output.n }}" }
`;
    const played = {
      answers: [{ path: 'sure', answer: { yes: true }, by: 'ada' }],
      signals: [{ name: 'paid', payload: { sum: 12 } }],
      calls: [{ path: 'child', verb: 'workflow' as const, target: 'other', with: { n: 1 }, outputs: { n: 2 } }],
      outputs: { yes: true, by: 'ada', sum: 12, child: 2 },
    };
    expect(replayed(waits, played).differences).toEqual([]);
    expect(messages(replayed(waits, { ...played, signals: [] }))).toContain(
      'The run does not end: it waits for something that was not recorded | status',
    );
    expect(messages(replayed('steps: [{ set: {} }]', { answers: played.answers }))).toEqual([
      'sure | an answer was recorded, but the run asks no question',
    ]);
  });

  test('replays the items of a distributed forEach, and stops calls that were stopped', () => {
    const items = `
steps:
  - id: each
    forEach: [1, 2]
    as: n
    distribute: true
    steps: [{ id: s, tool: s/t, with: { n: "\${{ n }}" } }]
    collect: "\${{ steps.s.text }}"
  - parallel:
      - { id: long, tool: s/long, effect: read }
      - { id: short, tool: s/short, onError: ignore }
    timeout: 10s
    onError: ignore
outputs: { all: "\${{ steps.each.output }}" }
`;
    const calls = [
      { path: 'each/0/run>s', with: { n: 1 }, result: text('one') },
      { path: 'each/1/run>s', with: { n: 2 }, result: text('two') },
      { path: 'long' },
      { path: 'short', tookMs: 50, result: text('done') },
    ];
    expect(replayed(items, { calls, outputs: { all: ['one', 'two'] } }).differences).toEqual([]);
  });

  test('A replay refuses a write of state again that was refused, and names a refusal that does not come any more.', () => {
    const guarded = `
state: { count: { type: integer, default: 0 } }
steps: [{ id: add, ifUnchanged: true, state: { count: "\${{ state.count + 1 }}" } }]
`;
    const refusal = { code: 'state-changed', message: 'Another run wrote count.' };
    const calls = [{ path: 'add', verb: 'state' as const, error: refusal }];
    const failed = { calls, status: 'failed' as const, error: { ...refusal, step: 'add' }, stateAfter: { count: 0 } };
    const { differences, updated } = replayed(guarded, failed);
    expect([differences, updated?.calls]).toEqual([[], calls]);
    expect(messages(replayed(guarded.replace('id: add', 'id: other'), failed)).join()).toContain('no longer called');
  });

  test('names the inputs that no longer fit', () => {
    expect(messages(replayed(reads, { ...recorded, inputs: { file: 7 } }))).toEqual([
      expect.stringContaining('inputs/file: '),
    ]);
  });

  test('that was updated passes', () => {
    const workflow = reads.replace('with: { text: "${{ steps.notes.text }}" }', 'with: { text: other }');
    const { updated, differences } = replayed(workflow, recorded);
    expect(differences).toHaveLength(1);
    expect(updated).toMatchObject({ workflow: 'w.workflow.yaml', run: { id: 'run-1' }, status: 'succeeded' });
    expect(updated && replayed(workflow, updated).differences).toEqual([]);
  });
});
