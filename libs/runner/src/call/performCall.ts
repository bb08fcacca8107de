/** Makes the call of a step, and reports how it ended. */
import {
  type Blobs,
  type Call,
  type Command,
  type Delivery,
  type Failure,
  type AttemptReport,
  type Run,
  type Usage,
  type Value,
  argumentsFailureAt,
  callOf,
  FailureError,
  InvariantError,
  pacedName,
  serverOf,
  toolsReadSince,
  placeAt,
  resolve,
} from '@baton/engine';
import type { CallStep, Plan } from '@baton/language';
import { type JsonObject, defined, isObject } from '@baton/primitives';

import type { Ports } from '../drivePorts.ts';
import { type CallPace, MissedTurnError, type PacedCall, turnOf } from '../ports/callPace.ts';
import { type CallContext, type CallResult, type Progress, isWithoutLogin } from '../ports/calls.ts';
import { UnavailableError, unavailableIn } from '../ports/journal.ts';
import { type ValueSources, withLoadedValues } from '../values/withLoadedValues.ts';
import type { AbortReason } from './inFlightCalls.ts';
import { workerLost } from './stoppedCall.ts';

/** A call that ignores its cancellation is reported as given up after this long. */
const abortGraceMs = 10_000;

export interface CallEnvironment {
  readonly plan: Plan;
  /** The run at the time of the call. */
  readonly run: Run;
  readonly valueSources: ValueSources;
  readonly signal: AbortSignal;
  /** Called right before the call is sent. */
  readonly beginSend: () => boolean;
  readonly awaitTurn?: CallContext['awaitTurn'];
  readonly onProgress: (progress: Progress) => void;
  /** Called with the real end of a call that had been reported as given up. */
  readonly onLate: (report: AttemptReport) => void;
}

type OnSession = NonNullable<CallContext['onSession']>;

type CallCommand = Extract<Command, { kind: 'call' }>;

/**
 * Rejects with `UnavailableError` where something that the call needs could not be read, the token of its server
 * included: the call did not run, and may be made again. Whether `beginSend` was called decides whether a call was sent,
 * unless its failure says that it did not run.
 */
export async function performCall(
  ports: Ports,
  command: CallCommand,
  surroundings: CallEnvironment,
): Promise<AttemptReport> {
  const { path, attempt } = command;
  const { signal } = surroundings;
  let wasSent = false;
  // A call that was given up before it was sent is not sent any more.
  const beginSend = (): boolean => {
    const mayBeSent = !signal.aborted && surroundings.beginSend();
    wasSent ||= mayBeSent;
    return mayBeSent;
  };
  const paced = pacedCallOf(ports, command, surroundings.run);
  const awaitTurn = paced && ((): Promise<void> => turnOf(paced.pace, paced, signal));
  const environment = { ...surroundings, beginSend, ...defined({ awaitTurn }) };
  const deliveryUnknown = (): Delivery => (wasSent ? 'unknown' : 'unsent');
  let used: { readonly session?: string; readonly login?: string } = {};
  const base = () => ({ path, attempt, ...used });
  const onSession: OnSession = (session, isOwnLogin) => {
    const { person } = surroundings.run;
    used = { session, ...(isOwnLogin === true && person && { login: `${person.name} (${person.id})` }) };
  };
  const ended = makeCall(ports, command, environment, onSession).then(
    ({ result, usage }): AttemptReport => {
      const spent = usage === undefined ? {} : { usage };
      return { ...base(), at: ports.clock.now(), outcome: 'succeeded', value: { json: result }, ...spent };
    },
    async (error: unknown): Promise<AttemptReport> => {
      if (error instanceof InvariantError) throw error;
      const unread = unavailableIn(error);
      if (unread !== undefined && (!wasSent || hasSurelyNotRun(error))) throw unread;
      const failed = failureFields(error, signal, deliveryUnknown());
      const { failure, retryAfterMs } = failed;
      const server = serverOf(command.call);
      if (server !== undefined) ports.pace?.noteFailure(server, { code: failure.code, retryAfterMs });
      const isUnmade =
        error instanceof MissedTurnError || (await hasLoginEnded(ports, command, surroundings.run, error));
      const missed = isUnmade ? { missedTurn: true as const } : {};
      return { ...base(), at: ports.clock.now(), outcome: 'failed', ...failed, ...missed };
    },
  );
  const fallback = (): AttemptReport => ({
    ...base(),
    at: ports.clock.now(),
    outcome: 'failed',
    ...failureFields(ignoredCancellation(deliveryUnknown()), signal, deliveryUnknown()),
  });
  return endOrGiveUp(ports, environment, ended, fallback);
}

/** Undefined: the server takes calls at any time. */
function pacedCallOf(
  { pace }: Ports,
  { call }: CallCommand,
  { by, person }: Run,
): (PacedCall & { readonly pace: CallPace }) | undefined {
  if (pace === undefined || call.verb === 'sample' || !pace.isPaced(call.server, person)) return undefined;
  return { pace, server: call.server, name: pacedName(call), by, ...defined({ person }) };
}

/**
 * Whether the call was turned away because the login of the person has ended: it lines up again, and waits for the next
 * login. A call that was begun without one has waited, or has a client that waits: it fails.
 */
async function hasLoginEnded(
  { pace }: Ports,
  { call }: CallCommand,
  { person, session }: Run,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof FailureError) || error.code !== 'server-unauthorized') return false;
  if (error.delivery === 'answered' || error.delivery === 'unknown' || isWithoutLogin(error)) return false;
  if (person === undefined || session !== undefined || call.verb === 'sample') return false;
  try {
    return (await pace?.lacksLogin?.(call.server, person)) === true;
  } catch (error) {
    // It did not run: in line, the login is asked for again.
    if (error instanceof UnavailableError) return true;
    throw error;
  }
}

const hasSurelyNotRun = (error: unknown): boolean =>
  error instanceof FailureError && (error.delivery === 'unsent' || error.delivery === 'rejected');

const ignoredCancellation = (delivery: Delivery): FailureError =>
  new FailureError('cancelled', 'The call was cancelled and did not stop.', { delivery });

type CallOutcome = Awaited<ReturnType<Ports['models']['sample']>> | CallResult;

async function makeCall(
  ports: Ports,
  command: CallCommand,
  environment: CallEnvironment,
  onSession: OnSession,
): Promise<CallOutcome> {
  const { step, call, path, attempt } = command;
  const { run, signal, beginSend, awaitTurn, onProgress } = environment;
  const readSince = toolsReadSince(run, path);
  const context: CallContext = {
    runId: run.id,
    workflow: workflowOf(run),
    attemptKey: `${run.id}/${path}#${attempt}`,
    signal,
    beginSend,
    timeout: step.timeout,
    ...defined({ awaitTurn, toolsReadSince: readSince, person: run.person }),
    onProgress,
    onSession,
  };
  try {
    const revealed = await withSecrets(ports, command, environment);
    const argumentsOf = async (value: Value): Promise<JsonObject> =>
      withLoadedValues(environment.valueSources, run.id, (blobs) => resolve(value, blobs) as JsonObject);
    const outcome = await send(ports, revealed, step, context, argumentsOf);
    // Sessions redact what servers send; what a model answers is redacted here.
    return call.verb === 'sample' ? { ...outcome, result: ports.known.redactor.json(outcome.result) } : outcome;
  } catch (error) {
    throw error instanceof FailureError ? ports.known.redactor.failure(error) : error;
  }
}

async function send(
  { calls, models }: Ports,
  call: Call,
  step: CallStep,
  context: CallContext,
  argumentsOf: (value: Value) => Promise<JsonObject>,
): Promise<CallOutcome> {
  switch (call.verb) {
    case 'tool': {
      const { server, tool, effect, added } = call;
      // A server that honours idempotency keys does a write once, however often this step sends it.
      const idempotencyKey = call.idempotencyKey ?? (effect === 'write' ? stableKeyOf(context) : undefined);
      const known = {
        ...defined({ idempotencyKey }),
        ...(step.verb === 'tool' && step.definition !== undefined ? { definition: step.definition } : {}),
        ...(step.verb === 'tool' && step.pin !== undefined ? { pin: step.pin } : {}),
      };
      const sent = { ...added, ...(await argumentsOf(call.arguments)) };
      checkRevealed(step, sent);
      return calls.callTool({ server, tool, arguments: sent, ...known }, context);
    }
    case 'prompt':
      return calls.getPrompt(
        { server: call.server, prompt: call.prompt, arguments: await argumentsOf(call.arguments) },
        context,
      );
    case 'resource':
      return calls.readResource(
        { server: call.server, uri: call.uri, arguments: await argumentsOf(call.arguments) },
        context,
      );
    case 'sample': {
      if (context.beginSend?.() === false) throw workerLost();
      const output = step.verb === 'sample' && step.output !== undefined ? { output: step.output } : {};
      return models.sample(await argumentsOf(call.request), { ...output, context });
    }
  }
}

/** Before the intent, only the masks of secrets could be checked. Throws `FailureError`. */
function checkRevealed(step: CallStep, sent: JsonObject): void {
  if (step.verb !== 'tool' || step.with.secrets.length === 0) return;
  const unfit = argumentsFailureAt(step, sent, { isMasked: false });
  if (unfit !== undefined) throw unfit;
}

/** The idempotency key of a step: the same for each of its attempts. */
const stableKeyOf = ({ attemptKey }: CallContext): string => attemptKey.slice(0, attemptKey.lastIndexOf('#'));

/** An undo has a definition that Baton made of the calls of its workflow, and no version. */
const workflowOf = ({ workflow, version, trigger }: Run): Required<CallContext>['workflow'] => ({
  id: workflow,
  isDeployed: version !== undefined || (trigger.kind === 'undo' && trigger.detail?.['isInline'] !== true),
});

/** Evaluates the call again with secrets in place of their masks. The result is never stored. */
async function withSecrets(
  ports: Ports,
  { step, call, path }: CallCommand,
  { plan, run, valueSources }: CallEnvironment,
): Promise<Call> {
  const names = step.verb === 'tool' ? step.with.secrets : [];
  if (names.length === 0 || call.verb !== 'tool') return call;
  const workflow = { id: run.workflow, isDeployed: run.version !== undefined };
  const secrets = await ports.secrets(names, { workflow, server: call.server });
  const evaluate = (blobs: Blobs): Call => callOf(step, { ...placeAt(plan, run, path, blobs), secrets });
  return withLoadedValues(valueSources, run.id, evaluate);
}

/**
 * Resolves with the end of the call, or with `fallback` when the call ignores its cancellation; `onLate` then gets its
 * real end.
 */
async function endOrGiveUp(
  { clock }: Ports,
  { signal, onLate }: CallEnvironment,
  ended: Promise<AttemptReport>,
  fallback: () => AttemptReport,
): Promise<AttemptReport> {
  const first = Promise.withResolvers<AttemptReport>();
  let isGivenUp = false;
  let forget = (): void => {};
  const start = (): void => {
    forget = clock.after(abortGraceMs, () => {
      isGivenUp = true;
      first.resolve(fallback());
    });
  };
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  ended.then((report) => (isGivenUp ? onLate(report) : first.resolve(report)), first.reject);
  try {
    return await first.promise;
  } finally {
    signal.removeEventListener('abort', start);
    forget();
  }
}

/** What the answers of a model cost that did not fit. */
const usageIn = ({ code, details }: Failure): Usage | undefined =>
  code === 'output-invalid' && isObject(details) && isObject(details['usage']) ? details['usage'] : undefined;

type FailedFields = Omit<Extract<AttemptReport, { outcome: 'failed' }>, 'path' | 'attempt' | 'at' | 'outcome'>;

/** `otherwise`: how far the call got, where the error does not say it. */
function failureFields(error: unknown, signal: AbortSignal, otherwise: Delivery): FailedFields {
  const aborted = signal.aborted ? { aborted: true as const } : {};
  if (error instanceof FailureError) {
    const { failure, delivery, retryAfterMs } = error;
    const reason = signal.aborted ? (signal.reason as AbortReason) : undefined;
    const shown: Failure =
      reason?.kind === 'stop' ? { ...failure, code: 'cancelled', message: reason.reason } : failure;
    return { failure: shown, delivery, ...aborted, ...defined({ retryAfterMs, usage: usageIn(failure) }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { failure: { code: 'server-error', message }, delivery: otherwise, ...aborted };
}
