/** `baton workflows delete`: shows the consequences, asks, and deletes the workflow. */
import type { AddressOptions } from '../client/address.ts';
import type { Context } from '../context.ts';
import { confirmed } from '../inputs/confirmed.ts';
import { oneLine } from '../output/text.ts';
import { startersOf } from './startersOf.ts';

/** Rejects with `CommandError` if neither `--yes` nor a person agrees. */
export async function deleteWorkflow(
  context: Context,
  address: AddressOptions,
  name: string,
  { isAgreed }: { readonly isAgreed: boolean },
): Promise<void> {
  const client = await context.client(address);
  const { id, version, source } = await client.workflows.get(name);
  const { stderr } = context;
  const starters = startersOf(id, source) ?? [];
  stderr.line(`${id}@${version} can then no longer be started. Its started runs continue, and its versions are kept.`);
  if (starters.length > 0) stderr.line('These no longer start it:');
  for (const starter of starters) stderr.line(`  ${oneLine(starter)}`);
  if (!isAgreed)
    await confirmed(context, {
      question: `Delete the workflow ${id}?`,
      refusal: `This would delete the workflow ${id}, and there is no terminal to confirm it on.`,
      hint: 'add --yes',
      declined: 'Nothing was deleted.',
    });
  await client.workflows.delete(id);
  stderr.line(`The workflow ${id} is deleted. To start it again, deploy its text again.`);
}
