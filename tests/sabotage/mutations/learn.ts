import type { Mutation } from '../mutation.ts';

export const learnMutations: readonly Mutation[] = [
  {
    safeguard: 'learn: a text of a server that reads like an expression is written as a text',
    file: 'libs/language/src/expression/celText.ts',
    find: 'export const written = (text: string): string =>\n  looksLikeTemplate(text)',
    replace: "export const written = (text: string): string =>\n  looksLikeTemplate('')",
    shownBy: ['libs/learn/src/learn.test.ts'],
  },
  {
    safeguard: 'learn: a text that reads like an expression is not joined of parts',
    file: 'libs/learn/src/findOrigin.ts',
    find: 'const together = looksLikeTemplate(text) ?',
    replace: "const together = looksLikeTemplate('') ?",
    shownBy: ['libs/learn/src/learn.test.ts'],
  },
];
