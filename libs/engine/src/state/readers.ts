/** What expressions of a compiled workflow read. */
import type { References } from '@baton/expressions';
import { type Plan, rootBlocks } from '@baton/language';

/** Every object in a compiled workflow, except those inside expressions and templates. */
export function* objectsIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  if ('evaluate' in value) return;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** What each expression and template in it reads. */
export const referencesOf = (value: unknown): readonly References[] =>
  [...objectsIn(value)].filter((one): one is References & object => 'evaluate' in one);

/** Keys of the steps, not those inside of them, in which something reads `steps.<id>`; `outputs`: those of the workflow. */
export function readersOf(plan: Plan, id: string): readonly string[] {
  const isRead = (value: unknown): boolean => referencesOf(value).some((read) => read.steps.includes(id));
  const readers = rootBlocks(plan).flatMap(({ steps }) => steps.filter(isRead).map(({ key }) => key));
  return isRead(plan.outputs) ? [...readers, 'outputs'] : readers;
}
