/**
 * The servers of the language page's example, all in one script.   node nightly.mjs LEDGER
 *
 * What goes wrong is asked for by name: an organisation `unlisted` cannot be listed, a repository `torn` cannot be
 * scanned, an organisation `long` is scanned without end. A ticket about `lost` is filed, and its server dies before it
 * says so; it hears of `late` when the call is given up, of `mute` never.
 */
import { readFileSync } from 'node:fs';

import { answer, handshake, listen, record, send, text } from './wire.mjs';

const [ledger] = process.argv.slice(2);

const json = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });
const failed = (message) => ({ ...text(message), isError: true });
const repositories = (org) =>
  ['api', 'torn', 'old'].map((name) => ({
    name,
    cloneUrl: `https://example.test/${org}/${name}.git`,
    archived: name === 'old',
  }));

/** Tickets by the key that they were asked for with. */
const ticketsOf = (key) =>
  readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"call":"create_issue"') && line.includes(JSON.stringify(key)));

/** How calls are answered that wait to be given up, by their id. */
const late = new Map();

const tools = {
  list_repositories: ({ org }, { id }) =>
    answer(id, org === 'unlisted' ? failed('No such organisation.') : json({ items: repositories(org) })),
  scan: ({ url }, { id }) => {
    if (url.includes('/long/')) return;
    answer(id, url.includes('/torn') ? failed('It cannot be cloned.') : json({ findings: [url] }));
  },
  release: (_, { id }) => answer(id, text('released')),
  create_issue: ({ body }, { id }) => {
    if (body.includes('lost')) process.exit(1);
    if (body.includes('late')) late.set(id, () => answer(id, json({ key: 'SEC-2' })));
    else if (!body.includes('mute')) answer(id, json({ key: 'SEC-1' }));
  },
  search: ({ text: key }, { id }) => answer(id, json({ issues: ticketsOf(key) })),
  close_issue: (_, { id }) => answer(id, text('closed')),
  post: (_, { id }) => answer(id, text('posted')),
};

const inputSchema = { type: 'object' };
const prompt = { name: 'vulnerability_report', arguments: [{ name: 'audience', required: true }] };
const words = (audience) => [{ role: 'user', content: { type: 'text', text: `A report for ${audience}.` } }];

listen((message) => {
  if (handshake(message, { tools: {}, prompts: {}, resources: { subscribe: true } })) return;
  const { id, method, params = {} } = message;
  if (method === 'tools/list') answer(id, { tools: Object.keys(tools).map((name) => ({ name, inputSchema })) });
  else if (method === 'prompts/list') answer(id, { prompts: [prompt] });
  else if (method === 'resources/list') answer(id, { resources: [{ name: 'scan', uri: 'wiki://policies/scan' }] });
  else if (method === 'resources/templates/list') answer(id, { resourceTemplates: [] });
  else if (method === 'prompts/get') answer(id, { messages: words(params.arguments.audience) });
  else if (method === 'notifications/cancelled') late.get(params.requestId)?.();
  else if (method === 'tools/call') {
    record(ledger, { call: params.name, arguments: params.arguments, meta: params._meta });
    tools[params.name](params.arguments ?? {}, { id });
  } else if (id !== undefined && method !== undefined) send({ id, result: {} });
});
