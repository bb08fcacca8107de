/**
 * A workflow in a few lines, what its servers answer, and what became of it: how the run ended, and the
 * ledger of the calls that its servers got, in their order.
 */
import { type CallResult, type PlayOptions, type RunEvent, type SimulatedCall, play, rowOf } from '@baton/engine';
import type { Json, JsonObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import { planOf } from './planOf.ts';

/** To a call: a value that it gives, or a way in which it goes wrong; `takesMs` as in `CallResult`. */
type ScriptedAnswer =
  | { readonly gives: Json; readonly takesMs?: number }
  | { readonly fails: string; readonly takesMs?: number; readonly delivery?: 'unsent' | 'rejected' | 'unknown' }
  | 'hangs'
  | 'worker dies';

export interface Behaviour {
  /** Without its name: `steps:` and what else there is. */
  readonly file: string;
  readonly inputs?: JsonObject;
  /** By `server/tool`: the answers to its calls, in turn, the last one again and again. Others answer `{}`. */
  readonly servers?: Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>;
  readonly child?: PlayOptions['child'];
  readonly childrenHang?: boolean;
  /** What happens from outside in which round. */
  readonly outside?: Readonly<Record<number, RunEvent>>;
  /** Default: succeeded. A failed run: the code of its failure. */
  readonly ends?: 'succeeded' | 'cancelled' | (string & {});
  readonly outputs?: Json;
  /** `server/tool`, and the arguments as JSON where there are any. */
  readonly ledger: readonly string[];
}

const at = 1_700_000_000_000;

export const cancel: RunEvent = { type: 'run.cancelRequested', at, by: 'ada' };

export const signal = (name: string, payload: Json = null): RunEvent => ({
  type: 'signal.received',
  at,
  name,
  payload,
  by: 'ada',
});

export const answer = (path: string, given: Json): RunEvent => ({
  type: 'question.answered',
  at,
  path,
  answer: given,
  by: 'ada',
});

/** One test for each: its name says what is to be seen. */
export function behaves(behaviours: Readonly<Record<string, Behaviour>>): void {
  test.each(Object.entries(behaviours))('%s', (_, behaviour) => {
    const { ends = 'succeeded', outputs, ledger } = behaviour;
    const expected = { ends, ledger, ...(outputs === undefined ? {} : { outputs }) };
    expect(shown(behaviour, outputs !== undefined)).toEqual(expected);
  });
}

function shown(behaviour: Behaviour, withOutputs: boolean): unknown {
  const { file, inputs, child, childrenHang, outside } = behaviour;
  const turns = new Map<string, number>();
  const { run, calls } = play(planOf(`workflow: w\n${file}`), {
    ...(inputs && { inputs }),
    ...(child && { child }),
    ...(childrenHang && { childrenHang }),
    answer: (made) => answerTo(behaviour, turns, made),
    outside: (now, round) => {
      const event = outside?.[round];
      return event === undefined ? [] : [{ ...event, at: now.at }];
    },
  });
  const { status, failure, outputs } = rowOf(run);
  return {
    ends: status === 'failed' ? failure?.code : status,
    ledger: calls.map(({ target, arguments: given }) =>
      Object.keys(given).length === 0 ? target : `${target} ${JSON.stringify(given)}`,
    ),
    ...(withOutputs ? { outputs: outputs && 'json' in outputs ? outputs.json : undefined } : {}),
  };
}

function answerTo({ servers = {} }: Behaviour, turns: Map<string, number>, { target }: SimulatedCall): CallResult {
  const turn = turns.get(target) ?? 0;
  turns.set(target, turn + 1);
  const said = servers[target] ?? { gives: {} };
  const list: readonly ScriptedAnswer[] = isList(said) ? said : [said];
  return resultOf(list[Math.min(turn, list.length - 1)] ?? { gives: {} });
}

const isList = (said: ScriptedAnswer | readonly ScriptedAnswer[]): said is readonly ScriptedAnswer[] =>
  Array.isArray(said);

function resultOf(said: ScriptedAnswer): CallResult {
  if (said === 'worker dies') return { workerDies: true };
  if (said === 'hangs') return { takesMs: Infinity, result: {} };
  const { takesMs = 1 } = said;
  if ('gives' in said) return { takesMs, result: { content: [{ type: 'text', text: JSON.stringify(said.gives) }] } };
  return { takesMs, failure: { code: said.fails, message: 'No.' }, delivery: said.delivery ?? 'answered' };
}
