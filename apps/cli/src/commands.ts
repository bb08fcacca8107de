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

export const sections: readonly Section[] = [
  {
    heading: 'Workflows:',
    entries: [
      {
        name: 'init',
        summary: 'write a first workflow, its test and an mcp.json',
        load: () => import('./commands/init.ts'),
      },
      { name: 'add', summary: 'add an MCP server to mcp.json, and test it', load: () => import('./commands/add.ts') },
      { name: 'check', summary: 'find what is wrong with workflow files', load: () => import('./commands/check.ts') },
      {
        name: 'import',
        summary: 'make a workflow of one of n8n or GitHub Actions',
        load: () => import('./commands/import.ts'),
      },
      { name: 'fmt', summary: 'format workflow files', load: () => import('./commands/fmt.ts') },
      {
        name: 'learn',
        summary: 'turn a session at the gateway into a workflow, and prove it',
        load: () => import('./commands/learn.ts'),
      },
      {
        name: 'deploy',
        summary: 'check workflow files and deploy new versions',
        load: () => import('./commands/deploy.ts'),
      },
      {
        name: 'types',
        summary: 'write TypeScript types of the deployed workflows',
        load: () => import('./commands/workflowTypes.ts'),
      },
      { name: 'run', summary: 'start a run of a workflow', load: () => import('./commands/run.ts') },
      { name: 'test', summary: 'replay recorded runs, without servers', load: () => import('./commands/test.ts') },
    ],
  },
  {
    heading: 'Runs and servers:',
    entries: [
      {
        name: 'runs',
        summary: 'list, show, watch, cancel and repeat runs',
        commands: [
          { name: 'ls', summary: 'list runs, newest first', load: () => import('./commands/runs/ls.ts') },
          { name: 'show', summary: 'show a run and its steps', load: () => import('./commands/runs/show.ts') },
          { name: 'watch', summary: 'follow a run to its end', load: () => import('./commands/runs/watch.ts') },
          { name: 'cancel', summary: 'cancel a run', load: () => import('./commands/runs/cancel.ts') },
          {
            name: 'retry',
            summary: 'continue a failed run from the failed step',
            load: () => import('./commands/runs/retry.ts'),
          },
          {
            name: 'record',
            summary: 'record a finished run as a test',
            load: () => import('./commands/runs/record.ts'),
          },
          { name: 'rerun', summary: 'run a finished run again', load: () => import('./commands/runs/rerun.ts') },
          { name: 'eval', summary: 'try an expression on a run', load: () => import('./commands/runs/eval.ts') },
        ],
      },
      {
        name: 'workflows',
        summary: 'list, pause and resume workflows',
        commands: [
          { name: 'ls', summary: 'list deployed workflows', load: () => import('./commands/workflows/ls.ts') },
          {
            name: 'pause',
            summary: 'stop triggers from starting a workflow',
            load: () => import('./commands/workflows/pause.ts'),
          },
          { name: 'resume', summary: 'resume a paused workflow', load: () => import('./commands/workflows/resume.ts') },
        ],
      },
      {
        name: 'hooks',
        summary: 'list webhooks and their last deliveries',
        commands: [{ name: 'ls', summary: 'list webhooks', load: () => import('./commands/hooks/ls.ts') }],
      },
      { name: 'answer', summary: 'answer a question that a run asks', load: () => import('./commands/answer.ts') },
      { name: 'signal', summary: 'send a signal to a run', load: () => import('./commands/signal.ts') },
      {
        name: 'schedules',
        summary: 'list, pause, trigger and backfill schedules',
        commands: [
          {
            name: 'ls',
            summary: 'list schedules and their next times',
            load: () => import('./commands/schedules/ls.ts'),
          },
          {
            name: 'next',
            summary: 'show the next five times of a schedule',
            load: () => import('./commands/schedules/next.ts'),
          },
          { name: 'pause', summary: 'pause a schedule', load: () => import('./commands/schedules/pause.ts') },
          { name: 'resume', summary: 'resume a paused schedule', load: () => import('./commands/schedules/resume.ts') },
          {
            name: 'trigger',
            summary: 'run a schedule now',
            load: () => import('./commands/schedules/trigger.ts'),
          },
          {
            name: 'backfill',
            summary: 'run missed times',
            load: () => import('./commands/schedules/backfill.ts'),
          },
        ],
      },
      {
        name: 'servers',
        summary: 'list, test and call MCP servers',
        commands: [
          { name: 'ls', summary: 'list the MCP servers', load: () => import('./commands/servers/ls.ts') },
          { name: 'tools', summary: 'list the tools of a server', load: () => import('./commands/servers/tools.ts') },
          { name: 'call', summary: 'call a tool', load: () => import('./commands/servers/call.ts') },
          {
            name: 'login',
            summary: 'log in to a server with OAuth',
            load: () => import('./commands/servers/login.ts'),
          },
          { name: 'logout', summary: 'log out of a server', load: () => import('./commands/servers/logout.ts') },
          {
            name: 'test',
            summary: 'test the connection to a server',
            load: () => import('./commands/servers/test.ts'),
          },
          {
            name: 'approve',
            summary: 'accept the current tools of a server',
            load: () => import('./commands/servers/approve.ts'),
          },
        ],
      },
    ],
  },
  {
    heading: 'Access and audit:',
    entries: [
      {
        name: 'secrets',
        summary: 'set, list and remove secrets',
        commands: [
          { name: 'set', summary: 'set a secret', load: () => import('./commands/secrets/set.ts') },
          { name: 'ls', summary: 'list secrets, without their values', load: () => import('./commands/secrets/ls.ts') },
          { name: 'rm', summary: 'remove a secret', load: () => import('./commands/secrets/rm.ts') },
        ],
      },
      {
        name: 'keys',
        summary: 'create, list and revoke API keys',
        commands: [
          { name: 'create', summary: 'create an API key', load: () => import('./commands/keys/create.ts') },
          { name: 'ls', summary: 'list API keys', load: () => import('./commands/keys/ls.ts') },
          { name: 'revoke', summary: 'revoke an API key', load: () => import('./commands/keys/revoke.ts') },
        ],
      },
      {
        name: 'audit',
        summary: 'export and verify the audit trail',
        commands: [
          {
            name: 'calls',
            summary: 'list tool calls and who made them',
            load: () => import('./commands/audit/calls.ts'),
          },
          {
            name: 'export',
            summary: 'export the audit trail as lines of JSON',
            load: () => import('./commands/audit/export.ts'),
          },
          {
            name: 'key',
            summary: 'print the public key that verifies seals',
            load: () => import('./commands/audit/key.ts'),
          },
          { name: 'verify', summary: 'verify the audit trail', load: () => import('./commands/audit/verify.ts') },
        ],
      },
    ],
  },
  {
    heading: 'Operations:',
    entries: [
      {
        name: 'dev',
        summary: 'run all of Baton on this machine, until Ctrl-C',
        load: () => import('./commands/dev.ts'),
      },
      { name: 'open', summary: 'open the page in a browser, logged in', load: () => import('./commands/open.ts') },
      { name: 'demo', summary: 'see a workflow run on real MCP servers', load: () => import('./commands/demo.ts') },
      {
        name: 'lsp',
        summary: 'serve the language to an editor on stdio',
        load: () => import('./commands/lsp.ts'),
      },
      {
        name: 'schema',
        summary: 'print the JSON Schema of workflow files',
        load: () => import('./commands/schema.ts'),
      },
      { name: 'mcp', summary: 'serve Baton as an MCP server on stdio', load: () => import('./commands/mcp.ts') },
      {
        name: 'gateway',
        summary: 'serve the tools of the configured servers on stdio, each call on record',
        load: () => import('./commands/gateway.ts'),
      },
      {
        name: 'orchestrator',
        summary: 'run one orchestrator in the foreground',
        load: () => import('./commands/orchestrator.ts'),
      },
      {
        name: 'workers',
        summary: 'list and drain workers',
        commands: [
          { name: 'ls', summary: 'list workers and what they drive', load: () => import('./commands/workers/ls.ts') },
          {
            name: 'drain',
            summary: 'stop a worker from taking new runs',
            load: () => import('./commands/workers/drain.ts'),
          },
        ],
      },
      { name: 'worker', summary: 'run one worker in the foreground', load: () => import('./commands/worker.ts') },
      {
        name: 'settings',
        summary: 'show all settings and where they come from',
        load: () => import('./commands/settings.ts'),
      },
      {
        name: 'backup',
        summary: 'write all stored data to a file',
        load: () => import('./commands/backup.ts'),
      },
      { name: 'restore', summary: 'restore a backup into a new database', load: () => import('./commands/restore.ts') },
      { name: 'doctor', summary: 'find problems with this installation', load: () => import('./commands/doctor.ts') },
      {
        name: 'upgrade-check',
        summary: 'ask this version about the workflows and runs of a running Baton',
        load: () => import('./commands/upgradeCheck.ts'),
      },
      { name: 'api', summary: 'send a request to the API', load: () => import('./commands/api.ts') },
      { name: 'completion', summary: 'print a completion script', load: () => import('./commands/completion.ts') },
    ],
  },
];
