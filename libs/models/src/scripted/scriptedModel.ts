/**
 * A model that answers from its configuration, for development and tests: equal requests get equal answers, it contacts
 * no server, and its results name the model `scripted`.
 */
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { compilePattern } from '@baton/expressions';
import type { ScriptedRule } from '@baton/protocol';

import { instanceOf } from './instance.ts';

const name = 'scripted';
const charactersPerToken = 4;
const echoedCharacters = 200;

interface ScriptedText {
  readonly text: string;
  readonly isCut: boolean;
}

export class ScriptedModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = name;
  readonly modelId = name;
  readonly supportedUrls = {};
  readonly #rules: readonly ScriptedRule[];

  constructor(rules: readonly ScriptedRule[]) {
    this.#rules = rules;
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    return { stream: ReadableStream.from(partsOf(options, this.#say(options))) };
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const said = this.#say(options);
    return { content: [{ type: 'text', text: said.text }], warnings: [], ...endOf(options, said) };
  }

  #say(options: LanguageModelV4CallOptions): ScriptedText {
    const answer = this.#answer(options);
    const room = (options.maxOutputTokens ?? Infinity) * charactersPerToken;
    return { text: answer.slice(0, room), isCut: answer.length > room };
  }

  #answer(options: LanguageModelV4CallOptions): string {
    const question = lastQuestion(options);
    const rule = this.#rules.find((one) => fits(one, question));
    if (rule?.fail !== undefined) throw failed(rule.fail);
    if (rule?.text !== undefined) return rule.text;
    if (rule?.json !== undefined) return JSON.stringify(rule.json);
    const { responseFormat } = options;
    if (responseFormat?.type !== 'json') return echo(options, question);
    return JSON.stringify(instanceOf(responseFormat.schema as Parameters<typeof instanceOf>[0]));
  }
}

function fits({ match, pattern }: ScriptedRule, question: string): boolean {
  if (match !== undefined && !question.toLowerCase().includes(match.toLowerCase())) return false;
  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  return typeof compiled !== 'string' && compiled?.test(question) !== false;
}

/** The text of the last message. */
function lastQuestion({ prompt }: LanguageModelV4CallOptions): string {
  const content = prompt.at(-1)?.content ?? '';
  return typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function echo({ prompt }: LanguageModelV4CallOptions, question: string): string {
  const messages = prompt.filter(({ role }) => role !== 'system').length;
  const cut = question.length > echoedCharacters ? `${question.slice(0, echoedCharacters)}…` : question;
  return `A scripted model was asked, in ${messages} message${messages === 1 ? '' : 's'} and at last ${question.length} characters: ${cut}`;
}

function failed(how: 'unavailable' | 'refused'): APICallError {
  return new APICallError({
    message: `the script says: ${how}`,
    url: `${name}:`,
    requestBodyValues: {},
    statusCode: how === 'unavailable' ? 503 : 400,
  });
}

function* partsOf(options: LanguageModelV4CallOptions, said: ScriptedText): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'response-metadata', modelId: name };
  yield { type: 'text-start', id: '0' };
  for (const word of said.text.split(/(?<=\s)/)) yield { type: 'text-delta', id: '0', delta: word };
  yield { type: 'text-end', id: '0' };
  yield { type: 'finish', ...endOf(options, said) };
}

type ScriptedEnd = Pick<Extract<LanguageModelV4StreamPart, { type: 'finish' }>, 'finishReason' | 'usage'>;

/** Estimates tokens where no tokenizer is available: four characters each. */
function endOf({ prompt }: LanguageModelV4CallOptions, { text, isCut }: ScriptedText): ScriptedEnd {
  const input = Math.ceil(JSON.stringify(prompt).length / charactersPerToken);
  const output = Math.ceil(text.length / charactersPerToken);
  return {
    finishReason: { unified: isCut ? 'length' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  };
}
