/** The usable parts of a broken document: a text in an editor is nearly always broken. */
import { childOf } from '@baton/expressions';
import { applyCorrections, type Draft, validParts, whole, type Workflow, WorkflowSchema } from '@baton/language';
import type { Json } from '@baton/primitives';

/** Undefined if no usable part is left. */
export function draftOf(value: Json): Draft | undefined {
  // The document itself and not zod's copy: keys keep their order.
  if (WorkflowSchema.safeParse(value).success) return whole(value as unknown as Workflow);
  return validParts(applyCorrections(value));
}

/** The pointer in the draft for a pointer in the author's text. */
export function inDraft({ written, workflow }: Draft, pointer: string): string {
  if (written(pointer) === pointer) return pointer;
  return pointersIn(workflow as unknown as Json, '').find((one) => written(one) === pointer) ?? pointer;
}

const pointersIn = (value: Json, pointer: string): string[] =>
  typeof value !== 'object' || value === null
    ? [pointer]
    : [pointer, ...Object.entries(value).flatMap(([key, one]) => pointersIn(one, childOf(pointer, key)))];
