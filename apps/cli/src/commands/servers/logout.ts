import type { Command } from 'commander';

import type { Context } from '../../context.ts';
import { addExamples } from '../examples.ts';

export function define(command: Command, context: Context): void {
  command
    .argument('<server>', 'name of the server, as in mcp.json')
    .option('--json', 'print the answer as JSON')
    .action(async (server: string, { json }: { readonly json?: true }) => {
      const client = await context.client(command.optsWithGlobals());
      const [{ jsonText }, { oneLine }] = await Promise.all([
        import('../../output/json.ts'),
        import('../../output/text.ts'),
      ]);
      const { stdout, stderr } = context;
      const answer = await client.servers.logout(server);
      if (json === true) return stdout.line(jsonText({ ...answer }));
      if (answer.status === 'not-logged-in') return stderr.line(oneLine(`There was no login to ${server}.`));
      stderr.line(oneLine(`Logged out of ${server}: its tokens are deleted; workers stop using them within a minute.`));
      const { problem } = answer;
      if (problem !== undefined) stderr.line(stderr.paint.yellow(oneLine(`The tokens may still be valid: ${problem}`)));
    });
  addExamples(command, [['baton servers logout github', 'delete its tokens, and revoke them if possible']]);
}
