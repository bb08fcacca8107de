import type { Client, Hook } from '@baton/api/client';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

/** `name`: WORKFLOW/HOOK, or the address of the hook. Rejects with `CommandError`. */
export async function findHook(client: Client, name: string): Promise<Hook> {
  const path = name.replace(/^.*\/v1\/hooks\//, '').replaceAll(/~|%2F/gi, '/');
  const [workflow, hook] = [path.slice(0, Math.max(0, path.lastIndexOf('/'))), path.slice(path.lastIndexOf('/') + 1)];
  if (workflow === '')
    throw new CommandError(exitCodes.usage, `${JSON.stringify(name.slice(0, 80))} names no hook of a workflow.`, {
      hint: 'write it as WORKFLOW/HOOK; `baton hooks ls` lists them',
    });
  const { data: hooks } = await client.hooks({ workflow });
  const found = hooks.find((one) => one.hook === hook);
  if (found !== undefined) return found;
  const known = hooks.map((one) => `${one.workflow}/${one.hook}`).join(', ');
  throw new CommandError(exitCodes.notFound, `The workflow ${workflow} has no webhook "${hook.slice(0, 80)}".`, {
    hint: known === '' ? '`baton hooks ls` lists the webhooks of all workflows' : `it has ${known}`,
  });
}
