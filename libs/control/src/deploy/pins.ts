/** The pins of a definition: for each tool that it names, the definition that it was checked against. */
import {
  type DecidedEffect,
  type Declarations,
  type DeclaredCall,
  type ToolDeclaration,
  type Workflow,
  targetsOf,
  splitTarget,
} from '@baton/language';
import { defined } from '@baton/primitives';
import {
  type Drift,
  type LiveTool,
  type PinnedTool,
  type ServerPolicy,
  decideEffect,
  driftOf,
  driftText,
  keptDefinition,
  type Tool,
} from '@baton/protocol';
import type { Pin, Pins } from '@baton/store';

import type { ServerAnswer } from './catalogueCache.ts';

/** The effect by the operator and the server; the step's own `effect` overrides it. */
export function effectOf(name: string, tool: Tool | undefined, policy: ServerPolicy): DecidedEffect {
  const { effects, trust, idempotency } = policy;
  const decided = decideEffect({ tool: name, effects, trust, annotations: tool?.annotations });
  const isHonoured = typeof idempotency === 'object' ? takes(tool, idempotency.argument) : idempotency !== undefined;
  return isHonoured && idempotency !== undefined ? { ...decided, idempotency } : decided;
}

/** Whether the tool has this argument: an idempotency key in an unknown argument would have no effect. */
function takes(tool: Tool | undefined, argument: string): boolean {
  const { properties } = tool?.inputSchema ?? {};
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, argument);
}

export function pinnedTool(tool: Tool): PinnedTool {
  const definition = keptDefinition(tool);
  return { ...tool.digests, ...(definition === undefined ? {} : { definition }) };
}

/** A sentence for each tool that differs from the previous version's pin, unless the policy is to accept. */
export function driftSince(before: Pins, answers: ReadonlyMap<string, ServerAnswer>): ReadonlyMap<string, string> {
  const drifts = driftsIn(before, answers, ({ tools }) => tools !== 'accept');
  return new Map(drifts.map((drift) => [drift.tool, driftText(drift)]));
}

/** How tools differ from their pins, of servers that answered and whose policy counts. */
export function driftsIn(
  pins: Pins,
  answers: ReadonlyMap<string, ServerAnswer>,
  counts: (policy: ServerPolicy) => boolean,
): readonly Drift[] {
  const live = new Map<string, LiveTool | null>();
  for (const target of Object.keys(pins)) {
    const answer = answers.get(splitTarget(target)[0]);
    if (answer?.tools !== undefined && counts(answer.policy)) live.set(target, liveTool(answers, target) ?? null);
  }
  return driftOf(pins, live);
}

/** The tool of the target, `server/tool`; undefined where its server has none, or did not answer. */
export function liveTool(answers: ReadonlyMap<string, ServerAnswer>, target: string): Tool | undefined {
  const [server, tool] = splitTarget(target);
  return answers.get(server)?.tools?.find(({ name }) => name === tool);
}

export interface PinSources {
  readonly answers: ReadonlyMap<string, ServerAnswer>;
  /** The pins of the previous version. */
  readonly before: Pins;
  readonly declarations: Declarations;
}

/** For a server that did not answer, the pins of `before` still count. */
export function pinsOf(workflow: Workflow, { answers, before, declarations }: PinSources): Pins {
  const pins = targetsOf(workflow).flatMap(({ kind, server, name, isUndoneAsDeclared }): [string, Pin][] => {
    const answer = answers.get(server);
    if (kind !== 'tool' || name === undefined || answer === undefined) return [];
    const key = `${server}/${name}`;
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    if (answer.tools !== undefined || known === undefined) {
      const declared = usable(declarations(server, name));
      const undo = isUndoneAsDeclared === true ? declared.undo : undefined;
      const others = [...calledPins(server, declared.check, answer, true), ...calledPins(server, undo, answer)];
      return [...others, [key, { ...pinOf(name, answer), ...declared }]];
    }
    const others = [known.check, known.undo].flatMap((call): [string, Pin][] => {
      const called = `${server}/${call?.tool}`;
      const pin = Object.hasOwn(before, called) ? before[called] : undefined;
      return pin === undefined ? [] : [[called, pin]];
    });
    return [...others, [key, known]];
  });
  // Those that steps call come last, and replace those of checks.
  return Object.fromEntries(
    pins.toSorted(([, a], [, b]) => Number(b.isForChecks === true) - Number(a.isForChecks === true)),
  );
}

export function pinOf(name: string, { tools, policy }: ServerAnswer): Pin {
  const tool = tools?.find((one) => one.name === name);
  return { ...effectOf(name, tool, policy), ...(tool && pinnedTool(tool)) };
}

const usable = ({ check, undo }: ToolDeclaration = {}): ToolDeclaration => defined({ check, undo });

/** The pin of the tool that a declared check or undo calls. */
const calledPins = (
  server: string,
  call: DeclaredCall | undefined,
  answer: ServerAnswer,
  isForChecks = false,
): readonly [string, Pin][] =>
  call === undefined
    ? []
    : [[`${server}/${call.tool}`, { ...pinOf(call.tool, answer), ...(isForChecks && { isForChecks }) }]];
