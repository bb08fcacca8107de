/** `baton hooks test`: signs a body with the secret of a webhook, sends it as its sender would, and reports the result. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { type Answer, type Client, type Hook, ProblemError, readProblem, UnreachableError } from '@baton/api/client';
import { isObject } from '@baton/primitives';
import { type WebhookScheme, hookKeyBytesMin, isHookKey, signedHeaders, webhookSchemes } from '@baton/protocol';

import { headerOf } from '../api/callApi.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodeOfStatus, exitCodes } from '../exitCodes.ts';
import { readSecret } from '../inputs/readSecret.ts';
import { whyOf } from '../output/fileFault.ts';
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

type HookDelivery = Hook['deliveries'][number];

/** How often to look for the reason of a refusal, and the interval in milliseconds. */
const looks = 10;
const lookEveryMs = 100;

/** Resolves to the exit code. Rejects with `CommandError`. */
export async function sendDelivery(context: Context, sent: DeliveryToSend): Promise<ExitCode> {
  const client = await context.client();
  const hook = await findHook(client, sent.name);
  const body = await bodyOf(sent.data);
  const answer = await client.connection.exchange('POST', hook.path, {
    text: body,
    contentType: 'application/json',
    headers: { ...Object.fromEntries(sent.headers.map(headerOf)), ...(await signatureOf(context, hook, body)) },
  });
  const { status, text } = answer;
  if (sent.asJson) context.stdout.line(text);
  if (status < 300) printAccepted(context, text, sent.asJson);
  else await printRefused(context, client, { hook, name: sent.name, answer });
  return status < 300 ? exitCodes.done : exitCodeOfStatus(status);
}

function printAccepted({ stdout, stderr }: Context, text: string, asJson: boolean): void {
  const answer: unknown = JSON.parse(text);
  const id = isObject(answer) && typeof answer['id'] === 'string' ? oneLine(answer['id']) : undefined;
  if (id === undefined) return stderr.line(`The delivery started no run. ${reasonIn(answer)}`.trimEnd());
  if (!asJson) stdout.line(id);
  stderr.line(`The delivery started a run: baton runs watch ${id}`);
}

const reasonIn = (answer: unknown): string =>
  isObject(answer) && typeof answer['reason'] === 'string' ? oneLine(answer['reason']) : '';

/** `hook`: as it was before the delivery. */
interface RefusedDelivery {
  readonly hook: Hook;
  readonly name: string;
  readonly answer: Answer;
}

/** The answer to a wrong signature gives no reason. The owner of the hook finds it among the deliveries. */
async function printRefused(
  { stderr }: Context,
  client: Client,
  { hook, name, answer }: RefusedDelivery,
): Promise<void> {
  const { status, headers, text } = answer;
  const problem = readProblem('', status, headers, text);
  const isUntold = problem?.code === 'signature-refused';
  const reason = (isUntold ? await recordedReason(client, name, hook) : undefined) ?? problem?.message ?? '';
  stderr.line(
    `${stderr.paint.red('error:')} ${`The delivery was refused with ${status}. ${oneLine(reason)}`.trimEnd()}`,
  );
}

/**
 * The reason of a refused delivery that is not in `before`. Baton may record it after its answer. Undefined if it is not
 * known: Baton records only one refusal per second for each reason, and other senders may be refused at the same time.
 */
async function recordedReason(client: Client, name: string, before: Hook): Promise<string | undefined> {
  const isNew = ({ at }: HookDelivery): boolean => !before.deliveries.some((old) => old.at === at);
  for (let look = 0; look < looks; look++) {
    if (look > 0) await pause(lookEveryMs);
    const hook = await findHook(client, name).catch(undefinedUnlessBug);
    const found = hook?.deliveries.filter((one) => one.outcome === 'refused' && isNew(one)) ?? [];
    const reasons = new Set(found.map(({ reason }) => reason));
    if (hook === undefined || reasons.size > 0) return reasons.size === 1 ? found[0]?.reason : undefined;
  }
  return undefined;
}

/** The refusal is reported even if its reason cannot be asked for. */
function undefinedUnlessBug(error: unknown): undefined {
  const isAnswer = error instanceof ProblemError || error instanceof UnreachableError || error instanceof CommandError;
  if (!isAnswer) throw error;
}

/** Takes the secret from the variable of its name, or asks for it: the API never returns secrets. */
async function signatureOf(context: Context, { scheme, secret }: Hook, body: string) {
  if (!isScheme(scheme)) throw new Error(`This version of the command knows no scheme ${scheme}.`);
  const value = context.env[secret] ?? (await readSecret(context, secret, 'Nothing was sent.'));
  const hint = `give the secret in the variable ${secret}, or on stdin`;
  if (value === '')
    throw new CommandError(exitCodes.usage, `The secret ${secret} signs the delivery, and stdin is empty.`, { hint });
  if (!isHookKey(value, scheme))
    throw new CommandError(exitCodes.usage, `The value of ${secret} is shorter than ${hookKeyBytesMin} bytes.`, {
      hint,
    });
  return signedHeaders(scheme, { id: `test_${randomUUID()}`, body, secret: value, nowMs: Date.now() });
}

const isScheme = (scheme: string): scheme is WebhookScheme => Object.hasOwn(webhookSchemes, scheme);

async function bodyOf(data: string): Promise<string> {
  if (!data.startsWith('@')) return data;
  return readFile(data.slice(1), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.usage, `The body in ${data.slice(1)} cannot be read: ${whyOf(cause)}.`, { cause });
  });
}
