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
    safeguard: 'learn: fixed words that read like an expression stay words',
    file: 'libs/learn/src/textOrigin.ts',
    find: 'template += written(text.slice(from, part.from))',
    replace: 'template += text.slice(from, part.from)',
    shownBy: ['libs/learn/src/learn.test.ts'],
  },
];
