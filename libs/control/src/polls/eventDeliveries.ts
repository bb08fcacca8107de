/**
 * Takes what servers post (SEP-3415, webhook delivery): signed events, and words about the subscription; and what they
 * send on streams.
 */
import { ProblemError } from '@baton/api';
import { parseJsonText } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import { readPosted, verifyDelivery } from '@baton/protocol';
import { UnavailableError } from '@baton/runner';
import { type PollState, readPolls } from '@baton/store';

import { type DeployedEvent, pollNameOf } from './deployedPoll.ts';
import { answerOf, eventType, lostAfter } from './eventAnswer.ts';
import type { EventHooks } from './eventHooks.ts';
import type { PollAnswer } from './pollAnswer.ts';
import { type PollOptions, type Polled, fail, takeAnswer } from './pollOnce.ts';

export interface PostedRequest {
  readonly workflow: string;
  /** The last part of the address. */
  readonly hook: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export type ReceivedEvent =
  | { readonly kind: 'run'; readonly run: { readonly runId: string; readonly isNew: boolean } }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'challenge'; readonly challenge: string };

/** Another process wrote the row at that moment: so often it is tried again. */
const triesMax = 10;

/** `deployed`: of the workflow. Rejects with `ProblemError` and `UnavailableError`; the server posts it again then. */
export async function receiveEvent(
  options: PollOptions,
  deployed: readonly DeployedEvent[],
  request: PostedRequest,
  signal: AbortSignal,
): Promise<ReceivedEvent> {
  const { hooks, clock } = options;
  const { hook, headers, body } = request;
  const found = deployed
    .map((one) => ({ one, secrets: hooks?.secretsOf(one, hook) ?? [] }))
    .find(({ secrets }) => secrets.length > 0);
  const { id } = verifyDelivery('standard', { headers, body, secrets: found?.secrets ?? [], nowMs: clock.now() });
  if (hooks === undefined || found === undefined || id === undefined) throw refused();
  const json = parseJsonText(body.toString('utf8'));
  const posted = readPosted(json);
  if (json === undefined || posted === undefined)
    throw new ProblemError('validation-failed', 'The body is neither an event nor a word about the subscription.');
  if (posted.type === 'verification') return { kind: 'challenge', challenge: posted.challenge };
  if (posted.type === 'terminated') return terminated(options, found.one, posted.error?.message);
  const isGap = posted.type === 'gap';
  const events: readonly Json[] = isGap ? [] : [json];
  return take(options, hooks, { one: found.one, signal }, { id, events, isGap, cursor: posted.cursor ?? null });
}

/** The next question subscribes anew, or opens the stream again. */
export async function terminated(options: PollOptions, one: DeployedEvent, why = 'no reason'): Promise<ReceivedEvent> {
  const reason = `The server has ended the subscription: ${why.slice(0, 400)}`;
  const [before] = await readPolls(options.store, [pollNameOf(one)]);
  await fail(options, one, before, { message: reason });
  return { kind: 'ignored', reason };
}

interface Delivered {
  readonly events: readonly Json[];
  readonly isGap: boolean;
  /** Null: the one before stays. */
  readonly cursor: string | null;
}

interface Posted extends Delivered {
  /** The same when it is posted again. */
  readonly id: string;
}

async function take(
  options: PollOptions,
  hooks: EventHooks,
  { one, signal }: { readonly one: DeployedEvent; readonly signal: AbortSignal },
  { id, ...delivered }: Posted,
): Promise<ReceivedEvent> {
  return hooks.inTurn(pollNameOf(one), signal, async () =>
    received(await takeDelivered(options, { one, signal }, delivered, () => `told by ${id}`)),
  );
}

/** False: not all of it is written, and the server has to send it again. Rejects with `UnavailableError`. */
export async function takeStreamed(
  options: PollOptions,
  to: { readonly one: DeployedEvent; readonly signal: AbortSignal },
  streamed: Delivered,
): Promise<boolean> {
  const polled = await takeDelivered(options, to, streamed, lostAfter);
  return polled.kind === 'answered' && polled.found.left === 0;
}

/** `lost`: which events are lost where some are, by the cursor of before. */
async function takeDelivered(
  options: PollOptions,
  { one, signal }: { readonly one: DeployedEvent; readonly signal: AbortSignal },
  delivered: Delivered,
  lost: (cursor: string | null) => string,
): Promise<Polled> {
  const answered = async (before: PollState | undefined): Promise<PollAnswer> => {
    if (before?.polledAt === undefined || before.basis !== one.trigger.basis || before.begins !== undefined)
      throw new UnavailableError('The subscription is not written down yet.');
    const type = await eventType(options, one);
    // The time of the next renewal stays, and so does a cursor where the server gives none.
    const pauseMs = Math.max(0, before.nextAt - options.clock.now());
    const page = { ...delivered, cursor: delivered.cursor ?? before.cursor ?? null, hasMore: false, pauseMs };
    return answerOf(one.trigger, type, lost(before.cursor ?? null), page);
  };
  for (let tries = 0; ; tries += 1) {
    const polled = await takeAnswer(options, one, signal, answered);
    if (polled.kind !== 'overtaken' || tries === triesMax) return polled;
  }
}

function received(polled: Polled): ReceivedEvent {
  if (polled.kind === 'overtaken') throw notYet('Others write at the same time.');
  if (polled.kind !== 'answered')
    throw notYet(polled.kind === 'paused' ? 'The workflow is paused.' : 'The event cannot be taken now.');
  const { found } = polled;
  const [runId] = found.runs;
  if (found.left > 0) throw notYet('The workflow has no place for the run.');
  if (runId !== undefined) return { kind: 'run', run: { runId, isNew: true } };
  const [why] = found.reasons;
  return { kind: 'ignored', reason: why?.reason ?? (found.seen > 0 ? 'It came before.' : 'It starts no run.') };
}

const notYet = (why: string): ProblemError => new ProblemError('dependency-down', `${why} Post it again later.`);

/** The same for an unknown address and a wrong signature. */
const refused = (): ProblemError =>
  new ProblemError('signature-refused', 'There is no such hook, or the request is not signed as it should be.');
