/**
 * Handles the requests that a server may make during a call: sampling, within the run's budget, and elicitation, as a
 * question of the run. Both belong to one run, so the run must be known.
 */
import type { Logger } from '@baton/boot';
import { FailureError } from '@baton/engine';
import type { Budget } from '@baton/language';
import { type Json, type JsonObject, cleanText, defined } from '@baton/primitives';
import { type CallBudgets, type Models, type Plans, openRun } from '@baton/runner';
import type { ServerRequest, Handlers, ServerLog } from '@baton/transports';

import { askClient, samplingClientIn } from './askClient.ts';
import { type AskRunOptions, askRun } from './askRun.ts';
import type { CallsUnderWay, CallUnderWay } from './callsUnderWay.ts';
import { elicit } from './elicit.ts';

export interface ServerHandlersOptions extends AskRunOptions {
  readonly underWay: CallsUnderWay;
  readonly models: Models;
  readonly plans: Plans;
  /** Absent: there are no budgets over time. */
  readonly budgets?: CallBudgets;
  readonly log: Logger;
}

const messageCharacters = 2_000;
/** Sampling requests during one call; limits a server that never stops asking, also without a budget. */
const samplesMax = 50;

export function serverHandlers(options: ServerHandlersOptions): Handlers {
  const { underWay, log } = options;
  return {
    sampling: async (params, asked) => sample(options, callOf(underWay, asked), params, asked),
    elicitation: async (params, asked) => elicit({ ...options, callOf: (by) => callOf(underWay, by) }, params, asked),
    log: (entry) => note(log, entry),
  };
}

async function sample(
  options: ServerHandlersOptions,
  call: CallUnderWay,
  params: JsonObject,
  { policy, signal }: ServerRequest,
): Promise<JsonObject> {
  call.samples += 1;
  if (call.samples > samplesMax) {
    throw refused(
      'limit-exceeded',
      `A call may ask a model ${samplesMax} times, and "${call.server}" asked more often.`,
    );
  }
  if (policy === 'ask' && !(await isAgreed(options, call, params, signal))) {
    throw refused('server-rejected', `No person agreed that the server "${call.server}" asks a model.`);
  }
  const until = AbortSignal.any([signal, call.ended]);
  const client = samplingClientIn((await options.journal.open(call.runId))?.events ?? []);
  if (client !== undefined) return askClient(options, call, params, { client, signal: until });
  // In sequence: of many requests at once each would see the whole budget.
  return options.underWay.inSequence(call.runId, () => askModel(options, call, params, until));
}

async function askModel(
  options: ServerHandlersOptions,
  call: CallUnderWay,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const tokens = await tokensLeft(options, call);
  const { maxTokens } = params;
  const asksFor = typeof maxTokens === 'number' ? Math.min(maxTokens, tokens) : tokens;
  const request = asksFor === Infinity ? params : { ...params, maxTokens: asksFor };
  const { runId } = call;
  const attemptKey = `${runId}/${call.path}#${call.attempt}`;
  const context = { runId, attemptKey, signal, timeout: {}, onProgress: (): void => {} };
  const { result, usage } = await options.models.sample(request, { context });
  call.spend(usage);
  return result;
}

/** The tokens that the run may still spend, more than zero. Rejects with `FailureError` where its budget is spent. */
async function tokensLeft(
  { journal, plans, budgets, underWay }: ServerHandlersOptions,
  call: CallUnderWay,
): Promise<number> {
  const { run } = (await openRun(journal, call.runId)) ?? {};
  if (run === undefined) return Infinity;
  const plan = await plans(run.definition);
  const { inputTokens, outputTokens, usd } = underWay.unrecorded(call.runId);
  const tokensSpent = run.spent.tokens + inputTokens + outputTokens;
  const usdSpent = run.spent.usd + usd;
  const isOver = (budget: Budget | undefined): boolean =>
    tokensSpent >= (budget?.tokens ?? Infinity) || usdSpent >= (budget?.usd ?? Infinity);
  if (isOver(plan.budget) || isOver(run.budget)) {
    throw refused('budget-exceeded', `The run has spent its budget; the server "${call.server}" may ask no model.`);
  }
  const { path } = call;
  const spent = (await budgets?.refused(run.workflow, [{ path, kind: 'model' }]))?.get(path);
  if (spent !== undefined) throw refused('budget-exceeded', spent.message);
  return Math.min(plan.budget?.tokens ?? Infinity, run.budget?.tokens ?? Infinity) - tokensSpent;
}

const agreement = {
  type: 'object',
  properties: { allow: { type: 'boolean', title: 'Allow' } },
  required: ['allow'],
} as const satisfies Json;

async function isAgreed(
  options: ServerHandlersOptions,
  call: CallUnderWay,
  params: JsonObject,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = cleanText(JSON.stringify(params['messages'] ?? null), messageCharacters);
  const message = `The server "${call.server}" wants to ask a model: ${wanted}`;
  const answer = await askRun(options, call, { message, form: agreement }, { signal });
  return typeof answer === 'object' && answer !== null && 'allow' in answer && answer.allow === true;
}

/** The call during which the server asks: the oldest one of the run. Throws `FailureError` where the run is unknown. */
function callOf(underWay: CallsUnderWay, { server, runs }: ServerRequest): CallUnderWay {
  const [runId = ''] = runs;
  const [call] = runs.length === 1 ? underWay.of(server, runId) : [];
  if (call !== undefined) return call;
  const why = runs.length > 1 ? 'calls of several runs are under way' : 'no call is under way';
  throw refused('server-rejected', `Baton does not answer the request of the server "${server}": ${why}.`);
}

const refused = (code: 'server-rejected' | 'budget-exceeded' | 'limit-exceeded', message: string): FailureError =>
  new FailureError(code, message, { delivery: 'answered' });

const levels = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
} as const;

function note(log: Logger, { server, session, level, logger, message }: ServerLog): void {
  const ours = Object.hasOwn(levels, level) ? levels[level as keyof typeof levels] : 'error';
  log[ours]({ server, session, ...defined({ logger }) }, message);
}
