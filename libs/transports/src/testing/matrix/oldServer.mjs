/**
 * A server made with the SDK whose newest revision is REVISION.   node oldServer.mjs REVISION [http]
 *
 * It offers the features of that SDK. Over HTTP it prints its address.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const [revision, way = 'stdio'] = process.argv.slice(2);

const sdks = {
  '2025-03-26': {
    server: () => import('mcp-sdk-2025-03-26/server/index.js'),
    types: () => import('mcp-sdk-2025-03-26/types.js'),
    stdio: () => import('mcp-sdk-2025-03-26/server/stdio.js'),
    http: () => import('mcp-sdk-2025-03-26/server/streamableHttp.js'),
  },
  '2025-06-18': {
    server: () => import('mcp-sdk-2025-06-18/server/index.js'),
    types: () => import('mcp-sdk-2025-06-18/types.js'),
    stdio: () => import('mcp-sdk-2025-06-18/server/stdio.js'),
    http: () => import('mcp-sdk-2025-06-18/server/streamableHttp.js'),
  },
};
const sdk = sdks[revision];
const [{ Server }, types] = await Promise.all([sdk.server(), sdk.types()]);

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
let cancelled = 0;

/** The second argument of a tool writes to the request's stream. */
const tools = {
  echo: ({ message }) => text(message),
  fail: () => ({ ...text('it is broken'), isError: true }),
  weather: () => ({ ...text('21 degrees'), structuredContent: { degrees: 21 } }),
  media: () => ({
    content: [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
    ],
  }),
  async count(_, { sendNotification, _meta: { progressToken } }) {
    for (const progress of [1, 2]) {
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
    }
    return text('counted');
  },
  hang: (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        cancelled += 1;
        resolve(text('stopped'));
      });
    }),
  cancelled: () => text(cancelled),
  async log(_, { sendNotification }) {
    await sendNotification({
      method: 'notifications/message',
      params: { level: 'warning', logger: 'disk', data: 'full' },
    });
    return text('logged');
  },
  async touch({ uri }, { server }) {
    await server.sendResourceUpdated({ uri });
    return text('touched');
  },
  askModel: (_, { ask }) => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'an idea?' } }];
    return ask('sampling/createMessage', 'CreateMessage', { messages, maxTokens: 5 });
  },
  askPerson: (_, { ask }) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    return ask('elicitation/create', 'Elicit', { message: 'Who?', requestedSchema });
  },
  askRoots: (_, { ask }) => ask('roots/list', 'ListRoots', {}),
};

const annotated = { echo: { annotations: { readOnlyHint: true } } };

function serverOf() {
  const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} };
  const server = new Server({ name: 'old', version: revision }, { capabilities });
  const on = (name, handle) => server.setRequestHandler(types[`${name}RequestSchema`], handle);
  const listed = Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' }, ...annotated[name] }));
  on('ListTools', ({ params }) =>
    params?.cursor === undefined ? { tools: listed.slice(0, 5), nextCursor: '5' } : { tools: listed.slice(5) },
  );
  on('CallTool', ({ params: { name, arguments: args = {}, _meta } }, extra) => {
    const tool = tools[name];
    if (tool === undefined) throw new types.McpError(types.ErrorCode.InvalidParams, `Tool ${name} not found`);
    const ask = async (method, schema, params) =>
      text(JSON.stringify(await extra.sendRequest({ method, params }, types[`${schema}ResultSchema`])));
    return tool(args, { ...extra, _meta, server, ask });
  });
  on('ListPrompts', () => ({ prompts: [{ name: 'visit', arguments: [{ name: 'city', required: true }] }] }));
  on('GetPrompt', ({ params }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Visit ${params.arguments.city}` } }],
  }));
  on('ListResources', () => ({ resources: [{ name: 'a', uri: 'file:///a' }] }));
  on('ListResourceTemplates', () => ({ resourceTemplates: [{ name: 'note', uriTemplate: 'note://{id}' }] }));
  on('ReadResource', ({ params: { uri } }) => ({ contents: [{ uri, text: `this is ${uri}` }] }));
  on('Subscribe', () => ({}));
  on('Unsubscribe', () => ({}));
  on('Complete', () => ({ completion: { values: ['Paris', 'Prague'] } }));
  on('SetLevel', () => ({}));
  return server;
}

if (way === 'stdio') {
  const { StdioServerTransport } = await sdk.stdio();
  await serverOf().connect(new StdioServerTransport());
} else {
  const { StreamableHTTPServerTransport } = await sdk.http();
  const sessions = new Map();
  const opened = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await serverOf().connect(transport);
    return transport;
  };
  const answer = async (request, response) => {
    const transport = sessions.get(request.headers['mcp-session-id']) ?? (await opened());
    await transport.handleRequest(request, response);
  };
  const http = createServer((request, response) => void answer(request, response));
  http.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
}
