/** docs/idioms.md: every block is checked, and run with answers that show what it is for. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { compileTriggers, parseWorkflow } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';
import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, play } from './play/play.ts';
import { stateAfter } from './state/runState.ts';

const page = readFileSync(fileURLToPath(new URL('../../../docs/idioms.md', import.meta.url)), 'utf8');
const blocks = new Map(
  [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => [/workflow: (\S+)/.exec(text)?.[1] ?? '', text]),
);

const gives = (output: Json): CallResult => ({
  result: { content: { type: 'text', text: JSON.stringify(output) }, structuredContent: output, output },
});

const failing: CallResult = { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' };

interface IdiomRun {
  readonly status: string;
  readonly outputs: Json | undefined;
  /** What it leaves of the state. */
  readonly after: JsonObject | undefined;
  /** `server/tool` with its arguments. */
  readonly calls: readonly (readonly [target: string, JsonObject])[];
}

function runOf(
  name: string,
  inputs: JsonObject,
  answer: (made: SimulatedCall, call: number) => CallResult,
  state: JsonObject = {},
): IdiomRun {
  let count = 0;
  const { run, journal, calls } = play(planOf(blocks.get(name) ?? ''), {
    inputs,
    state,
    answer: (made) => answer(made, count++),
  });
  const after = stateAfter(run, journal);
  const outputs = 'outputs' in run && run.outputs !== undefined && 'json' in run.outputs ? run.outputs.json : undefined;
  return { status: run.status, outputs, after, calls: calls.map((call) => [call.target, call.arguments]) };
}

/** The keys and inputs of the runs that a poll of the answer starts where all of its items are new. */
function polled(
  name: string,
  output: Json,
): { readonly keys: readonly Json[]; readonly inputs: readonly JsonObject[] } {
  const { workflow } = parseWorkflow(blocks.get(name) ?? '');
  const poll = workflow && compileTriggers(workflow).find((one) => one.kind === 'poll');
  if (poll === undefined) throw new Error(`${name} polls nothing`);
  const result = { output };
  const items = poll.items.evaluate({ result }) as Json[];
  const keys = items.map((item) => poll.itemKey.evaluate({ item, result }));
  if (poll.isBatch) return { keys, inputs: [poll.inputs.evaluate({ items, result })] };
  return { keys, inputs: items.map((item) => poll.inputs.evaluate({ item, result })) };
}

/** What a run of each gives, and what it should. */
const shown: Readonly<Record<string, () => readonly [is: unknown, shouldBe: unknown]>> = {
  'idiom-optional': () => {
    const without = runOf('idiom-optional', {}, () => gives({}));
    const given = runOf('idiom-optional', { note: 'n' }, () => gives({}));
    return [
      [...without.calls, ...given.calls],
      [
        ['tracker/create', { title: 'New' }],
        ['tracker/create', { title: 'New', body: 'n' }],
      ],
    ];
  },
  'idiom-fallback': () => {
    return [runOf('idiom-fallback', {}, () => gives({})).status, 'succeeded'];
  },
  'idiom-default': () => {
    const answers = [null, 'n'].map((note) => runOf('idiom-default', { note }, () => gives({})).outputs);
    return [answers, [{ note: 'none' }, { note: 'n' }]];
  },
  'idiom-optional-branches': () => {
    const found = [false, true].map(
      (isDeep) => runOf('idiom-optional-branches', { all: [1], isDeep }, ({ target }) => gives({ by: target })).outputs,
    );
    return [found, [{ found: [{ by: 'scanner/look' }] }, { found: [{ by: 'scanner/look' }, { by: 'scanner/scan' }] }]];
  },
  'idiom-best-of-three': () => {
    const { status, outputs, calls } = runOf('idiom-best-of-three', {}, (_, call) =>
      call % 2 === 0
        ? { result: { content: { type: 'text', text: `try ${call}` } } }
        : gives({ good: false, why: 'flat' }),
    );
    return [
      [status, outputs, calls.length],
      ['succeeded', { text: 'try 4' }, 6],
    ];
  },
  'idiom-paging': () => {
    const { outputs, calls } = runOf('idiom-paging', {}, ({ arguments: { cursor } }) =>
      gives(cursor === undefined ? { items: [1, 2], nextCursor: 'b' } : { items: [3] }),
    );
    return [
      [outputs, calls.map(([, args]) => args)],
      [{ items: [1, 2, 3] }, [{}, { cursor: 'b' }]],
    ];
  },
  'idiom-top-five': () => {
    const people = [1, 2, 3, 4, 5, 6].map((age) => ({ age }));
    return [runOf('idiom-top-five', { people }, () => gives({})).status, 'succeeded'];
  },
  'idiom-first-of-several': () => {
    const { outputs } = runOf('idiom-first-of-several', {}, ({ target }) =>
      target === 'north/quote' ? { ...gives({ price: 9 }), takesMs: 900 } : gives({ price: 7 }),
    );
    return [outputs, { price: 7, from: 'south' }];
  },
  'idiom-other-source': () => {
    const { outputs, calls } = runOf('idiom-other-source', {}, ({ target }) =>
      target === 'shop/price' ? failing : gives({ of: 'archive' }),
    );
    return [
      [outputs, calls.length],
      [{ price: { of: 'archive' } }, 2],
    ];
  },
  'idiom-group': () => {
    const { status, calls } = runOf('idiom-group', {}, ({ target }) =>
      target === 'bank/charge' ? failing : gives({ seat: 'A1' }),
    );
    return [
      [status, ...calls],
      [
        'succeeded',
        ['hall/reserve', {}],
        ['bank/charge', { seat: 'A1' }],
        ['chat/post', { text: 'No booking: No.' }],
        ['hall/release', { seat: 'A1' }],
      ],
    ];
  },
  'idiom-fire-and-forget': () => [runOf('idiom-fire-and-forget', {}, () => gives({})).outputs, { run: 'child' }],
  'idiom-ensure': () => {
    const found = [false, true].map((isLate) => {
      const { status, calls } = runOf('idiom-ensure', { page: 'p', text: 't' }, ({ target }, call) =>
        target === 'wiki/read_page' && (isLate ? call > 2 : false)
          ? { result: { content: [{ type: 'text', text: 'a t' }] } }
          : gives({}),
      );
      return [status, calls.length, calls.at(-1)?.[0]];
    });
    return [
      found,
      [
        ['failed', 15, 'wiki/revert_page'],
        ['succeeded', 4, 'wiki/read_page'],
      ],
    ];
  },
  'idiom-ensure-step': () => {
    const { status, calls } = runOf('idiom-ensure-step', {}, (_, call) =>
      gives({ state: call < 2 ? 'starting' : 'running' }),
    );
    return [
      [status, ...calls.map(([target]) => target)],
      ['succeeded', 'cloud/start_machine', 'cloud/get_machine', 'cloud/get_machine', 'cloud/deploy'],
    ];
  },
  'idiom-new-rows': () => {
    const { keys, inputs } = polled('idiom-new-rows', {
      rows: [
        { id: 7, total: 9 },
        { id: 6, total: 1 },
      ],
    });
    const calls = inputs.flatMap((given) => runOf('idiom-new-rows', given, () => gives({})).calls);
    return [
      [keys, calls],
      [
        [7, 6],
        [
          ['chat/post', { text: 'Order 7' }],
          ['chat/post', { text: 'Order 6' }],
        ],
      ],
    ];
  },
  'idiom-new-mails': () => {
    const messages = [
      { id: 'a', subject: 'Hello' },
      { id: 'b', subject: 'Bye' },
    ];
    const { keys, inputs } = polled('idiom-new-mails', { messages });
    const calls = inputs.flatMap((given) => runOf('idiom-new-mails', given, () => gives({})).calls);
    return [
      [keys, calls],
      [['a', 'b'], [['chat/post', { text: 'Hello, Bye' }]]],
    ];
  },
  'idiom-remember-the-last-id': () => {
    const shop = [3, 5, 4];
    const answer = ({ target, arguments: { afterId } }: SimulatedCall): CallResult =>
      gives(target === 'shop/list_orders' ? { ids: shop.filter((id) => id > Number(afterId)) } : {});
    const first = runOf('idiom-remember-the-last-id', {}, answer);
    const second = runOf('idiom-remember-the-last-id', {}, answer, first.after);
    return [
      [first.calls.length, first.after, second.calls, second.after],
      [4, { last: 5 }, [['shop/list_orders', { afterId: 5 }]], { last: 5 }],
    ];
  },
  'idiom-alert-me': () => {
    const { workflow } = parseWorkflow(blocks.get('idiom-alert-me') ?? '');
    const [trigger] = (workflow && compileTriggers(workflow)) ?? [];
    const event = { workflow: 'payments/pay', status: 'failed', error: { code: 'timeout', message: 'Too slow.' } };
    const inputs = trigger?.kind === 'run' ? trigger.inputs.evaluate({ event }) : {};
    const { calls } = runOf('idiom-alert-me', inputs, () => gives({}));
    return [calls, [['chat/post', { text: 'payments/pay failed: Too slow.' }]]];
  },
  'idiom-clean-up': () => {
    const { calls } = runOf('idiom-clean-up', {}, () => gives({ id: 'm1' }));
    return [
      calls,
      [
        ['cloud/start', {}],
        ['cloud/stop', { id: 'm1' }],
      ],
    ];
  },
};

test('every block of the page is shown here', () => {
  expect([...blocks.keys()].toSorted()).toEqual(Object.keys(shown).toSorted());
});

test.each(Object.entries(shown))('%s', (_, show) => {
  const [is, shouldBe] = show();
  expect(is).toEqual(shouldBe);
});
