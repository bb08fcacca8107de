import type { BodyOf, Client, Grant, Person } from '@baton/api/client';
import { defined } from '@baton/primitives';
import { writtenAccount } from '@baton/protocol';
import { Option } from '@commander-js/extra-typings';

import { addressWith } from '../client/pageAddress.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { repeated } from '../inputs/arguments.ts';
import { oneLine } from '../output/text.ts';
import { actOn, listCommand } from './defineCommand.ts';

const of = ['<person>', 'name or id of the person'] as const;

/** `author on payments/refunds, read` */
function grantText({ role, on, effects, from }: Grant): string {
  const where = on === undefined ? '' : ` on ${on.join(' ')}`;
  return `${role}${where}${effects === undefined ? '' : `, at most ${effects}`}${from === 'claims' ? ' (claims)' : ''}`;
}

export const ls = listCommand({
  json: 'print them as a JSON array',
  list: (client) => client.people.all(),
  columns: [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    {
      title: 'LAST SEEN',
      value: ({ seenAt }, { instantText }) => (seenAt === undefined ? 'never' : instantText(seenAt)),
    },
    { title: 'GRANTS', value: ({ grants }) => grants.map(grantText).join('; '), canShrink: true, wraps: true },
  ],
  none: 'There are no people: everyone here uses a key. Add one: baton people add',
  examples: [['baton people ls', 'list people and what they may do']],
});

export const roles = listCommand({
  json: 'print them as a JSON array',
  list: (client) => client.people.roles(),
  columns: [
    { title: 'ROLE', value: ({ id }) => id },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(' '), canShrink: true, wraps: true },
  ],
  examples: [['baton people roles', 'list the roles and what they may do']],
});

const projects = new Option('-p, --projects <pattern>', 'only for these workflows; can be repeated').argParser(
  repeated,
);
const effects = new Option('--effects <effect>', 'the strongest effect of workflows that they may start').choices([
  'read',
  'idempotent',
  'write',
]);

interface GrantOptions {
  readonly role?: string | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly effects?: string | undefined;
}

/** The server checks it, and explains mistakes best. */
const grantOf = ({ role, projects: on, effects: strongest }: GrantOptions) =>
  ({ role: role ?? '', ...defined({ on: on && [...on], effects: strongest }) }) as BodyOf<'grantRole'>;

export const add = actOn({
  of: ['<name>', 'what the page and the audit call the person'],
  options: (command) =>
    command
      .requiredOption('-r, --role <role>', 'what they may do: viewer, operator, author, approver, admin, or your own')
      .addOption(projects)
      .addOption(effects),
  json: 'print the person and the link as JSON',
  act: async (client, name, { options }) => {
    const person = await client.people.add({ name, grants: [grantOf(options)] });
    return { ...person, ...(await linkFor(client, person.id)) };
  },
  print: ({ link }, { stdout }) => stdout.line(link),
  after: ({ name }, { context }) => sayLink(context, name),
  examples: [
    ["baton people add ana --role author -p 'payments/*'", 'add a person, and print a link that logs them in once'],
    ['baton people add ben -r viewer -p report', 'add a person who sees the runs of one workflow, without values'],
  ],
});

export const link = actOn({
  of,
  json: 'print the link as JSON',
  act: async (client, text) => {
    const { id, name } = await findPerson(client, text);
    return { name, ...(await linkFor(client, id)) };
  },
  print: (made, { stdout }) => stdout.line(made.link),
  after: ({ name }, { context }) => sayLink(context, name),
  examples: [['baton people link ana', 'print another link, for another browser']],
});

export const grant = actOn({
  of,
  options: (command) =>
    command.requiredOption('-r, --role <role>', 'what they may do').addOption(projects).addOption(effects),
  json: 'print the person as JSON',
  act: async (client, text, { options }) => client.people.grant((await findPerson(client, text)).id, grantOf(options)),
  done: ({ name, grants }) => `${name} may now do: ${grants.map(grantText).join('; ')}. Open links of theirs are void.`,
  examples: [['baton people grant ana --role approver', 'let a person answer questions, too']],
});

export const revoke = actOn({
  of,
  options: (command) =>
    command.requiredOption('-r, --role <role>', 'the role to take away').addOption(projects).addOption(effects),
  act: async (client, text, { options }) => {
    const person = await findPerson(client, text);
    const wanted = grantText({ id: '', from: 'here', ...defined(grantOf(options)) });
    const found = person.grants.find((one) => one.from === 'here' && grantText(one) === wanted);
    if (found === undefined)
      throw new CommandError(
        exitCodes.notFound,
        `${person.name} has no grant "${wanted}" that was given here. Theirs: ${person.grants.map(grantText).join('; ') || 'none'}.`,
      );
    await client.people.revoke(person.id, found.id);
    return person;
  },
  done: ({ name }) => `The grant is taken from ${name}, within seconds everywhere.`,
  examples: [['baton people revoke ana --role author', 'take a grant away']],
});

export const remove = actOn({
  of,
  act: async (client, text) => {
    const person = await findPerson(client, text);
    await client.people.remove(person.id);
    return person;
  },
  done: ({ id, name }) =>
    `${name} is removed: their sessions have ended, their keys are revoked. Undo: baton people restore ${id}`,
  examples: [['baton people remove ana', 'end their sessions and revoke their keys, at once']],
});

export const restore = actOn({
  of: ['<id>', 'id of a person who was removed'],
  act: (client, id) => client.people.restore(id),
  done: ({ name }) => `${name} may log in again, with the grants from before.`,
  examples: [['baton people restore ID', 'let a person in again; `baton audit ls` has the id']],
});

async function linkFor(client: Client, id: string): Promise<{ readonly link: string; readonly expiresAt: string }> {
  const { code, expiresAt } = await client.people.link(id);
  return { link: addressWith(client, code), expiresAt };
}

const sayLink = ({ stderr }: Context, name: string): void =>
  stderr.line(oneLine(`The link logs in as ${name}, once, within 15 minutes. Send it to them alone.`));

/**
 * By id, as journals name them, or by the name of one who was made by hand: people of a provider choose their names there. Rejects with
 * `CommandError` where none or several have the name.
 */
async function findPerson(client: Client, text: string): Promise<Person> {
  const all = await Array.fromAsync(client.people.all());
  const found = all.filter(({ id, name, account }) =>
    account === undefined
      ? id === text || name === text
      : id === text || writtenAccount(account.issuer, account.subject) === text,
  );
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined)
    throw new CommandError(
      exitCodes.usage,
      `Several people are called ${text}. Give an id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  const namesakes = all.filter(({ name }) => name === text);
  if (namesakes.length > 0)
    throw new CommandError(
      exitCodes.usage,
      `${text} is a name that someone has at an identity provider. Give an id: ${namesakes.map(({ id, account }) => `${id} (${account?.subject ?? ''} at ${account?.issuer ?? ''})`).join(', ')}.`,
    );
  const { didYouMean } = await import('@baton/expressions');
  const hint = didYouMean(
    text,
    all.map(({ name }) => name),
  );
  throw new CommandError(
    exitCodes.notFound,
    `There is no person ${JSON.stringify(text.slice(0, 80))}${hint === undefined ? '.' : `; ${hint}`}`,
  );
}
