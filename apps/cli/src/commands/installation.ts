/** Commands about one installation of Baton: how it is, what it keeps, and what it answers. */
import { readFile } from 'node:fs/promises';

import { Argument } from '@commander-js/extra-typings';

import { repeated } from '../inputs/arguments.ts';
import { actOn, commandOf, printRows } from './defineCommand.ts';

export const open = commandOf({
  form: (command) => command.option('--print', 'print the address and open nothing'),
  act: async (context, _, options) => {
    const client = await context.client();
    const { openPage } = await import('../client/openPage.ts');
    await openPage(context, client, '', options);
  },
  examples: [
    ['baton open', 'open the page in a browser, logged in with your key'],
    ['baton open --print', 'print an address that logs in once, within 10 minutes'],
  ],
});

export const queue = actOn({
  json: 'print them as a JSON object',
  act: (client) => client.system.queue(),
  print: (queue, { context }) =>
    printRows(context, [queue], {
      columns: [
        { title: 'QUEUED', value: ({ queued }) => `${queued}` },
        { title: 'OLDEST', value: ({ oldestAt = 'none' }) => oldestAt },
        { title: 'DELAYED', value: ({ delayed }) => `${delayed}` },
        { title: 'RUNNING', value: ({ running }) => `${running}` },
        { title: 'WAITING', value: ({ waiting }) => `${waiting}` },
      ],
    }),
  examples: [
    ['baton queue', 'show how many runs wait for a worker, since when, and how many are in progress'],
    ["baton queue --jq '.queued'", 'print only how many runs wait for a worker'],
  ],
});

export const settings = commandOf({
  form: (command) => command.option('--json', 'print the settings as a JSON array'),
  act: async (context, _, { json = false }) => {
    const { printSettings } = await import('../output/printSettings.ts');
    return printSettings(context, json);
  },
  examples: [
    ['baton settings', 'list all settings and where they come from; secrets are masked'],
    ['BATON_PORT=80 baton settings', 'list everything that is wrong'],
  ],
});

export const migrate = commandOf({
  form: (command) =>
    command
      .option('--for <role>', 'grant this role what Baton does at run time, and no more')
      .option('--data <folder>', 'data folder (default: BATON_DATA, else .baton)'),
  act: async (context, _, { data, for: role }) => {
    const { migrateDatabase } = await import('../stack/migrateDatabase.ts');
    return migrateDatabase(context, { data, role });
  },
  examples: [
    ['DATABASE_URL=… baton migrate', 'make the tables of this version, as the role in DATABASE_URL'],
    ['DATABASE_URL=… baton migrate --for baton_app', 'Baton may then run as baton_app, which may make no tables'],
  ],
});

export const backup = commandOf({
  form: (command) =>
    command
      .argument('<file>', 'the file to write; it must not exist')
      .option('--data <folder>', 'data folder (default: BATON_DATA, else .baton)'),
  act: async (context, [file], { data }) => {
    const { backUp } = await import('../backup/backUp.ts');
    return backUp(context, { file, data });
  },
  examples: [
    ['baton backup baton.backup', 'back up everything, whether Baton runs or not'],
    ['DATABASE_URL=… baton backup baton.backup', 'back up a database of your own'],
  ],
});

export const restore = commandOf({
  form: (command) =>
    command
      .argument('<file>', 'a file that `baton backup` wrote')
      .option('--data <folder>', 'data folder, which must be new (default: BATON_DATA, else .baton)')
      .option('--drill', 'restore into a temporary database, verify its audit, and remove it'),
  act: async (context, [file], { data, drill: isDrill }) => {
    if (isDrill === true) {
      const { drill } = await import('../backup/drill.ts');
      return drill(context, { file, data });
    }
    const { restore } = await import('../backup/backUp.ts');
    return restore(context, { file, data });
  },
  examples: [
    ['baton restore baton.backup --data restored', 'restore into a new data folder'],
    ['baton restore --drill baton.backup', 'try a backup, with the secret key of this data folder'],
    ['DATABASE_URL=… baton restore baton.backup', 'restore into an empty database of your own'],
  ],
});

export const doctor = commandOf({
  form: (command) =>
    command
      .option('--servers', 'connect to every MCP server, including unused ones; calls no tool')
      .option('--json', 'print the findings as a JSON array'),
  act: async (context, _, { servers = false, json = false }) => {
    const [{ examine }, { printFindings }] = await Promise.all([
      import('../doctor/examine.ts'),
      import('../doctor/printFindings.ts'),
    ]);
    return printFindings(context, await examine(context, { servers }), json);
  },
  examples: [
    ['baton doctor', 'list problems and how to fix them'],
    ['baton doctor --json | jq -r \'.[] | select(.state != "ok").message\'', 'print JSON for a program'],
  ],
});

const upgradeCheck = commandOf({
  form: (command) => command.option('--json', 'print the findings as a JSON array'),
  act: async (context, _, { json = false }) => {
    const [{ upgradeFindings }, { printFindings }, client] = await Promise.all([
      import('../doctor/upgradeFindings.ts'),
      import('../doctor/printFindings.ts'),
      context.client(),
    ]);
    const exitCode = printFindings(context, await upgradeFindings(client), json);
    if (!json) context.stderr.line('Make a backup before you upgrade: baton backup FILE');
    return exitCode;
  },
  examples: [['npx --package=NEW.tgz baton upgrade-check', 'run the check of a new version']],
});
export { upgradeCheck as 'upgrade-check' };

export const api = commandOf({
  form: (command) =>
    command
      .argument('<method>', 'GET, POST, PUT or DELETE')
      .argument('<path>', 'path of the API, such as /v1/runs (or short: runs)')
      .option('-q, --query <name=value>', 'a query parameter', repeated)
      .option('-f, --field <name=value>', 'a field of the JSON body; the value is parsed as JSON if possible', repeated)
      .option('--input <file>', 'read the body from a file, or - for stdin')
      .option('-H, --header <name: value>', 'a header', repeated)
      .option('--include', 'also print the status and the headers')
      .option('--jq <filter>', 'filter the JSON of an answer below 400, as jq does'),
  act: async (context, [method, path], options) => {
    const { callApi } = await import('../api/callApi.ts');
    return callApi(context, { method, path, ...options });
  },
  examples: [
    ['baton api GET /v1/runs -q status=failed -q limit=5', 'list failed runs'],
    ["baton api GET runs --jq '.data[].id'", 'print the ids of the newest runs'],
    ['baton api POST runs -f workflow=morning-brief', 'start a run'],
    ['baton api POST workflows/check --input x.workflow.yaml', 'send a file as the body'],
    ['baton api GET /openapi.json', 'show the API description'],
  ],
});

/** The folder of the shell scripts. */
const scripts = new URL('../completion/', import.meta.url);

export const completion = commandOf({
  form: (command) => command.addArgument(new Argument('<shell>', 'name of the shell').choices(['bash', 'zsh', 'fish'])),
  act: async (context, [shell]) => {
    const script = await readFile(new URL(`baton.${shell}`, scripts), 'utf8');
    context.stdout.line(script.trimEnd());
  },
  examples: [
    ['source <(baton completion bash)', 'for this shell; add the line to ~/.bashrc for all shells'],
    ['source <(baton completion zsh)', 'in ~/.zshrc, after compinit'],
    ['baton completion fish > ~/.config/fish/completions/baton.fish', 'for fish'],
  ],
});
