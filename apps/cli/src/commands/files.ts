/** Commands about files: workflows, recordings, and mcp.json. */
import { writeFile } from 'node:fs/promises';

import { Option } from '@commander-js/extra-typings';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { repeated } from '../inputs/arguments.ts';
import { commandOf } from './defineCommand.ts';

export const add = commandOf({
  form: (command) =>
    command
      .argument('<origin>', 'name in the MCP registry, npm:PACKAGE, an address, or a server.json')
      .argument(
        '[command...]',
        'arguments for the package; after a plain name: how to start a program that is in no registry',
      )
      .option('-n, --name <name>', 'name in mcp.json; tools are called NAME/TOOL')
      .option('--value <name=value>', 'a variable, header or argument that it needs; can be repeated', repeated)
      .option(
        '--registry <place>',
        'address of a registry, or a folder (default: BATON_REGISTRY, else the official one)',
      )
      .option('-y, --yes', 'ask nothing: use defaults')
      .option('--no-test', 'write the server without starting it once as a test'),
  act: async (context, [what, words], options) => {
    const { addServer } = await import('../add/addServer.ts');
    return addServer(context, [what, words], options);
  },
  examples: [
    ['baton add io.github.github/github-mcp-server', 'a server of the MCP registry'],
    ['baton add npm:@modelcontextprotocol/server-memory', 'an npm package, in its newest version'],
    ['baton add npm:@modelcontextprotocol/server-filesystem /tmp/box', 'an npm package, with an argument for it'],
    ['baton add https://mcp.example.com/mcp --name example', 'a server at an address'],
    ['baton add notes -- node servers/notes.mjs', 'a program of your own'],
  ],
});

const importForeign = commandOf({
  form: (command) =>
    command
      .argument('<file>', 'a workflow exported from n8n (JSON), a workflow of GitHub Actions (YAML), or - for stdin')
      .option('-o, --output <file>', 'write the workflow to this file, which must be new; the default is stdout')
      .addOption(
        new Option('--from <system>', 'the system of the file; detected by default').choices(['n8n', 'github']),
      )
      .option('--json', 'print the workflow, the findings and the servers that it needs as JSON'),
  act: async (context, [file], options) => {
    const { importFile } = await import('../import/importFile.ts');
    return importFile(context, file, options);
  },
  examples: [
    ['baton import export.json -o triage.workflow.yaml', 'write the workflow, and list what could not be imported'],
    ['baton import .github/workflows/nightly.yaml', 'print the workflow'],
    ['baton import export.json --json', 'print JSON for a program'],
  ],
});

export const fmt = commandOf({
  form: (command) =>
    command
      .argument('<files...>', 'workflow files, folders of them, or - for stdin')
      .option('--check', 'only list the files that are not formatted, and exit with 1 if there are any'),
  act: async (context, [names], { check }) => {
    const [{ format }, { readWorkflowFiles }] = await Promise.all([
      import('@baton/editor-service'),
      import('../workflowFiles.ts'),
    ]);
    const { stdout, stderr } = context;
    const changed: string[] = [];
    for (const { name, path, text } of await readWorkflowFiles(context, names)) {
      const written = format(text);
      if (written !== text) changed.push(name);
      if (path === undefined && check !== true) stdout.line(written.replace(/\n$/, ''));
      else if (path !== undefined && written !== text && check !== true) await writeFile(path, written);
    }
    for (const name of changed)
      (check === true ? stdout : stderr).line(check === true ? name : `${name} is formatted.`);
    if (check === true && changed.length > 0) context.exitCode = exitCodes.failed;
  },
  examples: [
    ['baton fmt .', 'put the keys of all workflows in a folder in order'],
    ['baton fmt --check .', 'list the files that would change'],
    ['baton fmt - < a.workflow.yaml', 'print the formatted text'],
  ],
});

export const learn = commandOf({
  form: (command) =>
    command
      .argument('[run]', 'id of a session at the gateway or another run, its beginning, or `last`')
      .option('--session <name>', 'in place of the run: the name of a session at the gateway')
      .option('-o, --output <file>', 'write the workflow to this file; the default is stdout')
      .option('--name <name>', 'name of the workflow; the default is "learned"')
      .option('--yes', 'take the likeliest answer to every open question')
      .option('--json', 'print the workflow, its inputs, what was left out and the replay as JSON'),
  act: async (context, [written], flags) => {
    const { session } = flags;
    if ((written === undefined) === (session === undefined))
      throw new CommandError(exitCodes.usage, 'Name the run to learn from, or a session with --session NAME.');
    const [{ learnRun }, { findRun, findSession }] = await Promise.all([
      import('../learn/learnRun.ts'),
      import('../run/findRun.ts'),
    ]);
    const client = await context.client();
    const run = await (session === undefined ? findRun(client, written ?? '') : findSession(client, session));
    await learnRun(context, client, run, flags);
  },
  examples: [
    ['baton runs ls --trigger session', 'find the session to learn from'],
    ['baton learn RUN -o triage.workflow.yaml', 'make a workflow of the session, and replay the session with it'],
    ['baton learn --session triage', 'learn from the newest session of this name: see baton gateway --session'],
    ['baton learn RUN --yes --json', 'print JSON for a program'],
  ],
});

export const deploy = commandOf({
  form: (command) =>
    command
      .argument('<files...>', 'workflow files, folders of them, or - for stdin')
      .option('--dry-run', 'check against the servers, but deploy nothing')
      .option('--json', 'print the deployed versions as a JSON array'),
  act: async (context, [names], options) => {
    const { deployFiles } = await import('../deploy/deployFiles.ts');
    return deployFiles(context, names, options);
  },
  examples: [
    ['baton deploy morning-brief.workflow.yaml', 'deploy a new version, unless nothing changed'],
    ['baton deploy examples/', 'deploy all workflows in a folder'],
    ['baton deploy --dry-run examples/', 'show what would be refused'],
  ],
});

export const types = commandOf({
  form: (command) => command.option('-o, --output <file>', 'write to this file, such as baton.d.ts (default: stdout)'),
  act: async (context, _, { output }) => {
    const client = await context.client();
    const [{ workflowTypes }, { knowledgeFor }] = await Promise.all([
      import('../typescript/workflowTypes.ts'),
      import('../knowledge/knowledgeFor.ts'),
    ]);
    // Asks the servers: types of outputs follow from the output schemas of tools.
    const { known } = await knowledgeFor(context, { asks: true });
    const { text, count } = await workflowTypes(client, known.servers);
    if (output === undefined) {
      context.stdout.line(text.trimEnd());
      return;
    }
    await writeFile(output, text);
    context.stderr.line(`${output}: inputs and outputs of ${count} ${count === 1 ? 'workflow' : 'workflows'}.`);
  },
  examples: [
    ['baton types -o baton.d.ts', 'types of the deployed workflows, for batonflow/client'],
    [
      'git diff --exit-code baton.d.ts',
      'run this after it in CI: a changed workflow then fails the build of its callers',
    ],
  ],
});

export const schema = commandOf({
  form: (command) =>
    command.option('--servers', 'include the tools and prompts of the MCP servers, with their arguments'),
  act: async (context, _, { servers: asks = false }) => {
    const [{ installationSchema, workflowJsonSchema }, { knowledgeFor }] = await Promise.all([
      import('@baton/language'),
      import('../knowledge/knowledgeFor.ts'),
    ]);
    const { known, notes } = await knowledgeFor(context, { asks });
    for (const note of notes) context.stderr.line(note);
    const schema = known.servers === undefined ? workflowJsonSchema() : installationSchema(known.servers);
    context.stdout.line(JSON.stringify(schema, undefined, 2));
  },
  examples: [
    ['baton schema > workflow.schema.json', 'the schema of the language'],
    ['baton schema --servers > .baton/workflow.schema.json', 'the schema for editors without a language server'],
  ],
});

export const test = commandOf({
  form: (command) =>
    command
      .argument('[files...]', 'recorded runs (*.test.yaml), folders of them, or - for stdin', ['.'])
      .option('--update', 'accept the new behaviour and rewrite the tests')
      .option('--json', 'print the results as a JSON array'),
  act: async (context, [names], options) => {
    const { testFiles } = await import('../recording/testFiles.ts');
    return testFiles(context, names, options);
  },
  examples: [
    ['baton run report.workflow.yaml --record report.test.yaml', 'record a run and its servers’ answers'],
    ['baton test', 'replay all recorded runs in this folder and compare'],
    ['baton test report.test.yaml --update', 'accept the changes'],
  ],
});
export { importForeign as import };
