/** Formats a question for a terminal: its message, the call that it is about, and the address to open. */
import { type Client, type Question, askedCallOf, ProblemError } from '@baton/api/client';
import type { JsonSchema } from '@baton/primitives';

import type { Output } from '../output/output.ts';
import { oneLine, wrap } from '../output/text.ts';
import { shellWord } from '../shellWord.ts';
import { drawAskedCall } from '../tree/stepValues.ts';
import { formFields } from './schemaFields.ts';

/** Rejects with `UnreachableError`. */
export async function drawQuestion(output: Output, client: Client, question: Question): Promise<string[]> {
  const call = await askedCallOf(client, question).catch((error: unknown) => {
    // A key may have the right to answer, and not to read the run.
    if (error instanceof ProblemError) return null;
    throw error;
  });
  const lines = wrap(oneLine(question.message), output.columns() ?? Number.POSITIVE_INFINITY);
  const { url } = question;
  return [
    ...lines.map(output.paint.bold),
    ...(call === null ? [] : drawAskedCall(call, output)),
    ...(url === undefined ? [] : [`The server asks you to open this first; check it: ${oneLine(url)}`]),
  ];
}

/** The command that answers it, with the fields that it must have; a default, or a value of the type, where there is one. */
export function answerCommand({ id, form }: Pick<Question, 'id' | 'form'>): string {
  const all = formFields(form);
  const required = all.filter(({ isOptional }) => isOptional !== true);
  const fields = (required.length > 0 ? required : all).slice(0, fieldsMax);
  const pairs = fields.map(({ name, schema }) => `-i ${shellWord(oneLine(name))}=${shellWord(likelyValue(schema))}`);
  return ['baton answer', oneLine(id), ...(all.length === 0 ? ['--inputs FILE'] : pairs)].join(' ');
}

const fieldsMax = 4;

function likelyValue(schema: JsonSchema): string {
  const { default: usual, enum: choices, type } = typeof schema === 'boolean' ? {} : schema;
  const [choice] = Array.isArray(choices) ? choices : [];
  const value = usual ?? choice ?? (type === 'boolean' ? true : '…');
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
