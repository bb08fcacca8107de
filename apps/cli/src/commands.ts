/** Every command: its name, its summary, and the file that defines it. */
import type { Command } from 'commander';

import type { Context } from './context.ts';

interface CommandModule {
  /** Adds arguments, options, examples and the action. Heavy imports belong into the action. */
  define(command: Command, context: Context): void;
}

export interface CommandLeaf {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
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

const command = (name: string, summary: string, load: CommandLeaf['load']): CommandLeaf => ({ name, summary, load });

const group = (name: string, summary: string, commands: readonly CommandEntry[]): CommandGroup => ({
  name,
  summary,
  commands,
});

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
        command('ls', 'list deployed workflows', () => import('./commands/workflows/ls.ts')),
        command('show', 'show a workflow, or its text', () => import('./commands/workflows/show.ts')),
        command('stats', 'show statistics of its last runs', () => import('./commands/workflows/stats.ts')),
        command('versions', 'list the versions of a workflow', () => import('./commands/workflows/versions.ts')),
        command('pause', 'stop triggers from starting a workflow', () => import('./commands/workflows/pause.ts')),
        command('resume', 'resume a paused workflow', () => import('./commands/workflows/resume.ts')),
        command('delete', 'delete a workflow', () => import('./commands/workflows/delete.ts')),
      ]),
      group('hooks', 'list, show and test webhooks', [
        command('ls', 'list webhooks', () => import('./commands/hooks/ls.ts')),
        command('show', 'show a webhook and its last deliveries', () => import('./commands/hooks/show.ts')),
        command('test', 'sign and send a delivery, as its sender would', () => import('./commands/hooks/test.ts')),
      ]),
      command('answer', 'answer a question that a run asks', () => import('./commands/answer.ts')),
      command('signal', 'send a signal to a run', () => import('./commands/signal.ts')),
      group('schedules', 'list, pause, trigger and backfill schedules', [
        command('ls', 'list schedules and their next times', () => import('./commands/schedules/ls.ts')),
        command('next', 'show the next five times of a schedule', () => import('./commands/schedules/next.ts')),
        command('pause', 'pause a schedule', () => import('./commands/schedules/pause.ts')),
        command('resume', 'resume a paused schedule', () => import('./commands/schedules/resume.ts')),
        command(
          'confirm',
          'resume what Baton paused when Postgres went back in time',
          () => import('./commands/schedules/confirm.ts'),
        ),
        command('trigger', 'run a schedule now', () => import('./commands/schedules/trigger.ts')),
        command('backfill', 'run missed times', () => import('./commands/schedules/backfill.ts')),
      ]),
      group('servers', 'list, test and call MCP servers', [
        command('ls', 'list the MCP servers', () => import('./commands/servers/ls.ts')),
        command('stats', 'show statistics of the calls of its tools', () => import('./commands/servers/stats.ts')),
        command('tools', 'list the tools of a server', () => import('./commands/servers/tools.ts')),
        command('call', 'call a tool', () => import('./commands/servers/call.ts')),
        command('login', 'log in to a server with OAuth', () => import('./commands/servers/login.ts')),
        command('logout', 'log out of a server', () => import('./commands/servers/logout.ts')),
        command('test', 'test the connection to a server', () => import('./commands/servers/test.ts')),
        command('approve', 'accept the current tools of a server', () => import('./commands/servers/approve.ts')),
      ]),
    ],
  },
  {
    heading: 'Access and audit:',
    entries: [
      group('secrets', 'set, list and remove secrets', [
        command('set', 'set a secret', () => import('./commands/secrets/set.ts')),
        command('ls', 'list secrets, without their values', () => import('./commands/secrets/ls.ts')),
        command('rm', 'remove a secret', () => import('./commands/secrets/rm.ts')),
      ]),
      group('keys', 'create, list and revoke API keys', [
        command('create', 'create an API key', () => import('./commands/keys/create.ts')),
        command('ls', 'list API keys', () => import('./commands/keys/ls.ts')),
        command('revoke', 'revoke an API key', () => import('./commands/keys/revoke.ts')),
      ]),
      group('sessions', 'list and end sessions of browsers', [
        command('ls', 'list browsers that are logged in', () => import('./commands/sessions/ls.ts')),
        command('end', 'log a browser out', () => import('./commands/sessions/end.ts')),
      ]),
      group('audit', 'list, export and verify the audit trail', [
        command('ls', 'list changes and who made them', () => import('./commands/audit/ls.ts')),
        command('calls', 'list tool calls and who made them', () => import('./commands/audit/calls.ts')),
        command('export', 'export the audit trail as lines of JSON', () => import('./commands/audit/export.ts')),
        command('key', 'print the public key that verifies seals', () => import('./commands/audit/key.ts')),
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
      command('orchestrator', 'run one orchestrator in the foreground', () => import('./commands/orchestrator.ts')),
      command('queue', 'show how many runs wait for a worker', () => import('./commands/queue.ts')),
      group('workers', 'list and drain workers', [
        command('ls', 'list workers and how many runs they drive', () => import('./commands/workers/ls.ts')),
        command('drain', 'stop a worker from taking new runs', () => import('./commands/workers/drain.ts')),
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
