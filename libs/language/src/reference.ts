/** Generates pages and files from this room's tables; tests fail if the repository's copies are stale. */
import { workflowJsonSchema } from './document/jsonSchema.ts';
import { findingCodes } from './findingCodes.ts';

/** docs/reference/findings.md */
export function findingsPage(): string {
  const all = Object.entries(findingCodes);
  const groups = [...new Set(all.map(([, { group }]) => group))];
  const sections = groups.map((group) => {
    const rows = all.filter(([, one]) => one.group === group).map(row);
    return `## ${group}\n\n| code | means | for example |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `${head}\n${sections.join('\n')}`;
}

const head = `# Findings

What \`baton check\`, \`POST /v1/workflows/check\` and editors report about a workflow file. Each has a code that never
changes its meaning, a place, the lines around it, and, where that helps, what was expected, what was found and one
suggestion. Errors keep a workflow from being deployed; those marked ⚠ are warnings. At most 50 are reported at once.

Generated from \`libs/language/src/findingCodes.ts\` by \`npm run generate -w libs/language\`.
`;

type FindingRow = [code: string, { readonly severity: string; readonly means: string; readonly example: string }];

const row = ([code, { severity, means, example }]: FindingRow): string =>
  `| <a id="${code}"></a>\`${code}\`${severity === 'warning' ? ' ⚠' : ''} | ${means.replaceAll('|', '\\|')} | ${cell(example)} |`;

/** Code in a cell of a table, its lines one after the other. */
const cell = (code: string): string =>
  code
    .split('\n')
    .map((line) => `\`${line.replaceAll('|', '\\|')}\``)
    .join('<br>');

/** schema/workflow.json */
export const schemaFile = (): string => `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`;
