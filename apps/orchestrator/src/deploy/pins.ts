/** What a definition relies on of each tool that it names. */
import type { DecidedEffect, Workflow } from '@baton/language';
import { targetsOf } from '@baton/language';
import type { ServerPolicy } from '@baton/protocol';
import { decideEffect } from '@baton/protocol';
import type { Pin, Pins } from '@baton/store';
import type { Tool } from '@baton/transports';

import type { Asked } from './serverBook.ts';

/** What the operator and the server say of a tool; a step that says something itself goes before. */
export const effectOf = (name: string, tool: Tool | undefined, { effects, trust }: ServerPolicy): DecidedEffect =>
  decideEffect({ tool: name, effects, trust, annotations: tool?.annotations });

/** Of a server that did not answer, what was known `before` still counts: nobody has said otherwise. */
export function pinsOf(workflow: Workflow, asked: ReadonlyMap<string, Asked>, before: Pins): Pins {
  const pins = targetsOf(workflow).flatMap(({ kind, server, name }): [string, Pin][] => {
    const answer = asked.get(server);
    if (kind !== 'tool' || name === undefined || answer === undefined) return [];
    const key = `${server}/${name}`;
    const tool = answer.tools?.find((one) => one.name === name);
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    if (answer.tools === undefined && known !== undefined) return [[key, known]];
    return [[key, { ...effectOf(name, tool, answer.policy), ...tool?.digests }]];
  });
  return Object.fromEntries(pins);
}
