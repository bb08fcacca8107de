/** Checks a poll: the tool reads, its answer has a list, and each item a key. */
import { type Type, fieldHint, types } from '@baton/expressions';

import type { PollDocument } from '../document/triggers.ts';
import { shownEffect } from '../servers/shownEffect.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { checkArguments } from './callArguments.ts';
import { checkToolCall } from './calls.ts';
import type { CheckRun, ExpressionSite } from './checkRun.ts';
import { checkReads, effectOf, effectWithoutStep } from './effects.ts';
import { checkExpression, reportNull } from './expressions.ts';
import type { CheckScope } from './scope.ts';
import { checkStateValues, stateNames } from './state.ts';
import { answerType, outputOf } from './stepType.ts';

const scopeWith = (names: Readonly<Record<string, Type>>): CheckScope => ({
  names: new Map(Object.entries(names)),
  steps: undefined,
});

/** Returns what the inputs of its runs can read. */
export function checkPoll(checking: CheckRun, trigger: PollDocument, pointer: string): CheckScope {
  const tool = trigger.poll;
  const named = `${pointer}/poll`;
  const [server] = splitTarget(tool);
  const state = Object.fromEntries(stateNames(checking));
  const asked = checkArguments({ checking, scope: scopeWith(state), secretsFor: server }, trigger.with, pointer);
  checkReads(checking, 'poll-not-a-read', { tool }, named);
  const effect = shownEffect(effectOf(checking, { tool }), effectWithoutStep(checking, tool));
  const result = answerType(checkToolCall(checking, tool, named, asked, { effect }));
  const item = itemType(
    { checking, scope: scopeWith({ ...state, result }) },
    trigger.items,
    `${pointer}/items`,
    result,
  );
  checkKey({ checking, scope: scopeWith({ item, result }) }, trigger.key, `${pointer}/key`, item);
  if (trigger.state !== undefined)
    checkStateValues({ checking, scope: scopeWith({ ...state, result }) }, trigger.state, `${pointer}/state`);
  return scopeWith(trigger.batch === true ? { ...state, items: types.list(item), result } : { ...state, item, result });
}

function itemType(site: ExpressionSite, written: string, at: string, result: Type): Type {
  const type = checkExpression(site, written, at);
  if (!types.mayBe(type, ['list'])) {
    const found = types.describe(type);
    const message = `A poll goes through a list, and this is ${found}.`;
    const hint = fieldHint(type, ['list']) ?? fieldHint(outputOf(result), ['list']);
    site.checking.report({ code: 'poll-items-no-list', pointer: at, message, expected: 'a list', found, hint });
    return types.any;
  }
  reportNull(site, type, at, 'A poll goes through a list');
  const lists = types.alternatives(type).filter(({ kind }) => kind === 'list' || kind === 'any');
  return types.union(lists.map((one) => (one.kind === 'list' ? one.of : one)));
}

const keyKinds = ['text', 'number'] as const;

function checkKey(site: ExpressionSite, written: string, at: string, item: Type): void {
  const type = checkExpression(site, written, at);
  if (types.mayBe(type, keyKinds)) return reportNull(site, type, at, 'The key of an item is a text or a number');
  const found = types.describe(type);
  const message = `The key of an item is a text or a number, and this is ${found}.`;
  const hint = fieldHint(type, keyKinds) ?? fieldHint(item, keyKinds);
  site.checking.report({ code: 'poll-key-untyped', pointer: at, message, expected: 'a text or a number', found, hint });
}
