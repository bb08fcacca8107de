/** What Baton would do for a server of a folder's `mcp.json` that a person has to allow. */
import { createHash } from 'node:crypto';

import { withEscapes } from '@baton/primitives';
import { type ServerConfig, referencesIn } from '@baton/protocol';

import { shellWord } from '../shellWord.ts';

export interface ServerAct {
  /** One line, with what a person would not see written as escapes. */
  readonly line: string;
  /** Of all that decides which program is started, or what is sent where. */
  readonly digest: string;
}

/**
 * A program is started; an address gets the variables of the environment that the folder names. Undefined for a server
 * that is off, and for an address that gets nothing of the user's.
 */
export function actOfServer(name: string, server: ServerConfig): ServerAct | undefined {
  if (server.disabled) return undefined;
  if (server.type === 'stdio') {
    const { command, args, env, cwd } = server;
    // The values count, since some choose what is loaded (PYTHONPATH); they are not shown, since some are secret.
    const variables = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const set = variables.map(([variable]) => `${shellWord(variable)}=…`);
    const words = [...set, ...[command, ...args].map(shellWord)].join(' ');
    const place = cwd === undefined ? '' : ` (in ${shellWord(cwd)})`;
    return actOf(`${name}: ${words}${place}`, { command, args, variables, cwd });
  }
  if (server.type === 'builtin') return undefined;
  const { url, headers, policy } = server;
  const whole = { url, headers, auth: policy.auth };
  const sent = referencesIn(JSON.stringify(whole)).filter(({ kind }) => kind === 'env');
  if (sent.length === 0) return undefined;
  const names = [...new Set(sent.map((reference) => reference.name))].join(', ');
  return actOf(`${name}: sends ${names} of your environment to ${url}`, whole);
}

const actOf = (line: string, whole: object): ServerAct => ({
  line: withEscapes(line)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`),
  digest: createHash('sha256').update(JSON.stringify(whole)).digest('base64url'),
});
