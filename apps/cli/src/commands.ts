/** Every command: its name, its summary, and the file that defines it. */
import type { DefineCommand } from './commands/apiCommand.ts';

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

const workflow = rowsOf(() => import('./commands/workflows.ts'));
const hook = rowsOf(() => import('./commands/hooks.ts'));
const schedule = rowsOf(() => import('./commands/schedules.ts'));
const server = rowsOf(() => import('./commands/servers.ts'));
const secret = rowsOf(() => import('./commands/secrets.ts'));
const key = rowsOf(() => import('./commands/keys.ts'));
const session = rowsOf(() => import('./commands/sessions.ts'));
const auditRow = rowsOf(() => import('./commands/audit.ts'));
const worker = rowsOf(() => import('./commands/workers.ts'));

export const sections: readonly Section[] = [
  {
    heading: 'Workflows:',
    entries: [
      command('init', 'write a first workflow, its test and an mcp.json', () => import('./commands/init.ts')),
      command('add', 'add an MCP server to mcp.json, and test it', () => import('./commands/add.ts')),
      command('check', 'find what is wrong with workflow files', () => import('./commands/check.ts')),
      command('explain', 'explain the code of a finding or a failure', () => import('./commands/explain.ts')),
      command('import', 'convert a workflow of n8n or GitHub Actions', () => import('./commands/import.ts')),
      command('fmt', 'format workflow files', () => import('./commands/fmt.ts')),
      command(
        'learn',
        'turn a session at the gateway into a workflow, and replay it',
        () => import('./commands/learn.ts'),
      ),
      command('deploy', 'check workflow files and deploy new versions', () => import('./commands/deploy.ts')),
      command('types', 'write TypeScript types of the deployed workflows', () => import('./commands/workflowTypes.ts')),
      command('run', 'start a run of a workflow', () => import('./commands/run.ts')),
      command('test', 'replay recorded runs, without servers', () => import('./commands/test.ts')),
    ],
  },
  {
    heading: 'Runs and servers:',
    entries: [
      group('runs', 'list, show, watch, cancel and repeat runs', [
        command('ls', 'list runs, newest first', () => import('./commands/runs/ls.ts')),
        command('histogram', 'count runs by time', () => import('./commands/runs/histogram.ts')),
        command('show', 'show a run and its steps', () => import('./commands/runs/show.ts')),
        command('watch', 'follow a run to its end', () => import('./commands/runs/watch.ts')),
        command('cancel', 'cancel a run', () => import('./commands/runs/cancel.ts')),
        command('retry', 'continue a failed run from the failed step', () => import('./commands/runs/retry.ts')),
        command('record', 'record a finished run as a test', () => import('./commands/runs/record.ts')),
        command('rerun', 'run a finished run again', () => import('./commands/runs/rerun.ts')),
        command('eval', 'try an expression on a run', () => import('./commands/runs/eval.ts')),
      ]),
      group('workflows', 'list, show, pause, resume and delete workflows', [
        workflow('ls', 'list deployed workflows'),
        workflow('show', 'show a workflow, or its text'),
        workflow('stats', 'show statistics of its last runs'),
        workflow('versions', 'list the versions of a workflow'),
        workflow('pause', 'stop triggers from starting a workflow'),
        workflow('resume', 'resume a paused workflow'),
        command('delete', 'delete a workflow', () => import('./commands/workflows/delete.ts')),
      ]),
      group('hooks', 'list, show and test webhooks', [
        hook('ls', 'list webhooks'),
        hook('show', 'show a webhook and its last deliveries'),
        command('test', 'sign and send a delivery, as its sender would', () => import('./commands/hooks/test.ts')),
      ]),
      command('answer', 'answer a question that a run asks', () => import('./commands/answer.ts')),
      command('signal', 'send a signal to a run', () => import('./commands/signal.ts')),
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
        command('tools', 'list the tools of a server', () => import('./commands/servers/tools.ts')),
        command('call', 'call a tool', () => import('./commands/servers/call.ts')),
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
      group('secrets', 'set, list and remove secrets', [
        command('set', 'set a secret', () => import('./commands/secrets/set.ts')),
        secret('ls', 'list secrets, without their values'),
        secret('rm', 'remove a secret'),
      ]),
      group('keys', 'create, list and revoke API keys', [
        command('create', 'create an API key', () => import('./commands/keys/create.ts')),
        key('ls', 'list API keys'),
        key('revoke', 'revoke an API key'),
      ]),
      group('sessions', 'list and end sessions of browsers', [
        session('ls', 'list browsers that are logged in'),
        session('end', 'log a browser out'),
      ]),
      group('fence', 'show and lift the fence of a database that went back in time', [
        command('show', 'show what is missing', () => import('./commands/fence/show.ts')),
        command('lift', 'let the runs go on', () => import('./commands/fence/lift.ts')),
      ]),
      group('audit', 'list, export and verify the audit trail', [
        auditRow('ls', 'list changes and who made them'),
        auditRow('calls', 'list tool calls and who made them'),
        command('export', 'export the audit trail as lines of JSON', () => import('./commands/audit/export.ts')),
        auditRow('key', 'print the public key that verifies seals'),
        command('verify', 'verify the audit trail', () => import('./commands/audit/verify.ts')),
        command('begin', 'begin the audit trail anew, as its operator', () => import('./commands/audit/begin.ts')),
      ]),
    ],
  },
  {
    heading: 'Operations:',
    entries: [
      command('dev', 'run all of Baton on this machine, until Ctrl-C', () => import('./commands/dev.ts')),
      command('open', 'open the page in a browser, logged in', () => import('./commands/open.ts')),
      command('demo', 'see a workflow run on real MCP servers', () => import('./commands/demo.ts')),
      command('lsp', 'serve the language to an editor on stdio', () => import('./commands/lsp.ts')),
      command('schema', 'print the JSON Schema of workflow files', () => import('./commands/schema.ts')),
      command('mcp', 'serve Baton as an MCP server on stdio', () => import('./commands/mcp.ts')),
      command(
        'gateway',
        'serve the tools of the configured servers on stdio, each call on record',
        () => import('./commands/gateway.ts'),
      ),
      command('server', 'run one server, an orchestrator and a worker in one', () => import('./commands/server.ts')),
      command('orchestrator', 'run one orchestrator in the foreground', () => import('./commands/orchestrator.ts')),
      command('queue', 'show how many runs wait for a worker', () => import('./commands/queue.ts')),
      group('workers', 'list and drain workers', [
        worker('ls', 'list workers and how many runs they drive'),
        worker('drain', 'stop a worker from taking new runs'),
      ]),
      command('worker', 'run one worker in the foreground', () => import('./commands/worker.ts')),
      command('settings', 'show all settings and where they come from', () => import('./commands/settings.ts')),
      command('backup', 'write all stored data to a file', () => import('./commands/backup.ts')),
      command('restore', 'restore a backup into a new database', () => import('./commands/restore.ts')),
      command('doctor', 'find problems with this installation', () => import('./commands/doctor.ts')),
      command(
        'upgrade-check',
        'check whether this version can continue a running Baton',
        () => import('./commands/upgradeCheck.ts'),
      ),
      command('api', 'send a request to the API', () => import('./commands/api.ts')),
      command('completion', 'print a completion script', () => import('./commands/completion.ts')),
    ],
  },
];
