import type { Plan, ToolDeclaration } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import { planOf, textResult } from '@baton/testing';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  type CallResult,
  type PlayOptions,
  type SimulatedCall,
  type SimulatedRun,
  play,
  playOn,
} from '../play/play.ts';
import { runSentence, sentenceInput } from '../say/runSentence.ts';
import type { RunEvent, ToldOutcome } from '../state/event.ts';
import { stateAt } from '../state/locate.ts';
import { Trace } from '../state/trace.ts';
import { type CarriedOutcomes, carryOutcomes } from './carriedOutcomes.ts';
import { carryToVersion } from './carryToVersion.ts';
import { type Intents, intentsOf } from './pastSteps.ts';
import { pastWrites } from './pastWrites.ts';
import { lastCalls, repeatedCalls } from './repeatedCalls.ts';

const noBlobs = (): undefined => undefined;

const declared: Readonly<Record<string, ToolDeclaration>> = {
  's/write': {
    check: {
      tool: 'find',
      with: { ref: '${{ call.arguments.ref }}' },
      happened: 'result.output.times > 0',
      output: '{"ref": call.arguments.ref}',
    },
  },
};

const planIn = (text: string): Plan => planOf(text, { 's/find': 'read', 's/read': 'read' }, {}, declared);

const lost: CallResult = { failure: { code: 'connection-lost', message: 'Lost.' }, delivery: 'unknown' };
const refused: CallResult = { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' };

/** A server that counts what was written, by `ref`. */
class Ledger {
  readonly times = new Map<string, number>();
  /** How each write and each read ends. `did`: the write happened, also where its answer is lost. */
  fate: (made: SimulatedCall) => { readonly did: boolean; readonly result?: CallResult } = () => ({ did: true });

  readonly answer = (made: SimulatedCall): CallResult => {
    const { target } = made;
    const { ref } = made.arguments as { ref: string };
    const { did, result } = this.fate(made);
    if (target === 's/write' && did) this.times.set(ref, (this.times.get(ref) ?? 0) + 1);
    return result ?? { result: textResult({ ref, times: this.times.get(ref) ?? 0 }) };
  };
}

interface Going {
  readonly kept: CarriedOutcomes;
  readonly next: SimulatedRun;
}

/** By the id of the run that goes on. */
const before = new Map<string, Intents>();

/** The next run: of the same version, or of `plan` as another version. */
function goOn(
  plan: Plan,
  old: SimulatedRun,
  options: PlayOptions,
  isOtherVersion: boolean,
  told?: readonly ToldOutcome[],
): Going {
  const at = old.nowMs + 1;
  const [requested] = old.journal;
  const inputs = requested?.type === 'run.requested' ? requested.inputs : { json: {} };
  const intents = before.get(old.run.id) ?? new Map();
  const id = `${old.run.id}-again`;
  before.set(id, intentsOf(old.journal, intents));
  const kept = isOtherVersion
    ? carryToVersion(plan, old.journal, { at, runId: old.run.id, inputs, blobs: noBlobs, intents, told })
    : carryOutcomes(plan, old.journal, { at, told });
  const again = { ...(requested as RunEvent), at, rerunOf: old.run.id } as RunEvent;
  return { kept, next: playOn(plan, [again, ...kept.events], { ...options, id }) };
}

const one = (more: string): string => `workflow: w
inputs: { ref: { type: string, default: r } }
steps:
  - { id: before, set: { ref: r } }
  - { id: a, tool: s/write, with: { ref: "\${{ inputs.ref }}" }${more} }
outputs: { ref: "\${{ steps.a.output.?ref }}" }
`;

const ownCheck = (ref: string): string =>
  `, ifUnknown: check, check: { tool: s/find, with: { ref: "${ref}" }, happened: result.output.times > 0 }`;

const versions = [
  ['the same version', false],
  ['another version', true],
] as const;

describe.each(versions)('a retry with %s', (version, isOther) => {
  const lostOnce = (
    did: boolean,
  ): { ledger: Ledger; plan: (more?: string) => Plan; first: (plan: Plan) => SimulatedRun } => {
    const ledger = new Ledger();
    return {
      ledger,
      plan: (more = '') => planIn(one(more)),
      first: (plan) => {
        ledger.fate = ({ target }) => (target === 's/write' ? { did, result: lost } : { did, result: refused });
        const played = play(plan, { answer: ledger.answer, inputs: { ref: 'r' } });
        ledger.fate = () => ({ did: true });
        return played;
      },
    };
  };

  test.each([
    ['a declared check', ''],
    ['a check of the step', ownCheck('${{ inputs.ref }}')],
    ['a check that reads a step before', ownCheck('${{ steps.before.ref }}')],
  ])(`A retry with ${version} begins with %s, and makes no call that happened`, (_, more) => {
    for (const did of [true, false]) {
      const { ledger, plan, first } = lostOnce(did);
      const compiled = plan(more);
      const old = first(compiled);
      expect(old.run.status).toBe('failed');
      const { kept, next } = goOn(compiled, old, { answer: ledger.answer }, isOther);
      expect([...kept.lookups]).toEqual([['a', { by: 'check', target: 's/find' }]]);
      expect(kept.isRepeated('a')).toBe(true);
      const made = next.calls.map(({ target }) => target);
      expect(made).toEqual(did ? ['s/find'] : ['s/find', 's/write']);
      expect([next.run.status, ledger.times.get('r')]).toEqual(['succeeded', 1]);
    }
  });

  test(`A retry with ${version} looks up what the old run called with, also where its arguments name that run`, () => {
    const ledger = new Ledger();
    const plan = planIn(one('').replace('${{ inputs.ref }}', '${{ run.id }}'));
    ledger.fate = ({ target }) => ({ did: true, result: target === 's/write' ? lost : refused });
    const old = play(plan, { answer: ledger.answer, id: 'old' });
    ledger.fate = () => ({ did: true });
    const { next } = goOn(plan, old, { answer: ledger.answer }, isOther);
    expect(next.calls.map(({ target, arguments: given }) => [target, given])).toEqual([['s/find', { ref: 'old' }]]);
    expect(next.run.status).toBe('succeeded');
  });

  test(`A retry with ${version} makes the call anew where the check would look for the new run`, () => {
    const { ledger, plan, first } = lostOnce(true);
    const compiled = plan(ownCheck('${{ run.id }}'));
    const { kept, next } = goOn(compiled, first(compiled), { answer: ledger.answer }, isOther);
    expect([kept.lookups.size, next.calls.map(({ target }) => target)]).toEqual([0, ['s/write']]);
  });

  test(`A retry with ${version} makes the call anew where the step says so`, () => {
    const { ledger, plan, first } = lostOnce(true);
    const compiled = plan(', ifUnknown: fail');
    const { kept, next } = goOn(compiled, first(compiled), { answer: ledger.answer }, isOther);
    expect([kept.lookups.size, next.calls.map(({ target }) => target)]).toEqual([0, ['s/write']]);
  });

  test.each([
    ['fails', ', ifUnknown: fail'],
    ['is looked up', ''],
    ['is asked for', ', ifUnknown: ask'],
    ['is called again', ', ifUnknown: retry, retry: { attempts: 2, delay: 1s }'],
  ])(`A retry with ${version} does what a person says of a lost call that %s otherwise`, (_, more) => {
    for (const happened of [true, false]) {
      const { ledger } = lostOnce(happened);
      const compiled = planIn(one(more).replace('outputs:', '  - { id: z, tool: s/read, with: { ref: r } }\noutputs:'));
      ledger.fate = ({ target }) =>
        target === 's/write' ? { did: happened, result: lost } : { did: true, result: refused };
      const old = play(compiled, {
        answer: ledger.answer,
        inputs: { ref: 'r' },
        outside: (run) =>
          stateAt(run, 'a')?.status === 'waiting' ? [{ type: 'run.cancelRequested', at: run.at, by: 'one' }] : [],
      });
      ledger.fate = () => ({ did: true });
      ledger.times.clear();
      const told = [{ path: 'a', happened, output: { ref: 'told' }, by: 'a person' }];
      const { kept, next } = goOn(compiled, old, { answer: ledger.answer }, isOther, told);
      expect([...kept.lookups]).toEqual([['a', { by: 'person', happened }]]);
      expect(next.calls.map(({ target }) => target)).toEqual(happened ? ['s/read'] : ['s/write', 's/read']);
      expect([next.run.status, ledger.times.get('r')]).toEqual(['succeeded', happened ? undefined : 1]);
      const ended = next.journal.findLast((event) => event.type === 'run.finished');
      expect(ended).toMatchObject({ outputs: { json: { ref: happened ? 'told' : 'r' } } });
    }
  });

  test(`A retry with ${version} takes back what a person says that happened, when a later step fails`, () => {
    const ledger = new Ledger();
    const plan = planIn(
      one(', ifUnknown: fail, undo: { tool: s/write, with: { ref: "${{ call.arguments.ref }}-back" } }').replace(
        'outputs:',
        '  - { id: z, fail: no }\noutputs:',
      ),
    );
    ledger.fate = () => ({ did: true, result: lost });
    const old = play(plan, { answer: ledger.answer, inputs: { ref: 'r' } });
    ledger.fate = () => ({ did: true });
    const told = [{ path: 'a', happened: true, by: 'a person' }];
    const { next } = goOn(plan, old, { answer: ledger.answer }, isOther, told);
    expect(next.calls.map(({ arguments: given }) => given)).toEqual([{ ref: 'r-back' }]);
  });

  test(`A retry with ${version} counts no call that it has not made, and names who said that it happened`, () => {
    for (const [more, words] of [
      [', ifUnknown: fail', 'That 1 call happened, bob said: no answer of it came.'],
      ['', 'A check found that 1 call of the run before happened.'],
    ] as const) {
      const ledger = new Ledger();
      const plan = planIn(one(more));
      ledger.fate = ({ target }) =>
        target === 's/write' ? { did: true, result: lost } : { did: true, result: refused };
      const old = play(plan, { answer: ledger.answer, inputs: { ref: 'r' } });
      ledger.fate = () => ({ did: true });
      const told = more === '' ? [] : [{ path: 'a', happened: true, output: { ref: 'r' }, by: 'bob' }];
      const { next } = goOn(plan, old, { answer: ledger.answer }, isOther, told);
      const { steps } = Trace.of(next.journal);
      const sentence = runSentence(sentenceInput(next.run), steps, next.nowMs);
      expect(sentence).toContain(words);
      expect(sentence).toMatch(more === '' ? /^1 step succeeded in / : /^0 steps succeeded in /);
      expect(sentence).not.toContain('made');
      expect([next.run.status, next.run.writes.count]).toEqual(['succeeded', 0]);
      const step = steps.find(({ path }) => path === 'a');
      expect(step).toMatchObject({ isCalledBefore: true, attempts: [], status: 'succeeded' });
      const said = more === '' ? undefined : { happened: true, by: 'bob', at: old.nowMs + 1 };
      expect(step?.said).toEqual(said);
      const [again] = repeatedCalls(next.journal, (path) => path === 'a');
      expect(again?.said).toEqual(said);
    }
  });

  test(`A retry with ${version} keeps a lost call whose failure was handled, also where a person tells of it`, () => {
    const { ledger, plan, first } = lostOnce(true);
    const compiled = plan(', ifUnknown: fail, onError: ignore');
    const old = first(compiled);
    const told = [{ path: 'a', happened: false, by: 'a person' }];
    const { kept, next } = goOn(compiled, old, { answer: ledger.answer }, isOther, told);
    expect([kept.lookups.size, next.calls]).toEqual([0, []]);
  });

  test(`A retry with ${version} asks a person again whose question the old run did not wait for`, () => {
    const { ledger, plan } = lostOnce(true);
    const compiled = plan(', ifUnknown: ask');
    ledger.fate = () => ({ did: true, result: lost });
    const inputs = { ref: 'r' };
    const cancelled = play(compiled, {
      inputs,
      answer: ledger.answer,
      outside: (run) =>
        stateAt(run, 'a')?.status === 'waiting' ? [{ type: 'run.cancelRequested', at: run.at, by: 'a person' }] : [],
    });
    expect(cancelled.run.status).toBe('cancelled');
    ledger.fate = () => ({ did: true });
    const answerNow: PlayOptions['outside'] = (run) =>
      stateAt(run, 'a')?.status === 'waiting'
        ? [{ type: 'question.answered', at: run.at, path: 'a', answer: { happened: true }, by: 'a person' }]
        : [];
    const { kept, next } = goOn(compiled, cancelled, { answer: ledger.answer, outside: answerNow }, isOther);
    expect([...kept.lookups]).toEqual([['a', { by: 'person' }]]);
    expect([next.run.status, next.calls]).toEqual(['succeeded', []]);
    // What a person has answered is kept.
    const after = planIn(one(', ifUnknown: ask').replace('outputs:', '  - { id: z, tool: s/write }\noutputs:'));
    ledger.fate = ({ path }) => ({ did: true, result: path === 'a' ? lost : refused });
    const failed = play(after, { inputs, answer: ledger.answer, outside: answerNow });
    ledger.fate = () => ({ did: true });
    const retried = goOn(after, failed, { answer: ledger.answer }, isOther).next;
    expect(retried.calls.map(({ path }) => path)).toEqual(['z']);
  });

  test(`A retry with ${version} whose look fails too leaves the call to be looked up by the next one, which did not make it`, () => {
    const { ledger, plan, first } = lostOnce(true);
    const compiled = plan();
    ledger.fate = () => ({ did: true });
    const old = first(compiled);
    ledger.fate = () => ({ did: false, result: refused });
    const second = goOn(compiled, old, { answer: ledger.answer }, isOther).next;
    expect(second.run.status).toBe('failed');
    ledger.fate = () => ({ did: true });
    const third = goOn(compiled, second, { answer: ledger.answer }, isOther).next;
    expect([third.run.status, third.calls.map(({ target }) => target)]).toEqual(['succeeded', ['s/find']]);
    expect(lastCalls(second.journal, (path) => path === 'a')).toMatchObject([
      { call: { target: 's/write', outcome: 'unknown' }, arguments: { ref: 'r' } },
    ]);
    expect([second, third].map(({ journal }) => pastWrites(journal, noBlobs))).toEqual([[], []]);
    expect(pastWrites(old.journal, noBlobs)).toHaveLength(1);
  });
});

test('A call is not looked up with inputs that the old run did not have', () => {
  const ledger = new Ledger();
  const plan = planIn(
    one(ownCheck('${{ inputs.ref }}')).replace('with: { ref: "${{ inputs.ref }}" }', 'with: { ref: r }'),
  );
  ledger.fate = ({ target }) => ({ did: true, result: target === 's/write' ? lost : refused });
  const old = play(plan, { answer: ledger.answer, inputs: { ref: 'r' } });
  const more = { at: old.nowMs + 1, runId: old.run.id, blobs: noBlobs };
  expect(carryToVersion(plan, old.journal, { ...more, inputs: { json: { ref: 'other' } } }).lookups.size).toBe(0);
  expect(carryToVersion(plan, old.journal, { ...more, inputs: { json: { ref: 'r' } } }).lookups.size).toBe(1);
  expect(carryOutcomes(plan, old.journal, { ...more, hasNewInputs: true }).lookups.size).toBe(0);
});

const write = (id: string, ref: string, more = ''): string =>
  `{ id: ${id}, tool: s/write, with: { ref: "${ref}" }${more} }`;
const shapes: readonly string[] = [
  `${write('a', 'a')}, ${write('b', 'b')}`,
  `{ parallel: [${write('a', 'a')}, ${write('b', 'b')}, { id: c, tool: s/read, needs: [a] }] }`,
  `{ id: e, forEach: [1, 2, 3], maxParallel: 2, as: n, steps: [${write('a', 'e${{ n }}')}, { id: r, tool: s/read }] }`,
  `{ id: e, forEach: [1, 2], onItemError: collect, as: n, steps: [${write('a', 'e${{ n }}')}] }`,
  `{ id: g, steps: [${write('a', 'a')}, { id: r, tool: s/read }], finally: [{ id: z, tool: s/read }] }`,
  `{ id: r, repeat: { max: 2, steps: [${write('a', 'r${{ index }}')}] } }, { id: x, tool: s/read }`,
  `{ id: q, tool: s/read }, { switch: [{ when: "steps.q.status == 'succeeded'", steps: [${write('a', 'a')}] }, { else: [{ id: o, tool: s/read }] }] }`,
  `${write('a', 'a', `, onError: [{ steps: [{ id: h, tool: s/read }] }]`)}, ${write('b', 'b', ownCheck('b'))}`,
  `${write('a', 'a', ', retry: { attempts: 3, delay: 1s }')}, { id: r, tool: s/read }`,
];

/**
 * Goal: however often a run is retried, no write whose server can be asked is made twice, and each is made.
 * Method: a workflow of each kind of block, in which every call ends at random: answered, refused, not sent, or lost
 * with or without its effect; and at a random moment the run is cancelled. It is retried, now with its version and now
 * with another one, until everything is answered; the ledger of the server has each write at most once, and once where
 * the last run has succeeded and ignores no failure.
 */
test('A write whose server can be asked is made once, however often its run is retried', () => {
  const ends = ['well', 'well', 'lost', 'lostUndone', 'refused', 'unsent', 'dies'] as const;
  const world = fc.record({
    shape: fc.constantFrom(...shapes),
    ends: fc.array(fc.constantFrom(...ends), { minLength: 30, maxLength: 60 }),
    rounds: fc.array(fc.record({ other: fc.boolean(), cancelAt: fc.nat({ max: 12 }) }), { minLength: 1, maxLength: 4 }),
  });
  const results: Readonly<Record<(typeof ends)[number], { did: boolean; result?: CallResult }>> = {
    well: { did: true },
    lost: { did: true, result: lost },
    lostUndone: { did: false, result: lost },
    refused: { did: false, result: refused },
    unsent: { did: false, result: { failure: { code: 'server-unreachable', message: 'Away.' }, delivery: 'unsent' } },
    dies: { did: true, result: { workerDies: true } },
  };
  // The third worker dies in the middle of a write.
  const setAsideDuringWrites = {
    shape: shapes.find((shape) => shape.includes('collect')) ?? '',
    ends: [...(['unsent', 'dies', 'dies', 'dies'] as const), ...Array.from({ length: 30 }, () => 'well' as const)],
    rounds: [{ other: false, cancelAt: 0 }],
  };
  fc.assert(
    fc.property(world, ({ shape, ends: drawn, rounds }) => {
      const plan = planIn(`workflow: w\nsteps: [${shape}]`);
      const ledger = new Ledger();
      let calls = 0;
      ledger.fate = () => results[drawn[calls++ % drawn.length] ?? 'well'];
      const cancelling = (cancelAt: number): NonNullable<PlayOptions['outside']> => {
        const cancel = (at: number): RunEvent => ({ type: 'run.cancelRequested', at, by: 'a person' });
        return (run, round) => (round === cancelAt && cancelAt > 3 ? [cancel(run.at)] : []);
      };
      const options = (cancelAt: number): PlayOptions => ({ answer: ledger.answer, outside: cancelling(cancelAt) });
      let last = play(plan, options(rounds[0]?.cancelAt ?? 0));
      for (const { other, cancelAt } of rounds) {
        if (last.run.status === 'succeeded') break;
        last = goOn(plan, last, options(cancelAt), other).next;
      }
      ledger.fate = () => ({ did: true });
      if (last.run.status !== 'succeeded') last = goOn(plan, last, options(0), false).next;
      expect(last.run.status).toBe('succeeded');
      expect([...ledger.times].filter(([, times]) => times > 1)).toEqual([]);
      const isTolerant = /collect|onError/.test(shape);
      expect(ledger.times.size).toBe(isTolerant ? ledger.times.size : refsIn(shape));
    }),
    { numRuns: 150, examples: [[setAsideDuringWrites]] },
  );
});

/** How many different writes the workflow makes. */
const refsIn = (shape: string): number => {
  const items = /forEach: (\[[\d, ]+\])/.exec(shape)?.[1] ?? (/repeat: \{ max: 2/.test(shape) ? '[1,2]' : '[1]');
  return (shape.match(/s\/write/g)?.length ?? 0) * (JSON.parse(items) as JsonObject[]).length;
};
