import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { known } from '../testing/offers.ts';
import { installationSchema } from './installationSchema.ts';

const validate = new Ajv2020({ strict: false, allErrors: true, logger: false }).compile(
  installationSchema(known.servers ?? new Map()),
);

const holds = (steps: string): boolean => validate(parse(`workflow: x\nsteps:\n${steps}`));

describe('with the tools of an installation, the schema takes', () => {
  test.each([
    ['a tool with its arguments', '  - tool: github/create_issue\n    with: { title: abc, milestone: { name: m } }\n'],
    [
      'arguments that are computed, in parts or as a whole',
      '  - tool: github/create_issue\n    with: { title: "${{ inputs.a }}", labels: "${{ inputs.b }}", draft: "${{ true }}" }\n  - tool: github/create_issue\n    with: "${{ inputs.all }}"\n',
    ],
    ['an argument of an enum behind a reference', '  - tool: github/list_issues\n    with: { repo: a, state: open }\n'],
    ['a prompt', '  - prompt: github/report\n    with: { audience: all }\n'],
    ['a tool of a server that cannot be asked', '  - tool: away/anything\n    with: { x: 1 }\n'],
    [
      'what stands inside of other steps',
      '  - forEach: [1]\n    steps:\n      - tool: github/ping\n        undo: { tool: github/ping }\n',
    ],
  ])('%s', (_, steps) => {
    expect(holds(steps)).toBe(true);
  });
});

describe('and refuses', () => {
  test.each([
    ['a misspelt tool', '  - tool: github/create_isue\n    with: { title: abc }\n'],
    ['a server that is not configured', '  - tool: gihub/create_issue\n    with: { title: abc }\n'],
    ['a misspelt argument', '  - tool: github/create_issue\n    with: { titel: abc }\n'],
    ['an argument that is missing', '  - tool: github/create_issue\n    with: { body: abc }\n'],
    ['no arguments, where some are needed', '  - tool: github/create_issue\n'],
    ['an argument of another kind', '  - tool: github/create_issue\n    with: { title: abc, labels: 3 }\n'],
    ['a value that the enum does not have', '  - tool: github/list_issues\n    with: { repo: a, state: opn }\n'],
    [
      'a misspelt argument deep inside',
      '  - parallel:\n      - tool: github/create_issue\n        with: { title: abc, milestone: { nam: m } }\n',
    ],
    ['an argument that a prompt does not have', '  - prompt: github/report\n    with: { audience: all, tune: dry }\n'],
    ['a misspelt key of a step', '  - tool: github/ping\n    tiemout: 3s\n'],
  ])('%s', (_, steps) => {
    expect(holds(steps)).toBe(false);
  });
});
