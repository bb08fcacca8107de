/** The first files of a folder: those of a template, and those of every folder of workflows. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { languageGuide, workflowJsonSchema } from '@baton/language';

import { packageName, version } from '../version.ts';
import { agentsGuide } from './agentsGuide.ts';
import type { Template } from './templates.ts';

export interface FirstFile {
  /** The path, with slashes. */
  readonly name: string;
  readonly text: string;
  /** A short description of the file. */
  readonly about: string;
  /** Files that make this one unnecessary. */
  readonly others?: readonly string[];
}

const folder = fileURLToPath(new URL('../../templates/', import.meta.url));

export async function firstFiles(template: Template): Promise<readonly FirstFile[]> {
  const own = await filesIn(join(folder, template.name));
  const names = new Set(own.map(({ name }) => name));
  const shared = (await filesIn(join(folder, 'every'))).filter(({ name }) => !names.has(name));
  return [
    ...[...own, ...shared].map(({ name, text }) => ({ name, text, ...knownFiles[name], about: aboutOf(name) })),
    {
      name: 'workflow.schema.json',
      text: `${JSON.stringify(workflowJsonSchema(), undefined, 2)}\n`,
      about: 'completion and checks in editors',
    },
    // The data folder holds the admin key.
    {
      name: '.gitignore',
      text: '.baton/\nnode_modules/\n',
      about: 'keeps the data folder out of Git',
    },
    { name: '.github/workflows/baton.yaml', text: checkInGithub, about: 'checks and tests workflows on every push' },
    { name: 'AGENTS.md', text: agentsGuide(template), about: 'how an agent writes workflows here' },
    {
      name: 'workflow-language.md',
      text: `${languageGuide()}\n`,
      about: 'the language on two pages, for agents',
    },
    { name: 'README.md', text: readme(template), about: 'the files here, and the first commands' },
  ];
}

async function filesIn(root: string): Promise<{ name: string; text: string }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.toSorted().map(async (path) => ({
      name: relative(root, path).replaceAll(sep, '/'),
      text: await readFile(path, 'utf8'),
    })),
  );
}

const knownFiles: Readonly<Record<string, Pick<FirstFile, 'others'>>> = { 'mcp.json': { others: ['.mcp.json'] } };

function aboutOf(name: string): string {
  if (name.endsWith('.workflow.yaml')) return 'a workflow';
  if (name.endsWith('.test.yaml')) return 'a recorded run of it, replayed by `baton test`';
  if (name === 'mcp.json') return 'MCP servers, and a scripted model';
  if (name.startsWith('inbox/')) return 'a file that is there before the first poll';
  return name.startsWith('servers/') ? 'an MCP server of your own, in one file' : 'data of that server';
}

const checkInGithub = `name: Workflows
on: [push, pull_request]

jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      # If this version is not on npm, put the tarball of \`npm run package\` (in a clone of Baton) beside this
      # repository's files, and install it instead: npm install --global ./${packageName}-${version}.tgz
      - run: npm install --global ${packageName}@${version}
      - run: baton check --format github
      - run: baton test
`;

const readme = ({ workflow, about, start }: Template): string => `# Workflows

\`${workflow}.workflow.yaml\`: ${about}.

\`\`\`console
npx ${packageName} dev                     # starts Baton; saved workflows are deployed
${start ?? `npx ${packageName} run ${workflow} --watch`}
npx ${packageName} check                   # before a commit
npx ${packageName} test                    # replays the recorded runs, without servers
\`\`\`

\`mcp.json\` names the MCP servers. \`servers/notes.mjs\` is one of your own, in one file.
`;
