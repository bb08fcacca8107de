/** What is known to the workflow of a file: servers and secrets of other workflows do not exist for it. */
import { type CheckOptions, existingFor } from '@baton/language';
import { defined, isObject, type Json } from '@baton/primitives';

/** A file without a name has nothing that is for some workflows only. */
export function knownIn(value: Json | undefined, known: CheckOptions): CheckOptions {
  const workflow = isObject(value) && typeof value['workflow'] === 'string' ? value['workflow'] : '';
  return { ...known, ...defined(existingFor(workflow, known)) };
}
