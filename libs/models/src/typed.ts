/**
 * Typed answers: the model gets the schema as text if its provider does not accept one. The value is extracted from the
 * text and checked; if it does not fit, the model gets the errors and answers once more.
 */
import { FailureError, type Usage } from '@baton/engine';
import { parseJsonText, validator } from '@baton/expressions';
import type { Json, JsonSchema } from '@baton/primitives';

import type { ModelAnswer, ModelQuestion } from './ask.ts';
import { addUsage } from './usage.ts';

export interface TypedAnswer extends ModelAnswer {
  readonly output: Json;
}

const errorsShown = 20;
const errorCharacters = 300;

/** Whether providers accept the schema: all of them require an object at the top. */
export const isObjectSchema = (schema: JsonSchema): schema is Exclude<JsonSchema, boolean> =>
  typeof schema === 'object' && schema['type'] === 'object';

/** The instruction for a model whose provider accepts no schema. */
export const schemaInstruction = (schema: JsonSchema): string =>
  `Answer with one JSON value and nothing else: no prose, no code fence. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;

/** Rejects with `FailureError` (`output-invalid`), and with the errors of `answer`. */
export async function askTyped(
  question: ModelQuestion,
  schema: JsonSchema,
  answer: (question: ModelQuestion) => Promise<ModelAnswer>,
): Promise<TypedAnswer> {
  const check = checkerOf(schema);
  const first = await answer(question);
  const found = read(first.text, check);
  if ('output' in found) return { ...first, output: found.output };
  if (first.stopReason === 'maxTokens') {
    throw invalid(first, [`the answer was cut off at ${question.maxTokens ?? 'the provider’s'} tokens`], first.usage);
  }
  const again = await answer({
    ...question,
    messages: [
      ...question.messages,
      // Providers refuse an empty text.
      { role: 'assistant', content: first.text.trim() === '' ? '(nothing)' : first.text },
      { role: 'user', content: correction(found.errors) },
    ],
  });
  const usage = addUsage(first.usage, again.usage);
  const repaired = read(again.text, check);
  if ('output' in repaired) return { ...again, usage, output: repaired.output };
  throw invalid(again, repaired.errors, usage);
}

function correction(errors: readonly string[]): string {
  return `That does not fit the JSON Schema:\n${listed(errors)}\nAnswer again, with the whole JSON value and nothing else.`;
}

function invalid({ text, model }: ModelAnswer, errors: readonly string[], usage: Usage): FailureError {
  return new FailureError(
    'output-invalid',
    `The answer of ${model} does not fit the declared output:\n${listed(errors)}`,
    {
      delivery: 'answered',
      details: { errors: errors.slice(0, errorsShown), answer: text.slice(0, 1_000), usage: { ...usage } },
    },
  );
}

const listed = (errors: readonly string[]): string =>
  errors
    .slice(0, errorsShown)
    .map((error) => `- ${error.slice(0, errorCharacters)}`)
    .join('\n');

type TypedReading = { readonly output: Json } | { readonly errors: readonly string[] };

function read(text: string, check: (value: Json) => readonly string[]): TypedReading {
  for (const candidate of candidates(text)) {
    const parsed = parse(candidate);
    if (parsed === undefined) continue;
    const errors = check(parsed.json);
    return errors.length === 0 ? { output: parsed.json } : { errors };
  }
  return { errors: ['the answer is not JSON'] };
}

/** The texts that may be the JSON value: despite instructions, models add a code fence or a sentence. */
function* candidates(text: string): Generator<string> {
  yield text;
  const fence = text.indexOf('```');
  const start = fence < 0 ? -1 : text.indexOf('\n', fence);
  const end = start < 0 ? -1 : text.indexOf('```', start);
  if (end > 0) yield text.slice(start, end);
  const from = text.search(/[[{]/);
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (from >= 0 && to > from) yield text.slice(from, to + 1);
}

function parse(text: string): { json: Json } | undefined {
  const json = parseJsonText(text);
  return json === undefined ? undefined : { json };
}

/**
 * The returned function lists the faults of a value, one line each; none if it fits. Throws `FailureError`
 * (`invalid-arguments`) if the schema is not valid.
 */
export function checkerOf(schema: JsonSchema): (value: Json) => readonly string[] {
  const { validate, refusal } = validator(schema);
  if (validate === undefined) {
    throw new FailureError('invalid-arguments', `The declared output is not a valid schema. ${refusal}`);
  }
  return (value) => validate(value).map(({ pointer, message }) => `${pointer === '' ? '/' : pointer}: ${message}`);
}
