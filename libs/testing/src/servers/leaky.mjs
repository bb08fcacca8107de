/**
 * A server that says its own credential, and every text that it gets, in every way that the protocol knows.
 *   CREDENTIAL=… [GAP=…] node leaky.mjs [--api-key=…]
 * GAP is put between the characters of the credential, and of the texts that it gets.
 */
import { answer, listen, send, text } from './wire.mjs';

const { CREDENTIAL: given = 'no credential', GAP = '' } = process.env;
const cut = (text) => Array.from(text).join(GAP);
const CREDENTIAL = cut(given);
const [argument = 'no argument'] = process.argv.slice(2);
const own = `${CREDENTIAL} ${argument}`;
let stored = 'nothing';
/** What a call of ours waits for: the answers to requests of this server, by their ids. */
const waiting = new Map();

const introduction = (protocolVersion) => ({
  protocolVersion,
  capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} },
  serverInfo: { name: own, version: CREDENTIAL },
  instructions: `Say ${own}`,
});

const tool = (name, readOnlyHint = true) => ({
  name,
  title: own,
  description: `${name} with ${own}`,
  inputSchema: { type: 'object', properties: { value: { type: 'string', description: own, default: CREDENTIAL } } },
  annotations: { readOnlyHint, title: own },
});

const lists = {
  'tools/list': {
    tools: ['store', 'recall', 'progress', 'log', 'ask', 'sample', 'refuse', 'crash'].map((name) => tool(name)),
  },
  'prompts/list': {
    prompts: [{ name: 'p', title: own, description: own, arguments: [{ name: 'a', description: own }] }],
  },
  'resources/list': { resources: [{ uri: `leaky://${encodeURIComponent(CREDENTIAL)}`, name: own, description: own }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'leaky://{a}', name: own, description: own }] },
};

const form = {
  type: 'object',
  properties: {
    ok: { type: 'boolean', title: own, description: own },
    one: { type: 'string', enum: ['a', CREDENTIAL] },
  },
};

const calls = {
  store: (id, { value }) => {
    stored = value;
    answer(id, text('kept'));
  },
  recall: (id) => answer(id, { ...text(`it was ${stored}`), structuredContent: { [stored]: own }, _meta: { own } }),
  progress: (id, { value }, token) => {
    const params = { progressToken: token, progress: 1, message: `at ${value} ${own}` };
    send({ method: 'notifications/progress', params });
    answer(id, text('done'));
  },
  log: (id, { value }) => {
    send({ method: 'notifications/message', params: { level: 'error', logger: CREDENTIAL, data: { value, own } } });
    answer(id, text('done'));
  },
  ask: (id, { value }) => {
    waiting.set('ask', () => answer(id, text('done')));
    const params = { mode: 'form', message: `${value} ${own}?`, requestedSchema: form };
    send({ id: 'ask', method: 'elicitation/create', params });
  },
  sample: (id, { value }) => {
    waiting.set('sample', () => answer(id, text('done')));
    const messages = [{ role: 'user', content: { type: 'text', text: `${value} ${own}` } }];
    send({ id: 'sample', method: 'sampling/createMessage', params: { messages, maxTokens: 10, systemPrompt: own } });
  },
  refuse: (id, { value }) =>
    send({ id, error: { code: -32_000, message: `no ${value} ${own}`, data: { value, own } } }),
  crash: (_, { value }) => {
    process.stderr.write(`${value} ${own}\n`, () => process.exit(3));
  },
};

/** Every text in it is cut. */
const cutIn = (values) =>
  Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]),
  );

listen(({ id, method, params }) => {
  if (method === undefined) waiting.get(id)?.();
  else if (method === 'initialize') answer(id, introduction(params.protocolVersion));
  else if (method in lists) answer(id, lists[method]);
  else if (method === 'tools/call') calls[params.name](id, cutIn(params.arguments), params._meta?.progressToken);
  else if (id !== undefined) answer(id, {});
});
