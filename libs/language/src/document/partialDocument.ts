/**
 * A document without the parts that its schema refuses.
 *
 * All mistakes should be reported at once, so the rest is checked as if the broken parts were valid: a broken step
 * becomes a step about which nothing is known but its id.
 */
import { pointerTo, segmentsOf } from '@baton/expressions';
import { isObject } from '@baton/primitives';

import type { CorrectedDocument } from './applyCorrections.ts';
import { type NameForm, respell } from './nameForms.ts';
import { isHandler } from './step.ts';
import { type Mutable, type MutableMap, at, innermostStep } from './tree.ts';
import { type Workflow, WorkflowSchema } from './workflow.ts';

export interface Draft extends Pick<CorrectedDocument, 'untyped' | 'written'> {
  readonly workflow: Workflow;
  /** Pointers of removed steps, keys and top-level parts: nothing is known about them. */
  readonly opaque: ReadonlySet<string>;
}

/** A document without mistakes. */
export const whole = (workflow: Workflow): Draft => ({
  workflow,
  opaque: new Set(),
  untyped: new Set(),
  written: (pointer) => pointer,
});

const placeholderId = 'unnamed';
/** A handler that causes no finding, also not about the handlers after it. */
const anyHandler = { match: ['cancelled'], steps: [] };

/** Undefined if nothing worth checking is left. */
export function validParts({ document, left: problems, untyped, written }: CorrectedDocument): Draft | undefined {
  const copy = structuredClone(document) as Mutable;
  if (!isObject(copy)) return undefined;
  const opaque = new Set<string>();
  // Keys first: removing a step would hide its keys.
  for (const { code, pointer } of problems) if (isKeyProblem(code)) removeKey(copy, segmentsOf(pointer));
  for (const { code, pointer } of problems) if (!isKeyProblem(code)) replace(copy, segmentsOf(pointer), opaque);
  if (!('workflow' in copy)) copy['workflow'] = placeholderId;
  if (!('steps' in copy)) copy['steps'] = [{ set: {} }];
  // Removing unknown keys may empty a step, and removing a broken step may empty a handler.
  for (let round = 0; round < roundsMax; round++) {
    const { success, error } = WorkflowSchema.safeParse(copy);
    if (success) return { workflow: copy as unknown as Workflow, opaque, untyped, written };
    for (const { path } of error.issues) replace(copy, path.map(String), opaque);
  }
  return undefined;
}

const roundsMax = 3;

const isKeyProblem = (code: string): boolean => code === 'unknown-key' || code === 'key-not-for-verb';

/** Removes the key, and each map around it that becomes empty. */
function removeKey(root: Mutable, segments: readonly string[]): void {
  const parent = at(root, segments.slice(0, -1));
  if (!isObject(parent)) return;
  delete parent[segments.at(-1) ?? ''];
  if (Object.keys(parent).length === 0 && segments.length > 1) removeKey(root, segments.slice(0, -1));
}

/** Keys of a step that can be removed without changing the meaning of the rest. */
const harmless = new Set([
  'title',
  'timeout',
  'retry',
  'maxParallel',
  'onItemError',
  'distribute',
  'effect',
  'key',
  'budget',
  'undo',
  'ensure',
  'until',
  'finally',
  'await',
  'ifUnchanged',
]);

/** Keys whose value does not change the meaning of the rest of the step, each with a valid value. */
const blanks: MutableMap = {
  tool: 'any/any',
  prompt: 'any/any',
  resource: 'any',
  workflow: 'any',
  ask: 'any',
  fail: 'any',
  forEach: [],
  expires: '1m',
  ifUnknown: 'check',
  onError: 'ignore',
};

const namedBy: Readonly<Record<string, NameForm>> = { id: 'step', as: 'item' };

/** Gives the step the nearest valid name, so that the rest of it is checked. False: there is none. */
function respellIn(step: MutableMap, key: string | undefined): boolean {
  const form = key === undefined ? undefined : namedBy[key];
  const written = form === undefined ? undefined : step[key ?? ''];
  const near = form !== undefined && typeof written === 'string' ? respell(form, written) : undefined;
  if (near !== undefined) step[key ?? ''] = near;
  return near !== undefined;
}

function replace(root: MutableMap, segments: readonly string[], opaque: Set<string>): void {
  const depth = innermostStep(segments);
  const [top = '', index] = segments;
  const triggers = root['on'];
  if (top === 'on' && index !== undefined && Array.isArray(triggers)) {
    triggers[Number(index)] = { tool: {} };
    opaque.add(pointerTo([top, index]));
    return;
  }
  if (depth === undefined) {
    opaque.add(pointerTo([top]));
    delete root[top];
    return;
  }
  const parent = at(root, segments.slice(0, depth));
  const key = segments[depth] ?? '';
  if (!Array.isArray(parent)) return;
  const broken = parent[Number(key)];
  const part = segments[depth + 1];
  if (isObject(broken) && part !== undefined && harmless.has(part)) {
    delete broken[part];
    return;
  }
  if (isObject(broken) && part !== undefined && Object.hasOwn(blanks, part) && segments.length === depth + 2) {
    broken[part] = structuredClone(blanks[part] ?? null);
    opaque.add(pointerTo(segments));
    return;
  }
  if (isObject(broken) && segments.length === depth + 2 && respellIn(broken, part)) {
    opaque.add(pointerTo(segments));
    return;
  }
  const id = isObject(broken) ? broken['id'] : undefined;
  const step = typeof id === 'string' && /^[A-Za-z_]\w*$/.test(id) ? { id, set: {} } : { set: {} };
  const isOfHandlers = segments[depth - 1] === 'onError' && isObject(broken) && isHandler(broken);
  parent[Number(key)] = isOfHandlers ? { ...anyHandler } : step;
  opaque.add(pointerTo(segments.slice(0, depth + 1)));
}
