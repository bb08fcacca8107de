/** Every command: its name, its summary, and the file that defines it. */
import type { DefineCommand } from './commands/defineCommand.ts';

export interface CommandLeaf {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<DefineCommand>;
}

interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandEntry[];
}

export type CommandEntry = CommandLeaf | CommandGroup;

export interface Section {
  readonly heading: string;
  readonly entries: readonly CommandEntry[];
}

const command = (
  name: string,
  summary: string,
  load: () => Promise<{ readonly define: DefineCommand }>,
): CommandLeaf => ({ name, summary, load: async () => (await load()).define });

/** Commands in the file of their group, under their names. */
const rowsOf =
  <Name extends string>(load: () => Promise<Readonly<Record<Name, DefineCommand>>>) =>
  (name: Name, summary: string): CommandLeaf => ({ name, summary, load: async () => (await load())[name] });

const group = (name: string, summary: string, commands: readonly CommandEntry[]): CommandGroup => ({
  name,
  summary,
  commands,
});

const file = rowsOf(() => import('./commands/files.ts'));
const start = rowsOf(() => import('./commands/run.ts'));
const run = rowsOf(() => import('./commands/runs.ts'));
const workflow = rowsOf(() => import('./commands/workflows.ts'));
const hook = rowsOf(() => import('./commands/hooks.ts'));
const poll = rowsOf(() => import('./commands/polls.ts'));
const state = rowsOf(() => import('./commands/state.ts'));
const schedule = rowsOf(() => import('./commands/schedules.ts'));
const server = rowsOf(() => import('./commands/servers.ts'));
const secret = rowsOf(() => import('./commands/secrets.ts'));
const access = rowsOf(() => import('./commands/login.ts'));
const token = rowsOf(() => import('./commands/tokens.ts'));
const key = rowsOf(() => import('./commands/keys.ts'));
const person = rowsOf(() => import('./commands/people.ts'));
const session = rowsOf(() => import('./commands/sessions.ts'));
const fence = rowsOf(() => import('./commands/fence.ts'));
const audit = rowsOf(() => import('./commands/audit.ts'));
const spending = rowsOf(() => import('./commands/costs.ts'));
const budget = rowsOf(() => import('./commands/budgets.ts'));
const worker = rowsOf(() => import('./commands/workers.ts'));
const serve = rowsOf(() => import('./commands/serve.ts'));
const installation = rowsOf(() => import('./commands/installation.ts'));

export const sections: readonly Section[] = [
  {
    heading: 'Workflows:',
    entries: [
      command('init', 'write a first workflow, its test and an mcp.json', () => import('./commands/init.ts')),
      file('add', 'add an MCP server to mcp.json, and test it'),
      command('check', 'find what is wrong with workflow files', () => import('./commands/check.ts')),
      command('explain', 'explain the code of a finding or a failure', () => import('./commands/explain.ts')),
      file('import', 'convert a workflow of n8n or GitHub Actions'),
      file('fmt', 'put the keys of workflow files in order'),
      file('learn', 'turn a session at the gateway into a workflow, and replay it'),
      file('deploy', 'check workflow files and deploy new versions'),
      file('types', 'write TypeScript types of the deployed workflows'),
      start('run', 'start a run of a workflow'),
      file('test', 'replay recorded runs, without servers'),
    ],
  },
  {
    heading: 'Runs and servers:',
    entries: [
      group('runs', 'list, show, watch, cancel and repeat runs', [
        run('ls', 'list runs, newest first'),
        run('causes', 'group failed runs by cause'),
        run('unknown', 'list calls that may or may not have happened'),
        run('histogram', 'count runs by time'),
        run('show', 'show a run and its steps'),
        run('watch', 'follow a run to its end'),
        run('cancel', 'cancel a run'),
        run('retry', 'continue a failed run from the failed step'),
        run('undo', 'undo what a finished run wrote'),
        run('record', 'record a finished run as a test'),
        run('rerun', 'run a finished run again'),
        run('eval', 'try an expression on a run'),
      ]),
      spending('costs', 'sum what models cost, by model, workflow, key and day'),
      group('budgets', 'set, list and remove budgets of a day or a month', [
        budget('ls', 'list budgets, and what is used of them'),
        budget('set', 'set what workflows may use in a day or a month'),
        budget('rm', 'remove a budget'),
      ]),
      group('workflows', 'list, show, pause, resume and delete workflows', [
        workflow('ls', 'list deployed workflows'),
        workflow('show', 'show a workflow, or its text'),
        workflow('stats', 'show statistics of its last runs'),
        workflow('versions', 'list the versions of a workflow'),
        workflow('pause', 'stop triggers from starting a workflow'),
        workflow('resume', 'resume a paused workflow'),
        workflow('delete', 'delete a workflow'),
      ]),
      group('hooks', 'list, show and test webhooks', [
        hook('ls', 'list webhooks'),
        hook('show', 'show a webhook and its last deliveries'),
        hook('test', 'sign and send a delivery, as its sender would'),
      ]),
      command('answer', 'answer a question that a run asks', () => import('./commands/answer.ts')),
      start('signal', 'send a signal to a run'),
      group('polls', 'list polls, poll now, forget what was seen', [
        poll('ls', 'list polls with what they found last'),
        poll('show', 'show a poll and the items that it saw last'),
        poll('now', 'poll now'),
        poll('reset', 'forget what a poll has seen'),
      ]),
      group('state', 'list, print and set what a workflow remembers', [
        state('ls', 'list the values of a workflow, and what wrote them'),
        state('get', 'print a value, or its history'),
        state('set', 'replace a value'),
      ]),
      group('schedules', 'list, pause, trigger and backfill schedules', [
        schedule('ls', 'list schedules and their next times'),
        schedule('next', 'show the next five times of a schedule'),
        schedule('pause', 'pause a schedule'),
        schedule('resume', 'resume a paused schedule'),
        schedule('trigger', 'run a schedule now'),
        schedule('backfill', 'run missed times'),
      ]),
      group('servers', 'list, test and call MCP servers', [
        server('ls', 'list the MCP servers'),
        server('stats', 'show statistics of the calls of its tools'),
        server('tools', 'list the tools of a server'),
        server('call', 'call a tool'),
        command(
          'recipes',
          'list what Baton can check and undo of well-known servers',
          () => import('./commands/servers/recipes.ts'),
        ),
        command('login', 'log in to a server with OAuth', () => import('./commands/servers/login.ts')),
        server('logout', 'log out of a server'),
        server('test', 'test the connection to a server'),
        command('approve', 'accept the current tools of a server', () => import('./commands/servers/approve.ts')),
      ]),
    ],
  },
  {
    heading: 'Access and audit:',
    entries: [
      access('login', 'log in at a Baton server, in the browser'),
      access('logout', 'end the log-in at a server'),
      access('whoami', 'show who you are for Baton, and what you may do'),
      group('secrets', 'set, list and remove secrets', [
        secret('set', 'set a secret'),
        secret('ls', 'list secrets, without their values'),
        secret('rm', 'remove a secret'),
      ]),
      group('keys', 'create, list and revoke API keys', [
        key('create', 'create an API key'),
        key('ls', 'list API keys'),
        key('revoke', 'revoke an API key'),
      ]),
      group('people', 'add, list, grant and remove people', [
        person('add', 'add a person, and print a link that logs them in'),
        person('ls', 'list people and what they may do'),
        person('link', 'print a link that logs a person in once'),
        person('grant', 'grant a role to a person'),
        person('revoke', 'take a grant from a person'),
        person('remove', 'remove a person: sessions end, keys are revoked'),
        person('restore', 'let a person in again who was removed'),
        person('roles', 'list roles and their scopes'),
      ]),
      group('sessions', 'list and end sessions of browsers', [
        session('ls', 'list browsers that are logged in'),
        session('end', 'log a browser out'),
      ]),
      group('tokens', 'list and revoke the tokens of connected clients', [
        token('ls', 'list clients that were connected with OAuth'),
        token('revoke', 'disconnect a client'),
      ]),
      group('fence', 'show and lift the fence of a database that went back in time', [
        fence('show', 'show what is missing'),
        fence('lift', 'let the runs go on'),
      ]),
      group('audit', 'list, export and verify the audit trail', [
        audit('ls', 'list changes and who made them'),
        audit('calls', 'list tool calls and who made them'),
        command('export', 'export the audit trail as lines of JSON', () => import('./commands/audit/export.ts')),
        audit('key', 'print the public key that verifies seals'),
        command('verify', 'verify the audit trail', () => import('./commands/audit/verify.ts')),
        audit('begin', 'begin the audit trail anew, as its operator'),
      ]),
    ],
  },
  {
    heading: 'Operations:',
    entries: [
      command('dev', 'run all of Baton on this machine, until Ctrl-C', () => import('./commands/dev.ts')),
      installation('open', 'open the page in a browser, logged in'),
      serve('demo', 'see a workflow run on real MCP servers'),
      serve('lsp', 'serve the language to an editor on stdio'),
      file('schema', 'print the JSON Schema of workflow files'),
      serve('mcp', 'serve Baton as an MCP server on stdio'),
      serve('gateway', 'serve the tools of the configured servers on stdio, each call on record'),
      serve('server', 'run one server, an orchestrator and a worker in one'),
      serve('orchestrator', 'run one orchestrator in the foreground'),
      installation('queue', 'show how many runs wait for a worker'),
      group('workers', 'list and drain workers', [
        worker('ls', 'list workers and how many runs they drive'),
        worker('drain', 'stop a worker from taking new runs'),
      ]),
      serve('worker', 'run one worker in the foreground'),
      installation('settings', 'show all settings and where they come from'),
      installation('migrate', 'make the tables of this version in the database'),
      installation('backup', 'write all stored data to a file'),
      installation('restore', 'restore a backup into a new database'),
      installation('doctor', 'find problems with this installation'),
      installation('upgrade-check', 'check whether this version can continue a running Baton'),
      installation('api', 'send a request to the API'),
      installation('completion', 'print a completion script'),
    ],
  },
];
