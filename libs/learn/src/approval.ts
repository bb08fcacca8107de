/** The question before a call to which a person agreed in the session. */
import { member, written } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

import { type SeenCall, targetOf } from './seenCall.ts';

/** Asks, and fails where the person does not agree. `given`: the arguments with their expressions. */
export function approvalSteps(id: string, call: SeenCall, given: JsonObject): readonly JsonObject[] {
  const target = targetOf(call);
  const shown = leavesOf(given).map(([path, text]) => `\n${path}: ${text}`);
  return [
    { id, ask: `${written(`May ${target} be called?`)}${shown.join('')}` },
    {
      if: `!${member('steps', id)}.output.approve`,
      fail: written(`No call of ${target}: a person said no.`),
      code: 'not-approved',
    },
  ];
}

/** Each value and its path; a text may hold expressions. */
function leavesOf(value: Json, path = ''): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((one, i) => leavesOf(one, `${path}[${i}]`));
  if (!isObject(value)) return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, path === '' ? key : `${path}.${key}`));
}
