/** Commands about who acts: log in at a Baton server, log out, and show who it is. */
import type { Caller, Client } from '@baton/api/client';

import { findUrl } from '../client/address.ts';
import type { Context } from '../context.ts';
import { oneLine } from '../output/text.ts';
import { instantTextFor } from '../output/time.ts';
import { actOn, commandOf } from './defineCommand.ts';

const addressOf = async (context: Context, url: string | undefined): Promise<URL> =>
  findUrl(url === undefined ? context.address : { url }, await context.apiEnvironment());

export const login = commandOf({
  form: (command) =>
    command
      .argument('[url]', 'address of the server (default: --url, BATON_URL, else the Baton that runs here)')
      .option('--device', 'print a code to type in the browser of another machine')
      .option('--print', 'start no browser, and print the address'),
  act: async (context, [url], { device = false, print = false }) => {
    const { logIn } = await import('../login/logIn.ts');
    const server = await logIn(context, await addressOf(context, url), { device, print });
    const { findClient } = await import('../client/createClient.ts');
    const { client } = await findClient({ url: server }, { ...context.env, BATON_API_KEY: undefined });
    const { stderr } = context;
    stderr.line(oneLine(`Logged in at ${server} as ${nameOf(await client.sessions.whoAmI())}.`));
    if (url !== undefined && context.env['BATON_URL'] !== url)
      stderr.line(oneLine(`Commands go there with --url, or after: export BATON_URL=${server}`));
  },
  examples: [
    ['baton login', 'log in, in the browser, at the Baton that runs here or that BATON_URL names'],
    ['baton login https://baton.example', 'log in at another one'],
    ['baton login --device', 'log in from a machine without a browser: it prints a code to type elsewhere'],
  ],
});

export const logout = commandOf({
  form: (command) => command.argument('[url]', 'address of the server (default: as for `baton login`)'),
  act: async (context, [url]) => {
    const { logOut } = await import('../login/logOut.ts');
    return logOut(context, await addressOf(context, url));
  },
  examples: [['baton logout', 'end the log-in at the server, and remove it here']],
});

export const whoami = actOn({
  json: 'print it as JSON',
  act: (client: Client) => client.sessions.whoAmI(),
  print: (caller, { context, client, stdout }) => {
    for (const [name, text] of factsOf(caller, context, client)) stdout.line(`${name.padEnd(8)}${oneLine(text)}`);
  },
  examples: [['baton whoami', 'show who you are for Baton, through what, what you may do, and until when']],
});

const nameOf = ({ person, key }: Caller): string => (person ?? key)?.name ?? '';

function factsOf(caller: Caller, context: Context, client: Client): readonly (readonly [string, string])[] {
  const { person, key, client: connected, grants, approve, expiresAt } = caller;
  const via = [connected && `${connected.name} (${connected.id})`, key && `the key ${key.name} (${key.id})`];
  return [
    ['AT', client.url.href],
    ...(person === undefined ? [] : [['WHO', `${person.name} (${person.id})`] as const]),
    ...via.flatMap((one) => (one === undefined ? [] : [['VIA', one] as const])),
    ...grants.map((grant) => ['MAY', grantText(grant)] as const),
    ...(approve === undefined ? [] : [['ASKS', 'a person before each write at the gateway'] as const]),
    ['UNTIL', untilText(expiresAt, context)],
  ];
}

/** The log-in of a command goes on while it is used: its token is renewed. */
function untilText(expiresAt: string | undefined, { loggedInAt, stdout }: Context): string {
  if (loggedInAt !== undefined) return '30 days after the last use, or `baton logout`';
  return expiresAt === undefined ? 'no end' : instantTextFor(stdout)(expiresAt);
}

const grantText = ({ scopes, workflows, effects }: Caller['grants'][number]): string =>
  [
    scopes.join(' ') || 'nothing',
    ...(workflows === undefined ? [] : [`on ${workflows.join(', ')}`]),
    ...(effects === undefined ? [] : [`starting at most ${effects}`]),
  ].join('; ');
