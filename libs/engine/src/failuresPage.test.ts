import { expect, test } from 'vitest';

import { failureCodes } from './failure.ts';

const rows = Object.entries(failureCodes)
  .map(([code, { means, retry }]) => `| \`${code}\` | ${means} | ${retry === 'transient' ? 'yes' : ''} |`)
  .join('\n');

const page = `# Failure codes

\`onError: { match: [timeout, server-unreachable], steps: […] }\` names failures by their codes, as \`retry: { on: […] }\` and \`error.code\` do. A \`fail\` step may give a code of its own. The step of a child run that failed has the code \`child-failed\`, and not that of the child.

What is *tried again* is repeated by \`retry\` where a repetition is safe, unless \`on\` names others.

Generated from \`libs/engine/src/failure.ts\` by \`npx vitest run --project unit libs/engine/src/failuresPage.test.ts -u\`.

| code | what it means | tried again |
| --- | --- | --- |
${rows}
`;

test('docs/reference/failures.md has every failure code', async () => {
  await expect(page).toMatchFileSnapshot('../../../docs/reference/failures.md');
});
