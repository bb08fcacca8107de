/**
 * Decides whether a deployed workflow can go on with tools that have changed, without a person. It can, where what was
 * proved when it was deployed is proved again, every recorded answer fits what the tool promises now, and no tool became
 * more dangerous. Schemas and answers are untrusted: this is the work of a checking thread.
 */
import {
  type ChangedTool,
  type CheckOptions,
  type OfferedTool,
  type Unproven,
  compileTriggers,
  effectStrength,
  parseWorkflow,
  proveDrift,
  splitTarget,
} from '@baton/language';
import { type JsonObject, isObject, isSameJson, membersOf } from '@baton/primitives';
import { type Drift, type Tool, checkStructured, driftText, isBlocking } from '@baton/protocol';
import type { Pin, Pins } from '@baton/store';

import type { ServerAnswer } from '../catalogueCache.ts';
import { driftsIn, effectOf, liveTool, pinnedTool } from '../pins.ts';
import { type ScheduleParts, schedulePartsOf } from '../placedTriggers.ts';

/** How a tool answered in a run. */
export interface SeenAnswer {
  /** `server/tool` */
  readonly tool: string;
  readonly runId: string;
  readonly path: string;
  /** Undefined: it is too large to be compared. */
  readonly result: JsonObject | undefined;
}

export interface ToolsProof {
  /** What differs, a sentence for each tool. */
  readonly changes: readonly string[];
  /** Why the workflow cannot go on; empty: it can. */
  readonly unproven: readonly Unproven[];
  /** With the tools as they are now. */
  readonly pins: Pins;
  /** How many recorded answers were compared. */
  readonly answers: number;
  readonly schedules: readonly ScheduleParts[];
}

interface ProofParts {
  readonly text: string;
  readonly pins: Pins;
  readonly answers: readonly SeenAnswer[];
  readonly asked: ReadonlyMap<string, ServerAnswer>;
  /** What a check of the workflow knows; its `servers` are those of now. */
  readonly options: CheckOptions;
}

/**
 * The tools behind the pins whose contract has changed; none where one of them is of a server whose policy is `exact`: a
 * version with the others pinned anew could not start either.
 */
export function provableDrifts(pins: Pins, asked: ReadonlyMap<string, ServerAnswer>): readonly Drift[] {
  const all = driftsIn(pins, asked, ({ tools }) => isBlocking(tools));
  // Nothing waits for the tools of declared checks: those checks are not made until the next deploy.
  const drifts = all.filter(({ kind, isForChecks }) => kind !== 'text' && isForChecks !== true);
  return drifts.some(({ tool }) => asked.get(splitTarget(tool)[0])?.policy.tools === 'exact') ? [] : drifts;
}

export function proveTools({ text, pins, answers, asked, options }: ProofParts): ToolsProof {
  const drifts = provableDrifts(pins, asked);
  const changed = new Map<string, ChangedTool>();
  const renewed: [string, Pin][] = [];
  const unproven: Unproven[] = [];
  for (const { tool: key } of drifts) {
    const [pin, tool, policy] = [pins[key], liveTool(asked, key), asked.get(splitTarget(key)[0])?.policy];
    if (pin === undefined || policy === undefined) continue;
    const doubt = tool === undefined ? `${key} is gone.` : doubtOf(key, pin, tool, policy);
    const { contract: _contract, text: _text, definition: before, ...kept } = pin;
    if (doubt !== undefined) unproven.push(atWhole(doubt));
    if (doubt !== undefined || tool === undefined || before === undefined) continue;
    changed.set(key, { before: { ...before, name: tool.name } as OfferedTool, now: tool });
    renewed.push([key, { ...kept, ...pinnedTool(tool) }]);
  }
  if (drifts.length > 0) unproven.push(...declarationDoubts(pins, asked, options));
  if (unproven.length === 0) unproven.push(...proveDrift(text, changed, withPinnedEffects(options, pins)));
  unproven.push(...answerDoubts(changed, answers));
  const { workflow } = parseWorkflow(text);
  return {
    changes: drifts.map(driftText),
    unproven,
    pins: { ...pins, ...Object.fromEntries(renewed) },
    answers: answers.filter(({ tool }) => changed.has(tool)).length,
    schedules: workflow === undefined ? [] : schedulePartsOf(compileTriggers(workflow)),
  };
}

const atWhole = (message: string): Unproven => ({ path: '', line: 1, message });

/** What no check of the workflow can prove: undefined where there is nothing of the kind. */
function doubtOf(key: string, pin: Pin, tool: Tool, policy: ServerAnswer['policy']): string | undefined {
  if (pin.definition === undefined) return `What ${key} was when the workflow was checked was not kept.`;
  const { effect, idempotency } = effectOf(tool.name, tool, policy);
  if (effectStrength[effect] > effectStrength[pin.effect])
    return `The effect of ${key} was \`${pin.effect}\`, and is \`${effect}\`.`;
  if (pin.idempotency !== undefined && !isSameJson(pin.idempotency, idempotency))
    return `${key} does not take the idempotency key as it did.`;
  const [before, now] = [membersOf(pin.definition.annotations), membersOf(tool.annotations)];
  const hint = mildHints.find((name) => before[name] === false && now[name] !== false);
  return hint && `${key} does not say \`${hint}: false\` of itself any more.`;
}

/** The calls of declared checks and undos are in no workflow: each must still be usable, and be what the pin has. */
function declarationDoubts(
  pins: Pins,
  asked: ReadonlyMap<string, ServerAnswer>,
  { declarations }: CheckOptions,
): readonly Unproven[] {
  return Object.entries(pins).flatMap(([key, pin]) => {
    if (asked.get(splitTarget(key)[0])?.tools === undefined) return [];
    const declared = declarations?.(...splitTarget(key));
    return (['check', 'undo'] as const).flatMap((part): Unproven[] => {
      const isAsPinned = isSameJson(pin[part], declared?.[part]);
      if (pin[part] === undefined || isAsPinned) return [];
      const why = declared?.unusable?.[part] ?? 'The configuration of the server declares another one.';
      return [atWhole(`The declared \`${part}\` of ${key} is not what it was. ${why}`)];
    });
  });
}

/** By MCP their default is the dangerous one. */
const mildHints = ['destructiveHint', 'openWorldHint'] as const;

/** Both checks of a proof go by the effects that the workflow was deployed with. */
const withPinnedEffects = (options: CheckOptions, pins: Pins): CheckOptions => ({
  ...options,
  effects: (server, tool) => {
    const key = `${server}/${tool}`;
    return Object.hasOwn(pins, key) ? pins[key] : options.effects?.(server, tool);
  },
});

/** One for each tool. */
function answerDoubts(changed: ReadonlyMap<string, ChangedTool>, answers: readonly SeenAnswer[]): readonly Unproven[] {
  return [...changed].flatMap(([key, { before, now }]): Unproven[] => {
    const { outputSchema } = now;
    if (!isObject(outputSchema)) return [];
    const own = answers.filter(({ tool }) => tool === key);
    if (own.length === 0 && before.outputSchema === undefined)
      return [atWhole(`${key} describes its answers now, and none is recorded that it could be compared with.`)];
    for (const { result, runId, path } of own) {
      const answer = `The answer of ${key} to ${path} in the run ${runId}`;
      if (result === undefined) return [atWhole(`${answer} is too large to be compared.`)];
      const compared = checkStructured(result, outputSchema);
      if ('problem' in compared)
        return [atWhole(`${answer} does not fit any more: ${compared.problem.replace(/\.$/, '')}.`)];
    }
    return [];
  });
}
