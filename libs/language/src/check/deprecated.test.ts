import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';

const codesOf = (sample: string): readonly string[] =>
  checkWorkflow(`workflow: w\nsteps:\n  - sample: { append: Hello., ${sample} }\n`, {
    servers: new Map(),
  }).findings.map(({ code, severity, line }) => `${severity} ${code} ${line}`);

test.each(['via: caller', 'includeContext: thisServer', 'includeContext: allServers'])(
  'what MCP deprecates is a warning, and no error: %s',
  (sample) => {
    expect(codesOf(sample)).toEqual(['warning deprecated-in-mcp 3']);
  },
);

test.each(['via: provider', 'includeContext: none', 'maxTokens: 5'])('what MCP keeps is no finding: %s', (sample) => {
  expect(codesOf(sample)).toEqual([]);
});
