/** What holds for any workflow: it comes to an end, all of it; and it does not matter where its worker died. */
import { checkWorkflow, compile } from '@baton/language';
import { anyWorkflow, planOf, textResult } from '@baton/testing';
import { array, assert, constant, constantFrom, letrec, nat, oneof, option, property, record } from 'fast-check';
import { expect, test } from 'vitest';

import { type CallResult, type SimulatedCall, type SimulatedRun, play, playOn } from './play/play.ts';
import type { RunEvent } from './state/event.ts';
import { replay } from './state/evolve.ts';
import { rowOf } from './state/row.ts';
import { type Run, isEnded } from './state/run.ts';
import { type StepState, isOver } from './state/step.ts';

interface Node {
  readonly verb: 'tool' | 'fail' | 'set' | 'parallel' | 'race' | 'steps' | 'forEach' | 'switch' | 'repeat' | 'wait';
  readonly children: readonly Node[];
  /** Drawn once for each choice that a step leaves: needs, handlers, limits. */
  readonly dice: readonly number[];
}

const { step } = letrec<{ step: Node }>((tie) => ({
  step: record({
    verb: constantFrom(
      ...(['tool', 'tool', 'tool', 'set', 'wait', 'fail'] as const),
      ...(['parallel', 'race', 'steps', 'steps', 'forEach', 'switch', 'repeat'] as const),
    ),
    children: oneof(
      { maxDepth: 3, depthIdentifier: 'steps' },
      constant([]),
      array(tie('step'), { minLength: 1, maxLength: 3, depthIdentifier: 'steps' }),
    ),
    dice: array(nat(11), { minLength: 5, maxLength: 5 }),
  }),
}));

const program = array(step, { minLength: 1, maxLength: 4 });

/** As a document; ids are counted, and `needs` points at an earlier sibling. */
function documentOf(nodes: readonly Node[]): object {
  let count = 0;
  const written = (node: Node, before: readonly string[] = []): { id: string } => {
    const { verb, children, dice } = node;
    const id = `s${count++}`;
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = dice;
    const list = (): object[] => (children.length === 0 ? [{ set: { x: id } }] : children.map((one) => written(one)));
    const common = {
      id,
      ...(before.length > 0 && a % 2 === 0 ? { needs: [before[b % before.length]] } : {}),
      ...(c === 0 ? { onError: 'ignore' } : {}),
      ...(c === 1 ? { onError: [{ set: { handled: true } }] } : {}),
      ...(c === 2 ? { if: false } : {}),
    };
    switch (verb) {
      case 'tool':
        return {
          ...common,
          tool: 's/t',
          ...(d % 3 === 0 ? { undo: { tool: 's/undo' } } : {}),
          effect: effects[e % 3],
        } as never;
      case 'fail':
        return (d > 3 ? { ...common, set: { spared: true } } : { id, fail: `no ${id}` }) as never;
      case 'set':
        return { ...common, set: { x: a } } as never;
      case 'wait':
        return { ...common, wait: `${1 + b}s` } as never;
      case 'parallel': {
        const steps: { id: string }[] = [];
        const some = children.length === 0 ? [{ ...node, verb: 'set' as const }] : children;
        for (const one of some)
          steps.push(
            written(
              one,
              steps.map((other) => other.id),
            ),
          );
        return { ...common, parallel: steps, maxParallel: 1 + (d % 3) } as never;
      }
      case 'race':
        return { ...common, parallel: list(), until: 'first', maxParallel: 1 + (d % 3) } as never;
      case 'steps':
        return {
          ...common,
          steps: list(),
          ...(d % 2 === 0
            ? { finally: [e % 2 === 0 ? { tool: 's/free', effect: 'idempotent' } : { set: { free: true } }] }
            : {}),
          ...(d % 4 === 1 ? { undo: { tool: 's/undo' } } : {}),
          ...(e % 4 === 3 ? { timeout: '2s' } : {}),
        } as never;
      case 'forEach': {
        const more = {
          onItemError: d % 2 === 0 ? 'fail' : 'collect',
          maxParallel: 1 + (e % 3),
          distribute: a % 4 === 3,
        };
        return { ...common, forEach: Array.from({ length: b % 5 }, (_, i) => i), steps: list(), ...more } as never;
      }
      case 'switch':
        return {
          ...common,
          switch: [
            { when: `run.workflow == "${d % 2 === 0 ? 'any' : 'other'}"`, steps: list() },
            { else: [{ id: `${id}-case`, set: { other: true } }] },
          ],
        } as never;
      case 'repeat':
        return { ...common, repeat: { max: 1 + (d % 3), steps: list(), ...(e > 8 ? { every: '1s' } : {}) } } as never;
    }
  };
  const steps = nodes.map((node) => written(node));
  return { workflow: 'any', steps, finally: [{ id: 'last', tool: 's/last', effect: 'read' }], outputs: { ok: true } };
}

const effects = ['read', 'idempotent', 'write'] as const;

/** The same call always ends the same way. */
const answerFrom =
  (salt: number) =>
  ({ path, attempt }: SimulatedCall): CallResult => {
    const drawn = Array.from(`${salt}${path}#${attempt}`).reduce(
      (hash, sign) => (hash * 31 + sign.charCodeAt(0)) % 9973,
      7,
    );
    const takesMs = drawn % 17;
    if (drawn % 7 === 0) return { takesMs, failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' };
    if (drawn % 11 === 0) return { takesMs, failure: { code: 'timeout', message: 'Late.' }, delivery: 'unknown' };
    return { takesMs, result: textResult({ drawn }) };
  };

/** Every step that has begun, by its path. */
function stepsIn(run: Run): [string, StepState][] {
  const within = (steps: Iterable<[string, StepState]>, prefix: string): [string, StepState][] =>
    [...steps].flatMap(([key, state]) => [
      [prefix + key, state],
      ...[...state.frames].flatMap(([name, frame]) => within(frame.steps, `${prefix}${key}/${name}/`)),
    ]);
  return [...run.frames].flatMap(([root, frame]) => within(frame.steps, root === '@main' ? '' : `${root}/`));
}

const open = (run: Run): string[] =>
  stepsIn(run).flatMap(([path, state]) =>
    isOver(state) || state.status === 'unknown' ? [] : [`${path} is ${state.status}`],
  );

/** Each thing that the run waits for happens. */
const obliging = (run: Run): RunEvent[] =>
  stepsIn(run).flatMap(([path, state]): RunEvent[] => {
    if (state.status !== 'waiting' || state.arrived !== undefined) return [];
    const base = { at: run.at, by: 'ada' };
    const { awaiting } = state;
    if (awaiting.for === 'answer') return [{ ...base, type: 'question.answered', path, answer: { approve: true } }];
    return awaiting.for === 'signal' ? [{ ...base, type: 'signal.received', name: 'go', payload: { ok: true } }] : [];
  });

/** Whether the steps of the run succeeded; its `finally` does not count. */
const endedWell = (journal: readonly RunEvent[]): boolean => {
  const end = journal.find((event) => event.type === 'run.ending' || event.type === 'run.finished');
  return end?.status === 'succeeded';
};

/**
 * Goal: every run ends, and nothing in it is left as if it were still going on.
 * Method: random nests of all control verbs with needs, handlers, failing calls and undos, cancelled in some rounds.
 */
test('random graphs of steps end with every step in a terminal state', () => {
  assert(
    property(program, nat(999), option(nat(20)), (nodes, salt, cancelAt) => {
      const plan = planOf(JSON.stringify(documentOf(nodes)));
      const { run, journal } = play(plan, {
        answer: answerFrom(salt),
        outside: ({ at, cancel }, round) =>
          cancelAt !== null && cancel === undefined && round >= cancelAt
            ? [{ type: 'run.cancelRequested', at, by: 'ada' }]
            : [],
      });
      expect(isEnded(run)).toBe(true);
      expect(open(run)).toEqual([]);
      // A `finally` that fails spoils a success, and takes nothing back.
      expect(endedWell(journal) || run.undoable === undefined).toBe(true);
    }),
    { numRuns: 300, seed: 1 },
  );
});

/**
 * Goal: every workflow either has findings or runs to an end.
 * Method: random documents of every verb, most of them with mistakes; those without run, everything they wait for happens,
 * and calls and children end well or badly.
 */
test('any workflow that has no errors runs to an end', () => {
  let ran = 0;
  assert(
    property(anyWorkflow, nat(999), (document, salt) => {
      const { workflow } = checkWorkflow(JSON.stringify(document));
      if (workflow === undefined) return;
      ran += 1;
      const failure = { code: 'tool-failed', message: 'No.' } as const;
      const { run } = play(compile(workflow), {
        inputs: { n: salt % 5 },
        answer: answerFrom(salt),
        child: () => (salt % 2 === 0 ? { ok: true } : { status: 'failed', failure }),
        outside: obliging,
      });
      expect(isEnded(run)).toBe(true);
      expect(open(run)).toEqual([]);
    }),
    { numRuns: 400, seed: 1 },
  );
  expect(ran).toBeGreaterThan(50);
});

/**
 * Goal: a process that has others to serve may decide little by little, and comes to the same.
 * Method: the same runs, decided as far as it goes and one thing at a time.
 */
test('deciding in slices has the same result', () => {
  assert(
    property(program, nat(999), (nodes, salt) => {
      const document = { ...documentOf(nodes), outputs: { last: '${{ steps.?s0.?output }}' } };
      const plan = planOf(JSON.stringify(document));
      const [whole, hasty] = [false, true].map((decidesInSlices) =>
        play(plan, { answer: answerFrom(salt), decidesInSlices }),
      );
      const said = ({ run, calls }: SimulatedRun): unknown => [
        run.status,
        rowOf(run).outputs,
        rowOf(run).failure,
        calls.map(({ path, attempt }) => `${path}#${attempt}`).toSorted(),
      ];
      expect(hasty && said(hasty)).toEqual(whole && said(whole));
    }),
    { numRuns: 200, seed: 1 },
  );
});

/**
 * Goal: a journal says all there is to know, wherever it is cut off.
 * Method: workflows whose calls are reads, since a write that was cut off is unknown; another worker goes on from each
 * prefix, and the outcome is the same.
 */
test('replaying the journal at every prefix and going on gives the same outputs', () => {
  const harmless = (node: Node): Node => {
    const [a = 0, b = 0, c = 0, d = 0] = node.dice;
    return { ...node, dice: [a, b, c, d + 4, 0], children: node.children.map(harmless) };
  };
  assert(
    property(program, (nodes) => {
      const document = { ...documentOf(nodes.map(harmless)), outputs: { drawn: '${{ steps.s0.status }}' } };
      const plan = planOf(JSON.stringify(document));
      const answer = (): CallResult => ({ result: textResult({ n: 1 }) });
      const whole = play(plan, { answer });
      expect(replay(whole.run.id, whole.journal)).toEqual(whole.run);
      for (let cut = 1; cut < whole.journal.length; cut++) {
        const { run } = playOn(plan, whole.journal.slice(0, cut), { answer });
        expect([run.status, rowOf(run).outputs, rowOf(run).failure]).toEqual([
          whole.run.status,
          rowOf(whole.run).outputs,
          rowOf(whole.run).failure,
        ]);
      }
    }),
    { numRuns: 40, seed: 1 },
  );
});
