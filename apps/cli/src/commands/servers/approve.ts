import type { Approvals, Client } from '@baton/api/client';

import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { confirmed } from '../../inputs/confirmed.ts';
import { jsonText } from '../../output/json.ts';
import { oneLine, plural } from '../../output/text.ts';
import { shellWord } from '../../shellWord.ts';
import { commandOf } from '../defineCommand.ts';

export const define = commandOf({
  form: (command) =>
    command
      .argument('<server>', 'name of the server, as in mcp.json')
      .option('--dry-run', 'only show what has changed')
      .option('--digest <digest>', 'approve what --dry-run showed; nothing if the server offers something else now')
      .option('-y, --yes', 'do not ask before approving')
      .option('--json', 'print the changes as JSON'),
  act: async (context, [server], options) => {
    const client = await context.client();
    const approved = options.dryRun === true ? undefined : await approveOffered(context, client, server, options);
    const answer = approved ?? (await client.servers.approve(server, { preview: true }));
    print(context, answer, { server, isPreview: approved === undefined, asJson: options.json === true });
  },
  examples: [
    ['baton servers approve github', 'show how its tools have changed, ask, and deploy affected workflows with them'],
    ['baton servers approve github --dry-run', 'only show it'],
    ['baton servers approve github --digest 3f9c2a7b10d4e856', 'approve what --dry-run showed'],
  ],
});

/** Rejects with `CommandError` if neither an option nor a person agrees. */
async function approveOffered(
  context: Context,
  client: Client,
  server: string,
  { digest, yes }: { readonly digest?: string; readonly yes?: true },
): Promise<Approvals> {
  if (digest !== undefined) return client.servers.approve(server, { digest });
  const offered = await client.servers.approve(server, { preview: true });
  if (offered.data.length === 0) return offered;
  if (yes !== true) await confirm(context, server, offered);
  return client.servers.approve(server, { digest: offered.digest });
}

/** Shows a person what would be approved. Rejects with `CommandError` without a yes. */
async function confirm(context: Context, server: string, { digest, data }: Approvals): Promise<void> {
  for (const { workflow, changes } of data) {
    context.stderr.line(workflow);
    for (const change of changes) context.stderr.line(`  ${oneLine(changeText(change))}`);
  }
  await confirmed(context, {
    question: `Approve these tools of ${oneLine(server)}, and deploy ${plural(data.length, 'workflow')} again?`,
    refusal: `This would deploy ${plural(data.length, 'workflow')} again, and there is no terminal to confirm it on.`,
    hint: `add --digest ${digest} to approve these changes only, or --yes`,
    declined: 'Nothing was approved.',
  });
}

const changeText = ({ tool, changes }: Approvals['data'][number]['changes'][number]): string =>
  `${tool}: ${changes.join(' ')}`;

function print(
  { stdout, stderr }: Context,
  answer: Approvals,
  { server, isPreview, asJson }: { readonly server: string; readonly isPreview: boolean; readonly asJson: boolean },
): void {
  const { digest, data } = answer;
  if (asJson) stdout.line(jsonText(answer));
  else if (data.length === 0)
    stderr.line(`The tools of ${oneLine(server)} have not changed since workflows were checked.`);
  else {
    for (const { workflow, version, changes, refused } of data) {
      const became = isPreview || refused !== undefined ? '' : ` → version ${version}`;
      stdout.line(`${workflow}${became}`);
      for (const change of changes) stdout.line(`  ${oneLine(changeText(change))}`);
      if (refused !== undefined) stdout.line(`  ${oneLine(`not accepted: ${refused}`)}`);
    }
    if (isPreview) stderr.line(`Approve this: baton servers approve ${shellWord(server)} --digest ${digest}`);
  }
  const refusals = data.filter(({ refused }) => refused !== undefined);
  if (refusals.length === 0) return;
  const names = refusals.map(({ workflow }) => workflow).join(', ');
  throw new CommandError(exitCodes.failed, `These workflows do not fit the current tools: ${names}`);
}
