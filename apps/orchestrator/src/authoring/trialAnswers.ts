/**
 * What each call of a simulated run is answered with: what the author gives, else what a recorded run got, else a value
 * generated to fit the schema.
 */
import type { CallResult, SimulatedCall } from '@baton/engine';
import type { Json, JsonObject, JsonSchema, Plan } from '@baton/language';
import { validateInputs, validator } from '@baton/language';
import type { SeenCall } from '@baton/learn';
import { callKey } from '@baton/learn';
import { isObject } from '@baton/primitives';
import { checkStructured } from '@baton/protocol';

import { inventValue } from './inventValue.ts';
import { stepsIn } from './stepsIn.ts';

export interface AnswerSources {
  /** By target (`server/tool`, `sample`, `workflow name`) or path of the step: structured, as text, or a result of MCP. */
  readonly answers: Readonly<Record<string, Json>>;
  /** Calls of a recorded run. */
  readonly recorded?: readonly SeenCall[];
  /** Output schemas of tools, by `server/tool`. */
  readonly outputSchemas: ReadonlyMap<string, JsonObject>;
}

export class TrialAnswers {
  readonly #sources: AnswerSources;
  /** The schemas of typed samples, by the key of their step. */
  readonly #sampleSchemas = new Map<string, JsonSchema>();
  /** The last recorded result of each target. */
  readonly #ofTarget = new Map<string, JsonObject>();
  readonly #invented = new Set<string>();
  readonly #used = new Set<string>();
  #refusal: string | undefined;

  constructor(plan: Plan, sources: AnswerSources) {
    this.#sources = sources;
    for (const { step } of stepsIn(plan))
      if (step.verb === 'sample' && step.output !== undefined) this.#sampleSchemas.set(step.key, step.output);
    for (const { verb, server, name, result } of sources.recorded ?? [])
      if (result !== undefined) this.#ofTarget.set(`${verb} ${server}/${name}`, result);
  }

  get invented(): readonly string[] {
    return [...this.#invented];
  }

  get unused(): readonly string[] {
    return Object.keys(this.#sources.answers).filter((name) => !this.#used.has(name));
  }

  /** Why there is no answer to a question that Baton would take. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  ofCall(made: SimulatedCall): CallResult {
    const own = this.#own(made.path, made.target);
    if (own !== undefined) return made.verb === 'sample' ? this.#givenSample(made, own) : this.#givenCall(made, own);
    const before = this.#recordedResult(made);
    if (before !== undefined) return before;
    this.#invented.add(made.target);
    if (made.verb === 'sample') {
      const schema = this.#sampleSchemas.get(keyOf(made.path));
      return { result: sampleResult(schema === undefined ? 'what a model answers' : inventValue(schema)) };
    }
    const schema = this.#sources.outputSchemas.get(made.target);
    return answeredCall(made, schema === undefined ? `what ${made.target} answers` : inventValue(schema));
  }

  ofChild(workflow: string, path: string): Json {
    const own = this.#own(path, `workflow ${workflow}`);
    if (own === undefined) this.#invented.add(`workflow ${workflow}`);
    return own ?? {};
  }

  /** Undefined if no answer fits the form; then `refusal` says why. */
  ofQuestion(path: string, form: Json): Json | undefined {
    const own = this.#own(path);
    if (own === undefined) this.#invented.add(path);
    const { inputs, errors } = validateInputs({ inputs: form as JsonSchema }, own ?? inventValue(form, 'answer'));
    if (inputs !== undefined) return inputs;
    const why = errors.map((one) => `${path}${one.pointer}: ${one.message}`).join(' ');
    this.#refusal = own === undefined ? `${path}: Baton found no answer that fits the form. ${why}` : why;
    return undefined;
  }

  ofSignal(path: string): Json {
    const own = this.#own(path);
    if (own === undefined) this.#invented.add(path);
    return own ?? {};
  }

  #own(path: string, target?: string): Json | undefined {
    const name = [path, target].find((one) => one !== undefined && Object.hasOwn(this.#sources.answers, one));
    if (name === undefined) return undefined;
    this.#used.add(name);
    return this.#sources.answers[name];
  }

  #givenCall(made: SimulatedCall, value: Json): CallResult {
    const answered = answeredCall(made, value);
    if (made.verb !== 'tool' || !('result' in answered)) return answered;
    const checked = checkStructured(answered.result, this.#sources.outputSchemas.get(made.target));
    if ('result' in checked) return answered;
    const message = `The given answer of ${made.target} does not match the tool's output schema: ${checked.problem}.`;
    return { failure: { code: 'invalid-result', message }, delivery: 'answered' };
  }

  #givenSample({ path }: SimulatedCall, value: Json): CallResult {
    const schema = this.#sampleSchemas.get(keyOf(path));
    const errors = schema === undefined ? [] : (validator(schema).validate?.(value) ?? []);
    if (errors.length === 0) return { result: sampleResult(value) };
    const told = errors.map(({ pointer, message }) => `${pointer === '' ? '' : `${pointer}: `}${message}`).join(' ');
    const message = `The given answer of the model does not fit the declared output. ${told}`;
    return { failure: { code: 'output-invalid', message }, delivery: 'answered' };
  }

  /** How the same call ended, best at the same step; else the result of another call of the target. */
  #recordedResult({ path, verb, target, arguments: given }: SimulatedCall): CallResult | undefined {
    if (verb === 'sample') return undefined;
    const [server = '', ...name] = target.split('/');
    const key = callKey({ verb, server, name: name.join('/'), arguments: given });
    const same = (this.#sources.recorded ?? []).filter((call) => callKey(call) === key);
    const ended = same.find((call) => call.path === path) ?? same.find(({ result }) => result !== undefined) ?? same[0];
    if (ended?.failure !== undefined) return { failure: ended.failure, delivery: 'answered' };
    const result = ended?.result ?? this.#ofTarget.get(`${verb} ${target}`);
    return result && { result };
  }
}

const keyOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** An author gives a tool's failure as MCP has it: `isError` beside `content`. */
function answeredCall({ verb, target }: SimulatedCall, value: Json): CallResult {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (verb === 'prompt') return { result: { messages: [{ role: 'user', content: { type: 'text', text } }] } };
  if (verb === 'resource') return { result: { contents: [{ uri: target, text }] } };
  if (isObject(value) && typeof value['isError'] === 'boolean' && Array.isArray(value['content']))
    return value['isError'] ? toolFailed(value) : { result: value };
  const content = [{ type: 'text', text }];
  return { result: isObject(value) ? { content, structuredContent: value } : { content } };
}

function toolFailed({ content = [] }: JsonObject): CallResult {
  const blocks = content as readonly Json[];
  const texts = blocks.flatMap((one) => (isObject(one) && typeof one['text'] === 'string' ? [one['text']] : []));
  const message = texts.join('\n') || 'The tool answered an error.';
  return { failure: { code: 'tool-failed', message, details: { content } }, delivery: 'answered' };
}

function sampleResult(value: Json): JsonObject {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const typed = typeof value === 'string' ? {} : { output: value };
  return { role: 'assistant', model: 'trial', content: { type: 'text', text }, ...typed };
}
