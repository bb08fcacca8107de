import type { ApprovedWorkflow } from '@baton/api/client';
import type { Command } from 'commander';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { addExamples } from '../examples.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly json?: true;
}

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server, as in mcp.json')
    .option('--dry-run', 'only show what has changed')
    .option('--json', 'print the changes as JSON')
    .action(async (server: string, { dryRun = false, json }: Options) => {
      const client = await context.client(command.optsWithGlobals());
      const { data: approved } = await client.servers.approve(server, { preview: dryRun });
      await print(context, approved, { server, dryRun, asJson: json === true });
    });
  addExamples(command, [
    ['baton servers approve github --dry-run', 'show how its tools have changed'],
    ['baton servers approve github', 'deploy affected workflows with the current tools'],
  ]);
}

async function print(
  { stdout, stderr }: Context,
  approved: readonly ApprovedWorkflow[],
  { server, dryRun, asJson }: { readonly server: string; readonly dryRun: boolean; readonly asJson: boolean },
): Promise<void> {
  const [{ jsonText }, { oneLine }] = await Promise.all([
    import('../../output/json.ts'),
    import('../../output/text.ts'),
  ]);
  if (asJson) stdout.line(jsonText(approved));
  else if (approved.length === 0)
    stderr.line(`The tools of ${oneLine(server)} have not changed since workflows were checked.`);
  else {
    for (const { workflow, version, changes, refused } of approved) {
      const became = dryRun || refused !== undefined ? '' : ` → version ${version}`;
      stdout.line(`${workflow}${became}`);
      for (const { tool, changes: all } of changes) stdout.line(`  ${oneLine(`${tool}: ${all.join(' ')}`)}`);
      if (refused !== undefined) stdout.line(`  ${oneLine(`not accepted: ${refused}`)}`);
    }
  }
  const refusals = approved.filter(({ refused }) => refused !== undefined);
  if (refusals.length === 0) return;
  const names = refusals.map(({ workflow }) => workflow).join(', ');
  throw new CommandError(exitCodes.failed, `These workflows do not fit the current tools: ${names}`);
}
