/** Finds headers of a webhook that a trigger reads and that are never there. */
import { quoted, childOf } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import type { TriggerDocument } from '../document/triggers.ts';
import type { CheckRun } from './checkRun.ts';
import { isHiddenHeader } from './hiddenHeaders.ts';

const read = /\bevent\.headers(?:\[\??\s*(["'])([\w-]{1,100})\1\s*\]|\.\??([A-Za-z]\w{0,100}))/g;

export function checkHookHeaders({ report }: CheckRun, trigger: TriggerDocument, pointer: string): void {
  const look = (value: Json | undefined, at: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) look(one, childOf(at, key));
    }
    if (typeof value !== 'string') return;
    for (const { index, 0: found, 2: byKey, 3: byName } of value.matchAll(read)) {
      const name = byKey ?? byName ?? '';
      const within: [number, number] = [index, index + found.length];
      const problem = { code: 'unknown-header', pointer: at, within, found: name } as const;
      const lower = name.toLowerCase();
      if (isHiddenHeader(lower))
        report({ ...problem, message: `Baton leaves out the header ${quoted(name)}: it proves who sent the request.` });
      else if (lower !== name)
        report({
          ...problem,
          message: `There is never a header ${quoted(name)}: their names are in lower case.`,
          hint: `write event.headers["${lower}"]`,
        });
    }
  };
  if (!('webhook' in trigger)) return;
  look(trigger.if, `${pointer}/if`);
  look(trigger.dedupe, `${pointer}/dedupe`);
  look(trigger.inputs, `${pointer}/inputs`);
}
