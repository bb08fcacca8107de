/** The calls of a run, read from its journal: arguments and answers. */
import type { Blobs, EventOf, RunEvent } from '@baton/engine';
import { resolve } from '@baton/engine';
import type { Effect, Json, JsonObject } from '@baton/language';
import { isObject } from '@baton/primitives';

export interface SeenCall {
  /** Of its step in the run. */
  readonly path: string;
  readonly verb: 'tool' | 'prompt' | 'resource';
  readonly server: string;
  /** Of the tool or the prompt; of a resource, its URI. */
  readonly name: string;
  readonly arguments: JsonObject;
  readonly effect: Effect;
  /** Digest of the tool's contract when it was called; absent where the journal does not have it. */
  readonly contract?: string;
  /** As MCP has it; absent where the call failed. */
  readonly result?: JsonObject;
  readonly failure?: { readonly code: string; readonly message: string };
}

/** A recorded run, as far as learning needs it. */
export interface SeenRun {
  readonly calls: readonly SeenCall[];
  /** Of a run that was started with inputs. */
  readonly inputs: JsonObject;
  readonly startedAt: number;
  /** What the client of a session is called. */
  readonly client?: string;
  /** What models wrote in the run of a workflow: the texts in the answers of its `sample` steps. Absent of a session. */
  readonly modelTexts?: readonly string[];
}

/** What it was learned from, as a word. */
export const sourceOf = ({ modelTexts }: Pick<SeenRun, 'modelTexts'>): 'session' | 'run' =>
  modelTexts === undefined ? 'session' : 'run';

/** In a session a model may have written any text; in the run of a workflow only what a `sample` step answered. */
export const mayBeModels = (text: string, { modelTexts }: Pick<SeenRun, 'modelTexts'>): boolean =>
  modelTexts === undefined || modelTexts.some((one) => text.includes(one));

/** The last attempt of each call, in the order in which they began. Throws `BlobsNeeded`. */
export function seenRun(events: readonly RunEvent[], blobs: Blobs): SeenRun {
  const calls = new Map<string, SeenCall>();
  const contracts = new Map<string, string>();
  const samples = new Set<string>();
  const modelTexts: string[] = [];
  const [first] = events;
  for (const event of events) {
    if (event.type === 'call.requested' && event.target.verb === 'tool' && event.target.contract !== undefined)
      contracts.set(event.path, event.target.contract);
    if (event.type === 'step.started') {
      if (event.call?.verb === 'sample') samples.add(event.path);
      const call = begun(event, blobs);
      const contract = contracts.get(event.path);
      if (call !== undefined) calls.set(event.path, { ...call, ...(contract !== undefined && { contract }) });
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

/** No other text contains a text of this many characters by chance. */
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
  const name = call.verb === 'tool' ? call.tool : call.verb === 'prompt' ? call.prompt : call.uri;
  return { path, verb, server, name, arguments: given, effect };
}

export const targetOf = ({ verb, server, name }: Pick<SeenCall, 'verb' | 'server' | 'name'>): string =>
  verb === 'resource' ? `${server} ${name}` : `${server}/${name}`;

/** Equal for calls of the same thing with the same arguments. */
export const callKey = (call: Pick<SeenCall, 'verb' | 'server' | 'name' | 'arguments'>): string =>
  `${call.verb} ${targetOf(call)} ${stable(call.arguments)}`;

/** Values are compared very often, and never change. */
const texts = new WeakMap<object, string>();

/** JSON text in which the order of keys does not matter. */
export function stable(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const text = texts.get(value) ?? stableText(value);
  texts.set(value, text);
  return text;
}

function stableText(value: readonly Json[] | JsonObject): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(stable).join()}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${stable(member)}`).join()}}`;
}
