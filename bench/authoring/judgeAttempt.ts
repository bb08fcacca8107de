/** Whether a workflow does what its task asks for: checked against the servers, and played with each case. */
import { type Run, type RunEvent, type SimulatedCall, failureCodes, play, stateAt } from '@baton/engine';
import { validateInputs } from '@baton/expressions';
import { type Plan, type ServerOffer, checkWorkflow, compile } from '@baton/language';
import { type Json, type JsonObject, canonicalJson, isObject } from '@baton/primitives';

import type { AuthoringTask, TaskCase } from './task.ts';

export interface Judged {
  readonly isRight: boolean;
  /** What the author is told: the findings, and nothing of the hidden cases. */
  readonly findings: readonly string[];
  /** For those who look at the benchmark. */
  readonly why: readonly string[];
}

export function judgeAttempt(task: AuthoringTask, source: string): Judged {
  const { findings, workflow } = checkWorkflow(source, {
    servers: offersOf(task),
    failureCodes: Object.keys(failureCodes),
  });
  const errors = findings
    .filter(({ severity }) => severity === 'error')
    .map(({ line, message, hint }) => `line ${line}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
  if (workflow === undefined || errors.length > 0) return { isRight: false, findings: errors, why: errors };
  const effects = new Map(task.tools.map(({ name, effect }) => [name, effect]));
  const plan = compile(workflow, {
    effects: (server, tool) => ({ effect: effects.get(`${server}/${tool}`) ?? 'write', from: 'server' }),
  });
  const why = task.cases.flatMap((one, at) =>
    differencesIn(task, plan, one).map((difference) => `case ${at + 1}: ${difference}`),
  );
  return { isRight: why.length === 0, findings: [], why };
}

function offersOf({ tools }: AuthoringTask): ReadonlyMap<string, ServerOffer> {
  const servers = new Map<string, Extract<ServerOffer, { kind: 'known' }>>();
  for (const { name: target, ...tool } of tools) {
    const [server = '', name = ''] = target.split('/');
    const before = servers.get(server)?.tools ?? [];
    const { inputSchema, outputSchema } = tool;
    const offered = { name, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
    servers.set(server, {
      kind: 'known',
      tools: [...before, offered],
      prompts: [],
      resources: [],
      resourceTemplates: [],
    });
  }
  return servers;
}

function differencesIn(task: AuthoringTask, plan: Plan, one: TaskCase): readonly string[] {
  const { inputs, errors } = validateInputs(plan, one.inputs);
  if (inputs === undefined) return errors.map(({ message }) => message);
  const reads = new Set(task.tools.filter(({ effect }) => effect === 'read').map(({ name }) => name));
  const { run, calls } = play(plan, {
    inputs,
    answer: (made) => answerTo(one, made),
    outside: (now) => saidIn(one, now),
  });
  if (run.status !== 'succeeded') return [`the run ${run.status}`];
  const made = calls
    .filter(({ target }) => !reads.has(target))
    .map(({ target, arguments: given }) => canonicalJson([target, given]));
  const wanted = one.calls.map(({ target, with: given }) => canonicalJson([target, given]));
  const missing = wanted.filter((call) => !made.includes(call)).map((call) => `not called: ${call}`);
  const more = made.filter((call) => !wanted.includes(call)).map((call) => `called: ${call}`);
  return [
    ...missing,
    ...more,
    ...(made.length === wanted.length ? [] : [`${made.length} writes, not ${wanted.length}`]),
  ];
}

function answerTo({ answers, failing = [] }: TaskCase, { target, arguments: given }: SimulatedCall) {
  if (failing.includes(target))
    return { failure: { code: 'tool-failed', message: 'There is none.' }, delivery: 'answered' as const };
  const answer = answers[target] ?? {};
  const value = isChoice(answer)
    ? (answer.each[JSON.stringify(given[answer.by] ?? '').replaceAll('"', '')] ?? {})
    : (answer as Json);
  const structured = isObject(value) ? { structuredContent: value } : {};
  return { result: { content: [{ type: 'text', text: JSON.stringify(value) }], ...structured } as JsonObject };
}

const isChoice = (answer: TaskCase['answers'][string]): answer is { by: string; each: Record<string, Json> } =>
  isObject(answer) && 'by' in answer && 'each' in answer;

/** Every question is answered. */
function saidIn({ says }: TaskCase, run: Run): readonly RunEvent[] {
  for (const [, frame] of run.frames) {
    for (const [path] of frame.steps) {
      const state = stateAt(run, path);
      if (
        says === undefined ||
        state?.status !== 'waiting' ||
        state.awaiting.for !== 'answer' ||
        state.arrived !== undefined
      )
        continue;
      return [{ type: 'question.answered', at: run.at, path, answer: says, by: 'a person' }];
    }
  }
  return [];
}
