import type { Mutation } from '../mutation.ts';

export const modelsMutations: readonly Mutation[] = [
  {
    safeguard: 'tokens that a provider does not report are estimated, so that a budget holds',
    file: 'libs/models/src/usage.ts',
    find: 'inputTokens : tokensIn(characters.asked),',
    replace: 'inputTokens : 0,',
    shownBy: ['libs/models/src/createModels.int.test.ts'],
  },
  {
    safeguard: 'model output: repair is told what is wrong, once',
    file: 'libs/models/src/typed.ts',
    find: "if ('output' in repaired) return { ...again, usage, output: repaired.output };",
    replace: "return { ...again, usage, output: 'output' in repaired ? repaired.output : null };",
    shownBy: ['libs/models/src/typed.test.ts'],
  },
  {
    safeguard: 'model output: usage of both tries is counted',
    file: 'libs/models/src/typed.ts',
    find: 'const usage = addUsage(first.usage, again.usage);',
    replace: 'const usage = again.usage;',
    shownBy: ['libs/models/src/typed.test.ts'],
  },
  {
    safeguard: 'a provider that does not stream is asked for the whole answer',
    file: 'libs/models/src/ask.ts',
    find: '!(error instanceof NotStreamedError) || ',
    replace: 'error instanceof NotStreamedError || ',
    shownBy: ['libs/models/src/createModels.int.test.ts'],
  },
];
