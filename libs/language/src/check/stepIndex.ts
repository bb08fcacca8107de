/** The place of every step with an id, to say why a step cannot be read from a place. */
import { type InnerKind, type PlacedStep, innerLists, placed, readsOf } from '../document/inner.ts';
import type { Workflow } from '../document/workflow.ts';
import { stepRef } from './scope.ts';

/** A list of steps that contains a step. */
interface StepContainer {
  readonly kind: InnerKind | 'root';
  readonly pointer: string;
  readonly owner: PlacedStep | undefined;
}

export interface StepLocation extends PlacedStep {
  /** From the outside in. */
  readonly containers: readonly StepContainer[];
}

export interface StepIndex {
  readonly all: readonly StepLocation[];
  readonly byId: ReadonlyMap<string, readonly StepLocation[]>;
}

const roots = ['steps', 'onFailure', 'finally'] as const;

export function indexSteps(workflow: Workflow): StepIndex {
  const inRoot = (pointer: string, steps: readonly PlacedStep[]): readonly StepLocation[] =>
    locate(steps, [{ kind: 'root', pointer, owner: undefined }]);
  const all = roots.flatMap((root) => [
    ...inRoot(`/${root}`, placed(workflow[root] ?? [], `/${root}`)),
    ...(root === 'steps' ? inRoot('/ensure', readsOf(workflow.ensure ?? [], '/ensure')) : []),
  ]);
  const byId = Map.groupBy(
    all.filter(({ step }) => step.id !== undefined),
    ({ step }) => step.id ?? '',
  );
  return { all, byId };
}

function locate(steps: readonly PlacedStep[], containers: readonly StepContainer[]): StepLocation[] {
  return steps.flatMap((owner) => [
    { ...owner, containers },
    ...innerLists(owner.step, owner.pointer).flatMap(({ kind, pointer, steps: inner }) =>
      locate(inner, [...containers, { kind, pointer, owner }]),
    ),
  ]);
}

/** Lists whose steps live in a frame of their own; the others share the frame around them. */
const framed = new Set<StepContainer['kind']>(['root', 'forEach', 'repeat', 'handler', 'undo', 'finally']);

/** The pointer of the list whose frame has the step. */
export const frameOf = ({ containers }: StepLocation): string =>
  containers.findLast(({ kind }) => framed.has(kind))?.pointer ?? '';

/** Both are in one `switch`, in different cases: only one of them runs. */
export const areAlternatives = (a: StepLocation, b: StepLocation): boolean =>
  a.containers.some(
    ({ kind, pointer, owner }, i) =>
      kind === 'case' && b.containers[i]?.owner?.pointer === owner?.pointer && b.containers[i]?.pointer !== pointer,
  );

/** True if the step is in the handler of a step with the same id, and replaces it. */
export function replacesFailedStep({ step, containers }: StepLocation): boolean {
  const holder = containers.at(-1);
  return holder?.kind === 'handler' && holder.owner?.step.id === step.id;
}

const isWithin = (pointer: string, list: string): boolean => pointer === list || pointer.startsWith(`${list}/`);

/** Why the step there cannot be read from here, and what to do about it. */
export function whyNot(
  id: string,
  there: StepLocation,
  here: string,
): { readonly code: 'step-not-visible' | 'step-not-run-yet'; readonly reason: string; readonly hint?: string } {
  if (isWithin(here, there.pointer)) return { code: 'step-not-run-yet', reason: 'it is the step itself' };
  const closed = there.containers.find(
    ({ kind, pointer }) => framed.has(kind) && kind !== 'root' && !isWithin(here, pointer),
  );
  if (closed !== undefined) return { code: 'step-not-visible', ...hidden(id, closed) };
  const apart = there.containers.find(({ pointer }) => !isWithin(here, pointer));
  if (apart?.kind === 'case') return { code: 'step-not-visible', reason: 'it lies in another case' };
  const shared = there.containers.findLast(({ kind, pointer }) => kind === 'parallel' && isWithin(here, pointer));
  const isBeside = shared !== undefined && !isSameChild(shared.pointer, there.pointer, here);
  if (isBeside)
    return {
      code: 'step-not-run-yet',
      reason: 'it runs beside this one',
      hint: `\`needs: [${id}]\` makes it run before`,
    };
  if (there.containers[0]?.pointer !== `/${here.split('/')[1]}`)
    return { code: 'step-not-visible', reason: 'it belongs to another part of the file' };
  return { code: 'step-not-run-yet', reason: 'it runs after this one' };
}

const isSameChild = (list: string, one: string, other: string): boolean =>
  one.slice(list.length + 1).split('/')[0] === other.slice(list.length + 1).split('/')[0];

function hidden(id: string, { kind, owner }: StepContainer): { readonly reason: string; readonly hint?: string } {
  const ownerId = owner?.step.id;
  if (kind === 'forEach') {
    const reason = 'it lies inside a `forEach`, and each item has its own';
    return {
      reason,
      hint:
        ownerId === undefined
          ? 'give the forEach an id, and `collect` what is needed'
          : `\`${stepRef(ownerId)}.output\` has what each item collected`,
    };
  }
  if (kind === 'repeat') {
    const reason = 'it lies inside a `repeat`, and each round has its own';
    return {
      reason,
      ...(ownerId === undefined ? {} : { hint: `\`${stepRef(ownerId)}.${stepRef(id)}\` is that of the last round` }),
    };
  }
  const hint =
    kind === 'handler' && ownerId !== undefined
      ? `give it the id "${ownerId}" in order to read it as \`${stepRef(ownerId)}\``
      : undefined;
  const list = kind === 'undo' || kind === 'finally' ? kind : 'onError';
  return { reason: `it lies inside ${/^[aeiou]/.test(list) ? 'an' : 'a'} \`${list}\``, ...(hint && { hint }) };
}
