/** Reads the calls of a run, with arguments and answers, from its journal. */
import { type Blobs, type EventOf, type RunEvent, calledName, resolve } from '@baton/engine';
import type { Effect } from '@baton/language';
import { type Json, type JsonObject, canonicalJson, defined, isObject } from '@baton/primitives';

export interface SeenCall {
  /** Path of the step in the run. */
  readonly path: string;
  readonly verb: 'tool' | 'prompt' | 'resource';
  readonly server: string;
  /** Name of the tool or prompt, or URI of the resource. */
  readonly name: string;
  readonly arguments: JsonObject;
  readonly effect: Effect;
  /** Digest of the tool's contract at the time of the call; absent if the journal does not have it. */
  readonly contract?: string;
  /** The result in the form of MCP; absent if the call failed. */
  readonly result?: JsonObject;
  readonly failure?: { readonly code: string; readonly message: string };
  /** When it began. Epoch milliseconds. */
  readonly at?: number;
  /** A person agreed to it before it was made. */
  readonly isApproved?: true;
  /** How the same call, with the same arguments, failed before it succeeded. */
  readonly refusals?: readonly { readonly code: string; readonly message: string }[];
}

/** The parts of a recorded run that learning needs. */
export interface SeenRun {
  readonly calls: readonly SeenCall[];
  /** The inputs of the run. */
  readonly inputs: JsonObject;
  readonly startedAt: number;
  /** The name of the client of a session. */
  readonly client?: string;
  /** The texts in the answers of the run's `sample` steps. Absent for a session. */
  readonly modelTexts?: readonly string[];
}

/** The word for the source: a session, or the run of a workflow. */
export const sourceOf = ({ modelTexts }: Pick<SeenRun, 'modelTexts'>): 'session' | 'run' =>
  modelTexts === undefined ? 'session' : 'run';

/** Whether a model may have written the text: any text in a session; in a run only those of `sample` steps. */
export const mayBeModels = (text: string, { modelTexts }: Pick<SeenRun, 'modelTexts'>): boolean =>
  modelTexts === undefined || modelTexts.some((one) => text.includes(one));

/** The last attempt of each call, in the order in which they began. Throws `BlobsNeeded`. */
export function seenRun(events: readonly RunEvent[], blobs: Blobs): SeenRun {
  const calls = new Map<string, SeenCall>();
  const contracts = new Map<string, string>();
  const approved = new Set<string>();
  const samples = new Set<string>();
  let isAgreed = false;
  const modelTexts: string[] = [];
  const [first] = events;
  for (const event of events) {
    if (event.type === 'call.requested' && event.target.verb === 'tool' && event.target.contract !== undefined)
      contracts.set(event.path, event.target.contract);
    if (event.type === 'call.requested' && event.approval !== undefined) approved.add(event.path);
    // An `ask` of a workflow: the call after it was made because a person said so.
    if (event.type === 'question.answered' && !calls.has(event.path)) isAgreed = true;
    if (event.type === 'step.started') {
      if (event.call?.verb === 'sample') samples.add(event.path);
      const call = begun(event, blobs);
      const contract = contracts.get(event.path);
      const isApproved = approved.has(event.path) || (isAgreed && call?.effect === 'write');
      if (isApproved) isAgreed = false;
      const more = { ...defined({ contract }), ...(isApproved && { isApproved: true as const }) };
      if (call !== undefined) calls.set(event.path, { ...call, at: event.at, ...more });
    }
    if (event.type === 'step.succeeded' && samples.has(event.path))
      modelTexts.push(...textsIn(resolve(event.value, blobs)));
    const before = 'path' in event ? calls.get(event.path) : undefined;
    if (before === undefined) continue;
    if (event.type === 'step.succeeded') {
      calls.set(event.path, { ...before, result: resolve(event.value, blobs) as JsonObject });
    }
    if (event.type === 'step.failed' || event.type === 'step.unknown') {
      const { code, message } = event.failure;
      calls.set(event.path, { ...before, failure: { code, message } });
    }
  }
  const requested = first?.type === 'run.requested' ? requestedWith(first, blobs) : { inputs: {}, startedAt: 0 };
  const isSession = first?.type === 'run.requested' && first.trigger.kind === 'session';
  return { ...requested, ...(!isSession && { modelTexts }), calls: [...calls.values()] };
}

/** A text of this many characters does not occur in another by chance. */
export const longTextMin = 20;

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return value.trim().length < longTextMin ? [] : [value.trim()];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function requestedWith({ inputs, trigger, at }: EventOf<'run.requested'>, blobs: Blobs): Omit<SeenRun, 'calls'> {
  const client = trigger.kind === 'session' ? trigger.detail?.['client'] : undefined;
  return {
    inputs: resolve(inputs, blobs) as JsonObject,
    startedAt: at,
    ...(typeof client === 'string' ? { client } : {}),
  };
}

function begun({ path, call }: EventOf<'step.started'>, blobs: Blobs): SeenCall | undefined {
  if (call === undefined || call.verb === 'sample') return undefined;
  const { verb, server } = call;
  const given = resolve(call.arguments, blobs) as JsonObject;
  const effect = call.verb === 'tool' ? call.effect : 'read';
  return { path, verb, server, name: calledName(call), arguments: given, effect };
}

export const targetOf = ({ verb, server, name }: Pick<SeenCall, 'verb' | 'server' | 'name'>): string =>
  verb === 'resource' ? `${server} ${name}` : `${server}/${name}`;

/** A key that is equal for calls with the same target and arguments. */
export const callKey = (call: Pick<SeenCall, 'verb' | 'server' | 'name' | 'arguments'>): string =>
  `${call.verb} ${targetOf(call)} ${stable(call.arguments)}`;

/** A cache: values are compared very often, and never change. */
const texts = new WeakMap<object, string>();

/** JSON text with sorted keys. */
export function stable(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const text = texts.get(value) ?? canonicalJson(value);
  texts.set(value, text);
  return text;
}
