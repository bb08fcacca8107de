/**
 * What each call of a simulated run is answered with: what the author gives, else what a recorded run got, else a value
 * generated to fit the schema.
 */
import type { CallResult, RunEvent, SimulatedCall } from '@baton/engine';
import { type AnswerSchema, answerSchemaOf, validateInputs, validator } from '@baton/expressions';
import { type Plan, splitTarget } from '@baton/language';
import { type SeenCall, callKey } from '@baton/learn';
import { type Json, type JsonObject, type JsonSchema, isObject } from '@baton/primitives';
import { checkStructured } from '@baton/protocol';

import { type GivenAnswer, deliveryOf, givenAnswer, whyNoFailure } from './givenAnswer.ts';
import { inventValue } from './inventValue.ts';
import { stepsIn } from './stepsIn.ts';
import { repeatKeys, roundsIn } from './trialRounds.ts';

type ChildEnd = Pick<Extract<RunEvent, { type: 'child.finished' }>, 'status' | 'outputs' | 'failure'>;

export interface AnswerSources {
  /**
   * By target (`server/tool`, `sample`, `workflow name`) or path of the step, with or without the numbers of rounds and
   * items: structured, as text, a result of MCP, or what `givenAnswer` reads.
   */
  readonly answers: Readonly<Record<string, Json>>;
  /** Calls of a recorded run. */
  readonly recorded?: readonly SeenCall[];
  /** Output schemas of tools, by `server/tool`. */
  readonly outputSchemas: ReadonlyMap<string, JsonObject>;
}

/** What becomes of a question or a signal: it comes, or it never does. */
export type OutsideAnswer = { readonly value: Json } | 'never';

export class TrialAnswers {
  readonly #sources: AnswerSources;
  /** The schemas of typed samples, by the key of their step. */
  readonly #sampleSchemas = new Map<string, JsonSchema>();
  /** Input schemas of tools, by `server/tool`: some say that an argument types the answer. */
  readonly #inputSchemas = new Map<string, JsonSchema>();
  /** The keys of `repeat` steps. */
  readonly #repeats: ReadonlySet<string>;
  /** The last recorded result of each target. */
  readonly #ofTarget = new Map<string, JsonObject>();
  readonly #invented = new Set<string>();
  /** How often each name in `answers` was used. */
  readonly #used = new Map<string, number>();
  /** Paths of questions and signals that get no answer. */
  readonly #silent = new Set<string>();
  #refusal: string | undefined;

  constructor(plan: Plan, sources: AnswerSources) {
    this.#sources = sources;
    this.#repeats = repeatKeys(plan);
    for (const { step } of stepsIn(plan)) {
      if (step.verb === 'sample' && step.output !== undefined) this.#sampleSchemas.set(step.key, step.output);
      if (step.verb === 'tool' && step.definition?.inputSchema !== undefined)
        this.#inputSchemas.set(`${step.server}/${step.tool}`, step.definition.inputSchema);
    }
    for (const { verb, server, name, result } of sources.recorded ?? [])
      if (result !== undefined) this.#ofTarget.set(`${verb} ${server}/${name}`, result);
  }

  get invented(): readonly string[] {
    return [...this.#invented];
  }

  get unused(): readonly string[] {
    return Object.keys(this.#sources.answers).filter((name) => !this.#used.has(name));
  }

  /** Why there is no answer that Baton would take. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  ofCall(made: SimulatedCall): CallResult {
    const own = this.#own(made.path, made.target);
    if (own !== undefined) return this.#given(made, own);
    const before = this.#recordedResult(made);
    if (before !== undefined) return before;
    this.#invented.add(made.target);
    const round = roundsIn(made.path, this.#repeats).at(-1)?.[1] ?? 0;
    if (made.verb === 'sample') {
      const schema = this.#sampleSchemas.get(keyOf(made.path));
      return { result: sampleResult(schema === undefined ? 'what a model answers' : inventValue(schema, { round })) };
    }
    const schema = this.#sources.outputSchemas.get(made.target);
    if (schema === undefined) return answeredCall(made, `what ${made.target} answers`);
    const invented = inventValue(schema, { round });
    const written = this.#writtenFor(made);
    if (written === undefined || !isObject(invented)) return answeredCall(made, invented);
    const { field, schema: typed } = written;
    return answeredCall(made, { ...invented, [field]: inventValue(typed, { name: field, round }) });
  }

  ofChild(workflow: string, path: string): ChildEnd {
    const own = this.#own(path, `workflow ${workflow}`);
    if (own === undefined) this.#invented.add(`workflow ${workflow}`);
    if (own === undefined || own.kind === 'value')
      return { status: 'succeeded', outputs: { json: own === undefined ? {} : own.value } };
    if (own.kind === 'error') return { status: 'failed', failure: { code: own.code, message: own.message } };
    const lost = 'The end of a child run is never lost: give its outputs, or `{ "$error": … }`.';
    this.#refuse(path, own.kind === 'wrong' ? own.why : lost);
    return { status: 'cancelled' };
  }

  /** Undefined if no answer fits the form; then `refusal` says why. */
  ofQuestion(path: string, form: Json): OutsideAnswer | undefined {
    const own = this.#ownOutside(path);
    if (own === 'never' || own?.kind === 'wrong') return own === 'never' ? own : this.#refuse(path, own.why);
    if (own === undefined) this.#invented.add(path);
    const given = own?.value ?? inventValue(form, { name: 'answer' });
    const { inputs, errors } = validateInputs({ inputs: form as JsonSchema }, given);
    if (inputs !== undefined) return { value: inputs };
    const why = errors.map((one) => `${path}${one.pointer}: ${one.message}`).join(' ');
    this.#refusal = own === undefined ? `${path}: Baton found no answer that fits the form. ${why}` : why;
    return undefined;
  }

  /** Undefined: see `refusal`. */
  ofSignal(path: string): OutsideAnswer | undefined {
    const own = this.#ownOutside(path);
    if (own === 'never') return own;
    if (own?.kind === 'wrong') return this.#refuse(path, own.why);
    if (own === undefined) this.#invented.add(path);
    return { value: own?.value ?? {} };
  }

  #ownOutside(path: string): Exclude<GivenAnswer, { kind: 'error' | 'lost' }> | 'never' | undefined {
    if (this.#silent.has(path)) return 'never';
    const own = this.#own(path);
    if (own?.kind === 'error')
      return { kind: 'wrong', why: 'Only calls and child runs fail: `{ "$lost": true }` is no answer.' };
    if (own?.kind !== 'lost') return own;
    this.#silent.add(path);
    return 'never';
  }

  #own(path: string, target?: string): GivenAnswer | undefined {
    const { answers } = this.#sources;
    const name = [path, withoutNumbers(path), target].find((one) => one !== undefined && Object.hasOwn(answers, one));
    if (name === undefined) return undefined;
    const nth = this.#used.get(name) ?? 0;
    this.#used.set(name, nth + 1);
    return givenAnswer(answers[name] ?? null, nth);
  }

  #refuse(path: string, why: string): undefined {
    this.#refusal ??= `${path}: ${why}`;
  }

  #given(made: SimulatedCall, own: GivenAnswer): CallResult {
    switch (own.kind) {
      case 'value':
        return made.verb === 'sample' ? this.#givenSample(made, own.value) : this.#givenCall(made, own.value);
      case 'lost':
        return { failure: { code: 'timeout', message: 'No answer came in time.' }, delivery: 'unknown' };
      case 'error': {
        const why = whyNoFailure(own.code);
        if (why === undefined)
          return { failure: { code: own.code, message: own.message }, delivery: deliveryOf(own.code) };
        this.#refuse(made.path, why);
        return { failure: { code: 'cancelled', message: why }, delivery: 'unsent' };
      }
      case 'wrong':
        this.#refuse(made.path, own.why);
        return { failure: { code: 'cancelled', message: own.why }, delivery: 'unsent' };
    }
  }

  #givenCall(made: SimulatedCall, value: Json): CallResult {
    const answered = answeredCall(made, value);
    if (made.verb !== 'tool' || !('result' in answered)) return answered;
    const schema = this.#sources.outputSchemas.get(made.target);
    const checked = checkStructured(answered.result, schema, this.#writtenFor(made));
    if ('result' in checked) return answered;
    return {
      failure: { code: 'invalid-result', message: whyMismatched(made.target, value, checked.problem) },
      delivery: 'answered',
    };
  }

  #writtenFor({ verb, target, arguments: given }: SimulatedCall): AnswerSchema | undefined {
    return verb === 'tool' ? answerSchemaOf(this.#inputSchemas.get(target), given) : undefined;
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
    const [server, name] = splitTarget(target);
    const key = callKey({ verb, server, name, arguments: given });
    const same = (this.#sources.recorded ?? []).filter((call) => callKey(call) === key);
    const ended = same.find((call) => call.path === path) ?? same.find(({ result }) => result !== undefined) ?? same[0];
    if (ended?.failure !== undefined) return { failure: ended.failure, delivery: 'answered' };
    const result = ended?.result ?? this.#ofTarget.get(`${verb} ${target}`);
    return result && { result };
  }
}

/** `problem`: what the protocol says. */
function whyMismatched(target: string, value: Json, problem: string): string {
  const stem = `The given answer of ${target} does not match the tool's output schema`;
  if (!isObject(value)) {
    return `${stem}: the tool answers an object, and this is ${kindOf(value)}. For answers one after the other write { "$sequence": […] }.`;
  }
  const isFailure = 'error' in value || 'isError' in value;
  return isFailure
    ? `${stem}: ${problem}. A failure is { "$error": { "code": …, "message": … } }.`
    : `${stem}: ${problem}.`;
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

/** `pages/page` for `pages/3/page`. */
const withoutNumbers = (path: string): string =>
  path
    .split('/')
    .filter((part) => !/^\d+$/.test(part))
    .join('/');

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
