import { type Type, types, quoted, didYouMean } from '@baton/expressions';

import { type PlacedStep, placed } from '../document/inner.ts';
import { type StepDocument, isGroup } from '../document/step.ts';
import type { CheckRun, CheckStep } from './checkRun.ts';
import { type CheckScope, type StepsInScope, atMost, withSteps } from './scope.ts';
import type { InnerResult } from './stepType.ts';

type Graph = ReadonlyMap<string, PlacedStep>;

/** Children see the steps before the block, and the siblings that they need. */
export function checkParallel(
  checking: CheckRun,
  step: Extract<StepDocument, { parallel: unknown }>,
  pointer: string,
  scope: CheckScope,
  checkStep: CheckStep,
): InnerResult {
  const children = placed(step.parallel, `${pointer}/parallel`);
  const byId: Graph = new Map(
    children.flatMap((child) => (child.step.id === undefined ? [] : [[child.step.id, child]])),
  );
  for (const child of children) checkNeeds(checking, child, byId);
  reportCycles(checking, byId);
  const done = new Map<PlacedStep, StepsInScope>();
  const visit = (child: PlacedStep, above: readonly PlacedStep[]): void => {
    if (done.has(child) || above.includes(child)) return;
    const needed = neededBy(child, byId);
    for (const one of needed) visit(one, [...above, child]);
    const seen = allNeededBy(child, byId).flatMap((one) => [...(done.get(one) ?? [])]);
    done.set(child, checkStep(checking, child, withSteps(scope, seen)));
  };
  for (const child of children) visit(child, []);
  const all = new Map([...done.values()].flatMap((steps) => [...steps]));
  if (step.until === undefined) return { shown: {}, steps: all };
  checkRace(checking, children);
  // With `maxParallel: 1`, no step begins after another has won.
  if (step.maxParallel !== 1 && children.length > 1) checkRacingWrites(checking, pointer);
  const first = types.union([types.nothing, ...children.map((child) => answerOf(child, all))]);
  return { shown: { first }, steps: atMost('branch', all) };
}

function checkRace({ report }: CheckRun, children: readonly PlacedStep[]): void {
  for (const { step, pointer } of children) {
    if (step.needs === undefined) continue;
    const message = 'With `until: first` each step is for itself, and this one waits for another.';
    const hint = 'put steps that follow each other into one group: `steps: […]`';
    report({ code: 'conflicting-keys', pointer: `${pointer}/needs`, at: 'key', message, hint });
  }
}

function checkRacingWrites({ report, writes, stateWrites }: CheckRun, race: string): void {
  const all = [
    ...[...writes].map((pointer) => [pointer, 'tool']),
    ...[...stateWrites].map((pointer) => [pointer, 'state']),
  ];
  for (const [pointer = '', key] of all) {
    if (!pointer.startsWith(`${race}/parallel/`)) continue;
    report({
      code: 'write-in-race',
      pointer: `${pointer}/${key}`,
      message:
        key === 'tool'
          ? 'This write may happen although another step of the race wins; what was sent is not taken back.'
          : 'This state may be written although another step of the race wins, and stays as it was written.',
      hint: 'race steps that read, and write after the race; or try one after the other with `maxParallel: 1`',
    });
  }
}

/** The result of the first step that succeeds: its output; for a group, that of its last step. */
function answerOf({ step, pointer }: PlacedStep, all: StepsInScope): Type {
  const last = isGroup(step) ? step.steps.at(-1) : undefined;
  if (last !== undefined) return answerOf({ step: last, pointer }, all);
  const type = all.get(step.id ?? '')?.type;
  return (type?.kind === 'map' ? type.fields.get('output')?.type : undefined) ?? types.any;
}

function neededBy({ step }: PlacedStep, byId: Graph): PlacedStep[] {
  return (step.needs ?? []).flatMap((id) => byId.get(id) ?? []);
}

/** Includes what the needed ones need. */
function allNeededBy(child: PlacedStep, byId: Graph): PlacedStep[] {
  const all = new Set<PlacedStep>();
  const add = (one: PlacedStep): void => {
    if (one === child || all.has(one)) return;
    all.add(one);
    neededBy(one, byId).forEach(add);
  };
  neededBy(child, byId).forEach(add);
  return [...all];
}

function checkNeeds({ report }: CheckRun, { step, pointer }: PlacedStep, byId: Graph): void {
  step.needs?.forEach((id, i) => {
    if (byId.has(id)) return;
    report({
      code: 'unknown-need',
      pointer: `${pointer}/needs/${i}`,
      message: `There is no step ${quoted(id)} beside this one.`,
      expected: byId.size === 0 ? 'an id of a sibling' : [...byId.keys()].join(', '),
      found: id,
      hint: didYouMean(id, byId.keys()),
    });
  });
}

/** Each cycle once, as the path that it is. */
function reportCycles({ report }: CheckRun, byId: Graph): void {
  const settled = new Set<string>();
  const follow = (id: string, path: readonly string[]): void => {
    const from = path.indexOf(id);
    if (from >= 0) {
      const cycle = [...path.slice(from), id];
      const first = byId.get(id);
      const isNew = cycle.every((one) => !settled.has(one));
      cycle.forEach((one) => settled.add(one));
      const at = first === undefined ? '' : `${first.pointer}/needs`;
      const message =
        id === path.at(-1)
          ? `The step ${quoted(id)} needs itself.`
          : `The steps need each other: ${cycle.join(' → ')}.`;
      if (isNew) report({ code: 'needs-cycle', pointer: at, at: 'key', message });
      return;
    }
    if (settled.has(id)) return;
    for (const next of byId.get(id)?.step.needs ?? []) follow(next, [...path, id]);
    settled.add(id);
  };
  for (const id of byId.keys()) follow(id, []);
}
