/**
 * The fields of a step that expressions read: `steps.scan.output`, `.text`, `.content`, … Implements the table "Verbs" of
 * docs/language.md. Values are stored as they came, and interpreted here.
 */
import { parseJsonText } from '@baton/expressions';
import type { Verb } from '@baton/language';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

import { ensureFailure } from './ensure.ts';
import type { Frame, StepState } from './step.ts';
import { type Blobs, resolve } from './value.ts';

const views = new WeakMap<StepState, JsonObject>();

/** Throws `BlobsNeeded` where the step's value is a blob that is not loaded. */
export function viewOf(state: StepState, blobs: Blobs): JsonObject {
  const known = views.get(state);
  if (known !== undefined) return known;
  const view = { status: state.status, ...read(state, blobs), ...unensured(state) };
  // A value fetched from the journal is read for one undo, and not cached.
  if (state.status !== 'succeeded' || !('past' in state.value)) views.set(state, view);
  return view;
}

/** A step that did what it should, and whose `ensure` is not true, has failed; its output stays, to be undone with. */
function unensured(state: StepState): JsonObject {
  const failure = ensureFailure(state);
  return failure === undefined ? {} : { status: 'failed', error: { code: failure.code, message: failure.message } };
}

function read(state: StepState, blobs: Blobs): JsonObject {
  if (state.status !== 'succeeded') {
    const error = state.status === 'failed' || state.status === 'unknown' ? state.failure : undefined;
    const failed = error === undefined ? {} : { error: { code: error.code, message: error.message } };
    return { output: null, ...failed, ...(state.verb === 'repeat' ? roundsSoFar(state, blobs) : {}) };
  }
  const view = valueView(state.verb, resolve(state.value, blobs));
  if (state.verb === 'ask') return { ...view, by: state.by ?? null, at: new Date(state.at).toISOString() };
  if (state.verb === 'workflow') return { ...view, runId: state.by ?? null };
  if (state.verb === 'repeat') return { ...view, steps: lastRound(state, blobs) };
  if (state.verb === 'forEach') return { ...view, count: state.items?.finished ?? 0 };
  return view;
}

/** The fields of a step's value by verb; `output` is always among them. */
export function valueView(verb: Verb, value: Json): JsonObject {
  switch (verb) {
    case 'tool':
      return toolView(asObject(value));
    case 'prompt':
      return promptView(asObject(value));
    case 'resource':
      return resourceView(asObject(value));
    case 'sample':
      return sampleView(asObject(value));
    case 'set':
    case 'state':
      return { output: value, ...asObject(value) };
    case 'repeat':
    case 'ensure':
    case 'parallel':
      return { output: value, ...(isObject(value) ? value : {}) };
    case 'ask':
    case 'wait':
    case 'workflow':
    case 'steps':
    case 'switch':
    case 'forEach':
    case 'fail':
      return { output: value };
  }
}

/**
 * The output is `structuredContent`; else the parsed value of a single JSON text, unless it is nested too deeply; else
 * the text. Where a tool without an output schema sends an empty `structuredContent`, it is not recorded.
 */
function toolView(result: JsonObject): JsonObject {
  const content = blocks(result['content']);
  const text = textOf(content);
  const parsed = content.length === 1 ? parsedIfCompound(text) : text;
  return { output: result['structuredContent'] ?? parsed, text, content };
}

function promptView(result: JsonObject): JsonObject {
  const messages = blocks(result['messages']);
  const text = textOf(messages.map((message) => message['content']).filter(isObject));
  return { messages, text, output: text, description: result['description'] ?? null };
}

function resourceView(result: JsonObject): JsonObject {
  const contents = blocks(result['contents']);
  const text = contents.map((one) => (typeof one['text'] === 'string' ? one['text'] : '')).join('\n');
  const mimeType = contents[0]?.['mimeType'];
  const isJson = contents.length === 1 && typeof mimeType === 'string' && /[/+]json\b/.test(mimeType);
  return { contents, text, output: isJson ? (parseJsonText(text) ?? text) : text };
}

function sampleView(result: JsonObject): JsonObject {
  const content = Array.isArray(result['content']) ? blocks(result['content']) : [result['content']].filter(isObject);
  const text = textOf(content);
  const { model = null, stopReason = null, usage = null } = result;
  return { text, content, model, stopReason, usage, output: result['output'] ?? text };
}

/** The last finished round of a `repeat` that is active or exhausted. */
function roundsSoFar({ frames, items }: StepState, blobs: Blobs): JsonObject {
  const iterations = items?.finished ?? 0;
  const last = frames.get(String(iterations - 1));
  return { iterations, ...(last === undefined ? {} : { steps: stepsIn(last, blobs) }) };
}

const stepsIn = ({ steps }: Frame, blobs: Blobs): JsonObject =>
  Object.fromEntries([...steps].map(([key, step]) => [key, viewOf(step, blobs)]));

function lastRound(state: StepState, blobs: Blobs): JsonObject {
  const rounds = [...state.frames.keys()].map(Number).filter(Number.isInteger);
  const last = state.frames.get(String(Math.max(...rounds)));
  return last === undefined ? {} : stepsIn(last, blobs);
}

function textOf(content: readonly JsonObject[]): string {
  return content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('\n');
}

function parsedIfCompound(text: string): Json {
  const first = text.trimStart()[0];
  return first === '{' || first === '[' ? (parseJsonText(text) ?? text) : text;
}

const asObject = (value: Json): JsonObject => (isObject(value) ? value : { output: value });

const blocks = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
