/** The wire formats of the providers, as their documentation shows them, for tests. */
export interface Dialect {
  readonly name: string;
  /** A provider of mcp.json. */
  readonly config: (url: string) => { readonly kind: string; readonly [key: string]: unknown };
  readonly path: string;
  readonly keyHeader: string;
  /** A whole answer of the model `answering`, 11 tokens in and 7 out, as events. */
  readonly events: (text: string, stop?: 'end' | 'length') => string[];
  /** An error in the middle of a stream. */
  readonly error: string;
  /** The schema of a typed answer, out of the request's JSON. */
  readonly schemaIn: (body: Readonly<Record<string, unknown>>) => unknown;
}

export const apiKey = 'sk-very-secret-key';

const data = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;
const event = (type: string, fields: object = {}): string => `event: ${type}\n${data({ type, ...fields })}`;
const within =
  (...path: readonly string[]) =>
  (body: unknown): unknown =>
    path.reduce((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], body);

const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

const anthropicPiece = (text: string): string =>
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });

const anthropicUsage = { input_tokens: 11, output_tokens: 1 };

export const anthropic: Dialect = {
  name: 'Anthropic Messages',
  config: (url) => ({ kind: 'anthropic', url, apiKey, model: 'claude-sonnet-4-5' }),
  path: '/v1/messages',
  keyHeader: 'x-api-key',
  events: (text, stop = 'end') => [
    event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'answering',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: anthropicUsage,
      },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping'),
    ...words(text).map(anthropicPiece),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: stop === 'end' ? 'end_turn' : 'max_tokens', stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    event('message_stop'),
  ],
  error: event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  schemaIn: within('output_config', 'format', 'schema'),
};

const responsesPiece = (delta: string): string =>
  event('response.output_text.delta', {
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta,
    sequence_number: 4,
  });

const responsesItem = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };

const responses: Dialect = {
  name: 'OpenAI Responses',
  config: (url) => ({ kind: 'openai', url, apiKey, model: 'asked' }),
  path: '/v1/responses',
  keyHeader: 'authorization',
  events: (text, stop = 'end') => [
    event('response.created', {
      sequence_number: 0,
      response: { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'answering', output: [] },
    }),
    event('response.output_item.added', { sequence_number: 1, output_index: 0, item: responsesItem }),
    ...words(text).map(responsesPiece),
    event('response.output_item.done', {
      sequence_number: 8,
      output_index: 0,
      item: {
        ...responsesItem,
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    }),
    event(stop === 'end' ? 'response.completed' : 'response.incomplete', {
      sequence_number: 9,
      response: {
        id: 'resp_1',
        object: 'response',
        created_at: 1_700_000_000,
        model: 'answering',
        status: stop === 'end' ? 'completed' : 'incomplete',
        incomplete_details: stop === 'end' ? null : { reason: 'max_output_tokens' },
        output: [],
        usage: {
          input_tokens: 11,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 7,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 18,
        },
      },
    }),
  ],
  error: event('error', {
    sequence_number: 5,
    error: { type: 'server_error', code: 'server_error', message: 'Overloaded', param: null },
  }),
  schemaIn: within('text', 'format', 'schema'),
};

const chunk = (choice: object | undefined, more: object = {}): string =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'answering',
    choices: choice === undefined ? [] : [{ index: 0, finish_reason: null, ...choice }],
    ...more,
  });

const chatPiece = (content: string): string => chunk({ delta: { content } });

export const chat: Dialect = {
  name: 'OpenAI Chat Completions',
  config: (url) => ({ kind: 'openai', api: 'chat', url, apiKey, model: 'asked' }),
  path: '/v1/chat/completions',
  keyHeader: 'authorization',
  events: (text, stop = 'end') => [
    chunk({ delta: { role: 'assistant', content: '' } }),
    ...words(text).map(chatPiece),
    chunk({ delta: {}, finish_reason: stop === 'end' ? 'stop' : 'length' }),
    chunk(undefined, { usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } }),
    'data: [DONE]\n\n',
  ],
  error: data({ error: { message: 'Overloaded', type: 'server_error', code: null, param: null } }),
  schemaIn: within('response_format', 'json_schema', 'schema'),
};

const compatible: Dialect = {
  ...chat,
  name: 'an OpenAI-compatible server',
  config: (url) => ({ kind: 'openai-compatible', url, apiKey, model: 'asked' }),
  // The schema is given in words.
  schemaIn: (body) => JSON.parse(String(within('messages', '0', 'content')(body)).split('JSON Schema:\n')[1] ?? ''),
};

const compatibleWithSchemas: Dialect = {
  ...compatible,
  name: 'an OpenAI-compatible server that takes schemas',
  config: (url) => ({ ...compatible.config(url), structuredOutputs: true }),
  schemaIn: chat.schemaIn,
};

export const dialects: readonly Dialect[] = [anthropic, responses, chat, compatible, compatibleWithSchemas];
