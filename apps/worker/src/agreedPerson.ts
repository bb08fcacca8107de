/** Whose login a child run uses: that of its parent, if the person agreed to the text of the child. */
import { personIn } from '@baton/control';
import type { RunPerson } from '@baton/engine';
import { type Store, deploymentOf } from '@baton/store';

interface ChildVersion {
  readonly workflow: string;
  readonly version?: number;
}

/**
 * Who asked for a run agreed to what was deployed then, and who deployed the workflow of a trigger to what was deployed when
 * they did so last. Else an author could act with the account of another by changing a workflow that theirs calls. What is
 * called by a text without agreement has none either. Rejects with `UnavailableError`.
 */
export async function agreedPerson(
  store: Store,
  person: RunPerson | undefined,
  { workflow, version }: ChildVersion,
): Promise<RunPerson | undefined> {
  if (person?.agreed === undefined || person.notAgreed !== undefined) return person;
  const { agreed, name } = person;
  const text = version === undefined ? undefined : await deploymentOf(store, workflow, version);
  const author = personIn(text?.by);
  if (author?.id === person.id) return person;
  const agreedAt =
    agreed.version === undefined
      ? agreed.at
      : ((await deploymentOf(store, agreed.workflow, agreed.version))?.agreedAt ?? -Infinity);
  if (text !== undefined && text.at <= agreedAt) return person;
  const who = author?.name ?? text?.by ?? 'Another person';
  const [before, mending] =
    agreed.version === undefined
      ? [`asked for a run of ${agreed.workflow}`, `${name} runs it again.`]
      : [`deployed ${agreed.workflow} ${agreed.version}`, `${name} deploys ${agreed.workflow} again, or runs it.`];
  const what = `${who} deployed ${workflow} ${version} after ${name} had ${before}`;
  return { ...person, notAgreed: `${what}: ${name}’s login is not used for it. ${mending}` };
}
