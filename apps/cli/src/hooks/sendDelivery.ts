/** `baton hooks test`: signs a body with the secret of a webhook, sends it as its sender would, and says what came of it. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { Client, Hook } from '@baton/api/client';
import { isObject } from '@baton/primitives';
import type { WebhookScheme } from '@baton/protocol';
import { hookKeyBytesMin, isHookKey, schemes, signedHeaders } from '@baton/protocol';

import { headerOf } from '../api/callApi.ts';
import type { AddressOptions } from '../client/address.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exitCodes.ts';
import { exitCodeOfStatus, exitCodes } from '../exitCodes.ts';
import { readSecret } from '../inputs/readSecret.ts';
import { oneLine } from '../output/text.ts';
import { findHook } from './findHook.ts';

export interface DeliveryToSend {
  /** WORKFLOW/HOOK. */
  readonly name: string;
  /** The body, or `@FILE`. */
  readonly data: string;
  readonly headers: readonly string[];
  readonly asJson: boolean;
}

/** Resolves to the exit code. Rejects with `CommandError`. */
export async function sendDelivery(context: Context, address: AddressOptions, sent: DeliveryToSend): Promise<ExitCode> {
  const client = await context.client(address);
  const hook = await findHook(client, sent.name);
  const body = await bodyOf(sent.data);
  const { status, text } = await client.connection.exchange('POST', hook.path, {
    text: body,
    contentType: 'application/json',
    headers: { ...Object.fromEntries(sent.headers.map(headerOf)), ...(await signatureOf(context, hook, body)) },
  });
  if (sent.asJson) context.stdout.line(text);
  if (status < 300) sayAccepted(context, text, sent.asJson);
  else await sayRefused(context, client, sent.name, status);
  return status < 300 ? exitCodes.done : exitCodeOfStatus(status);
}

function sayAccepted({ stdout, stderr }: Context, text: string, asJson: boolean): void {
  const answer: unknown = JSON.parse(text);
  const id = isObject(answer) && typeof answer['id'] === 'string' ? oneLine(answer['id']) : undefined;
  if (id === undefined) return stderr.line('It started no run: `if` of the webhook is not true for it.');
  if (!asJson) stdout.line(id);
  stderr.line(`It started a run: baton runs watch ${id}`);
}

/** The sender is told little. The owner finds the reason among the deliveries. */
async function sayRefused({ stderr }: Context, client: Client, name: string, status: number): Promise<void> {
  const { deliveries } = await findHook(client, name);
  const reason = deliveries.find(({ outcome }) => outcome === 'refused')?.reason ?? '';
  stderr.line(`${stderr.paint.red('error:')} ${`It was refused with ${status}. ${oneLine(reason)}`.trimEnd()}`);
}

/** The secret is in the variable of its name, or is asked for. The server never gives one away. */
async function signatureOf(context: Context, { scheme, secret }: Hook, body: string) {
  if (!isScheme(scheme)) throw new Error(`This version of the command knows no scheme ${scheme}.`);
  const value = context.env[secret] ?? (await readSecret(context, secret, 'Nothing was sent.'));
  if (!isHookKey(value, scheme))
    throw new CommandError(exitCodes.usage, `What was given as ${secret} is shorter than ${hookKeyBytesMin} bytes.`, {
      hint: `give the secret in the variable ${secret}, or on stdin`,
    });
  return signedHeaders(scheme, { id: `test_${randomUUID()}`, body, secret: value, nowMs: Date.now() });
}

const isScheme = (scheme: string): scheme is WebhookScheme => scheme in schemes;

async function bodyOf(data: string): Promise<string> {
  if (!data.startsWith('@')) return data;
  return readFile(data.slice(1), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.usage, `The body cannot be read: ${cause.message}.`, { cause });
  });
}
