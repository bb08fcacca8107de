import type { Command } from 'commander';

import type { Context } from '../context.ts';
import { addExamples } from './examples.ts';

export function define(command: Command, context: Context): void {
  command
    .option('--servers', 'connect to every MCP server, including unused ones; calls no tool')
    .option('--json', 'print the findings as a JSON array')
    .action(async ({ servers = false, json = false }: { readonly servers?: boolean; readonly json?: boolean }) => {
      const [{ examine }, { printFindings }] = await Promise.all([
        import('../doctor/examine.ts'),
        import('../doctor/printFindings.ts'),
      ]);
      const findings = await examine(context, command.optsWithGlobals(), { servers });
      context.exitCode = printFindings(context, findings, json);
    });
  addExamples(command, [
    ['baton doctor', 'list problems and how to fix them'],
    ['baton doctor --json | jq -r \'.[] | select(.state != "ok").message\'', 'print JSON for a program'],
  ]);
}
