import type { Mutation } from '../mutation.ts';

export const learnMutations: readonly Mutation[] = [
  {
    safeguard: 'learn: a text of a server that reads like an expression is written as a text',
    file: 'libs/expressions/src/expression/celText.ts',
    find: 'export const written = (text: string): string =>\n  looksLikeTemplate(text)',
    replace: "export const written = (text: string): string =>\n  looksLikeTemplate('')",
    shownBy: ['libs/learn/src/learn.test.ts'],
  },
  {
    safeguard: 'learn: fixed words that read like an expression stay words',
    file: 'libs/learn/src/textOrigin.ts',
    find: 'template += written(text.slice(from, part.from))',
    replace: 'template += text.slice(from, part.from)',
    shownBy: ['libs/learn/src/learn.test.ts'],
  },
  {
    safeguard: 'learn: an id of an order or a person has no default in a workflow that writes',
    file: 'libs/learn/src/foundInputs.ts',
    find: 'writes && isOne ? { type }',
    replace: 'writes && !isOne && false ? { type }',
    shownBy: ['libs/learn/src/sessions.test.ts'],
  },
  {
    safeguard: 'learn: a call to which a person agreed asks again',
    file: 'libs/learn/src/learner.ts',
    find: 'if (call.isApproved === true) before.push(',
    replace: 'if (call.isApproved === undefined && call.at === -1) before.push(',
    shownBy: ['libs/learn/src/sessions.test.ts'],
  },
  {
    safeguard: 'learn: a look-up that is left out before a write is asked about',
    file: 'libs/learn/src/learn.ts',
    find: 'if (!isAsked(draft)) return true;',
    replace: 'if (isAsked(draft) || !isAsked(draft)) return true;',
    shownBy: ['libs/learn/src/sessions.test.ts'],
  },
  {
    safeguard: 'learn: short values are equal only where their names agree',
    file: 'libs/learn/src/findOrigin.ts',
    find: 'text.length >= textMin || isSameName(place.key, key)',
    replace: 'text.length >= 1 || isSameName(place.key, key)',
    shownBy: ['libs/learn/src/learn.test.ts'],
  },
];
