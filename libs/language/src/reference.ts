/** Generates pages and files from this room's tables; tests fail if the repository's copies are stale. */
import { workflowJsonSchema } from './document/jsonSchema.ts';
import { findingCodes } from './findingCodes.ts';
import type { FindingSpec } from './findings/findingSpec.ts';

/** docs/reference/findings.md */
export function findingsPage(): string {
  const all = Object.entries(findingCodes);
  const groups = [...new Set(all.map(([, { group }]) => group))];
  const sections = groups.map((group) => {
    const entries = all.filter(([, one]) => one.group === group).map(([code, one]) => entryOf(code, one));
    return `## ${group}\n\n${entries.join('\n')}`;
  });
  return `${head}\n${sections.join('\n')}`;
}

const head = `# Findings

What \`baton check\`, \`POST /v1/workflows/check\` and editors report about a workflow file. Each has a code that never
changes its meaning, a place, the lines around it, and, where that helps, what was expected, what was found and one
suggestion. Errors keep a workflow from being deployed; those marked ⚠ are warnings. At most 50 are reported at once.

Each entry shows a part of a file that gets the finding, and then the same part mended. \`baton explain CODE\` prints the
same in a terminal.

Generated from \`libs/language/src/findings\` by \`npm run generate -w libs/language\`.
`;

/** A heading of its own gives each code an anchor. */
function entryOf(code: string, { severity, means, example, mended, inWords }: FindingSpec): string {
  const sentence = `${severity === 'warning' ? '⚠ ' : ''}${means}`;
  const shown = inWords
    ? `For example: ${example}.\n\nMended: ${mended}.\n`
    : `${fence(example)}\nMended:\n\n${fence(mended)}`;
  return `### ${code}\n\n${sentence}\n\n${shown}`;
}

const fence = (part: string): string => `\`\`\`yaml\n${part}\n\`\`\`\n`;

/** schema/workflow.json */
export const schemaFile = (): string => `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`;
