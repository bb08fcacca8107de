import type { JsonObject } from '@baton/primitives';

import type { CheckRun } from './checkRun.ts';
import { lintSchema } from './lintSchema.ts';

/** Checks a schema that the author wrote. */
export function checkSchema({ report, mayLookAt }: CheckRun, written: JsonObject, pointer: string): void {
  if (mayLookAt(pointer)) return lintSchema(written, pointer, report);
  const message = 'This schema cannot be used. It takes too long to be looked at.';
  report({ code: 'schema-refused', pointer, at: 'key', message });
}
