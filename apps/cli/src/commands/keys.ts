import { type BodyOf, type Client, type Key, keyLimitsText, scopes as allScopes } from '@baton/api/client';
import { defined } from '@baton/primitives';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';

import type { Context } from '../context.ts';
import { limitArgument, repeated } from '../inputs/arguments.ts';
import { oneLine } from '../output/text.ts';
import { actOn, listCommand } from './defineCommand.ts';

function stateOf({ revokedAt, expiresAt }: Key): 'revoked' | 'expired' | 'valid' {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid';
}

export const ls = listCommand({
  json: 'print them as a JSON array',
  list: (client) => client.keys.all(),
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    {
      title: 'STATE',
      value: stateOf,
      colour: (paint, key) => (stateOf(key) === 'valid' ? paint.green : paint.dim),
    },
    { title: 'LIMITS', value: keyLimitsText },
    { title: 'OF', value: ({ person }) => person ?? 'service', canShrink: true },
    {
      title: 'LAST USED',
      value: ({ lastUsedAt }, { instantText }) => (lastUsedAt === undefined ? 'never' : instantText(lastUsedAt)),
    },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(' '), canShrink: true, wraps: true },
  ],
  none: 'There are no keys.',
  examples: [['baton keys ls', 'list keys, their scopes and last use']],
});

export const revoke = actOn({
  of: ['<key>', 'id of the key'],
  act: (client, id) => client.keys.revoke(id),
  done: 'The key is revoked. This cannot be undone.',
  examples: [['baton keys revoke KEY', 'requests with this key fail within seconds']],
});

function scopeArgument(text: string, before?: readonly string[]): string[] {
  if (allScopes.some((scope) => scope === text)) return repeated(text, before);
  throw new InvalidArgumentError(`Allowed choices are ${allScopes.join(', ')}.`);
}

export const create = actOn({
  of: ['<name>', 'what the key is for'],
  options: (command) =>
    command
      .requiredOption(
        '-s, --scope <scope>',
        `what the key may do; can be repeated (choices: ${allScopes.join(', ')})`,
        scopeArgument,
      )
      .option(
        '-w, --workflow <workflow>',
        'only allow this workflow, or a project, as payments/*; can be repeated',
        repeated,
      )
      .addOption(
        new Option('--effects <effect>', 'the strongest effect of workflows that the key may start').choices([
          'read',
          'idempotent',
          'write',
        ]),
      )
      .addOption(
        new Option('--approve <effect>', 'ask a person before the key does this at the gateway').choices(['write']),
      )
      .option('--person <id>', 'whose key it is: it may do no more than they; the default is a service’s')
      .option('--expires-in <duration>', 'how long the key is valid, such as 90d; the default is forever')
      .option('--max-runs <count>', 'how many unfinished runs the key may have', limitArgument)
      .option('--max-items <count>', 'how many items all forEach steps of one of its runs may have', limitArgument)
      .option('--max-checks <count>', 'how many workflows the key may check per minute', limitArgument),
  json: 'print the key and its rights as JSON',
  act: (client, name, { options }) => {
    const { scope: scopes, workflow: workflows, effects, approve, person, expiresIn, ...most } = options;
    const { maxRuns, maxItems, maxChecks } = most;
    const limits = defined({ runs: maxRuns, items: maxItems, checks: maxChecks });
    const isLimited = Object.keys(limits).length > 0;
    // The server checks the rights, and explains mistakes best.
    const body = {
      name,
      scopes,
      ...defined({ workflows, effects, approve, person, expiresIn }),
      ...(isLimited && { limits }),
    };
    return client.keys.create(body as BodyOf<'createKey'>);
  },
  print: ({ key }, { stdout }) => stdout.line(oneLine(key)),
  after: async ({ id }, { context, client, options: { workflow } }) => {
    context.stderr.line(`The key is shown only once. Revoke it: baton keys revoke ${oneLine(id)}`);
    if (workflow !== undefined) await warnOfUnknown(context, client, workflow);
  },
  examples: [
    ['baton keys create ci -s workflows:write -s runs:write --expires-in 90d', 'create a key; it is printed once'],
    ['baton keys create board -s runs:read -w report', 'create a key that reads the runs of one workflow'],
    [
      'baton keys create agent -s runs:write --approve write',
      'create a key for an agent whose writes a person approves',
    ],
  ],
});

/**
 * A key may be made before its workflow is deployed, so a name that is misspelt is only warned of. The key exists by
 * now, so a list that cannot be read must not make the command fail.
 */
async function warnOfUnknown({ stderr }: Context, client: Client, workflows: readonly string[]): Promise<void> {
  const [{ didYouMean }, { matchesWorkflow }, { ProblemError, UnreachableError }] = await Promise.all([
    import('@baton/expressions'),
    import('@baton/language'),
    import('@baton/api/client'),
  ]);
  const all = await Array.fromAsync(client.workflows.all()).catch((error: unknown) => {
    if (error instanceof ProblemError || error instanceof UnreachableError) return undefined;
    throw error;
  });
  if (all === undefined) return;
  const deployed = all.map(({ id }) => id);
  for (const name of workflows.filter((one) => !deployed.some((id) => matchesWorkflow([one], id)))) {
    const hint = didYouMean(name, deployed);
    stderr.line(`${stderr.paint.yellow('!')} No workflow ${name} is deployed${hint === undefined ? '.' : `; ${hint}`}`);
  }
}
