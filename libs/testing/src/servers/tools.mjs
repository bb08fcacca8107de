/**
 * A server whose tools misbehave in one way each.   node tools.mjs LEDGER
 *
 * Every call, and every cancellation, is in the ledger before anything else happens.
 */
import { existsSync, readFileSync } from 'node:fs';

import { answer, handshake, listen, record, send, text } from './wire.mjs';

const [ledger] = process.argv.slice(2);
const inputSchema = { type: 'object' };
const readOnly = { annotations: { readOnlyHint: true } };

const callsOf = (name) =>
  readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"call":"${name}"`))
    .map((line) => JSON.parse(line));

const progress = (token, at, total) =>
  send({
    method: 'notifications/progress',
    params: { progressToken: token, progress: at, total, message: `at ${at}` },
  });

function slow({ ms, steps = 4 }, { id, token }) {
  let at = 0;
  const timer = setInterval(() => {
    at += 1;
    progress(token, at, steps);
    if (at < steps) return;
    clearInterval(timer);
    answer(id, text('done'));
  }, ms / steps);
}

const extra = [];

const tools = {
  echo: { ...readOnly, run: ({ message }, { id }) => answer(id, text(message)) },
  /** Fails `failures` times in the life of the ledger, then works. */
  flaky: {
    run: ({ failures }, { id }) => {
      const isWorking = callsOf('flaky').length > failures;
      answer(id, isWorking ? text('worked') : { ...text('not yet'), isError: true });
    },
  },
  slow: { ...readOnly, run: slow },
  /** Goes on after being cancelled, and answers. */
  stubborn: { run: ({ ms }, { id }) => setTimeout(() => answer(id, text('done nevertheless')), ms) },
  /** Answers when the file exists. */
  held: {
    run: ({ file }, { id }) => {
      const timer = setInterval(() => {
        if (!existsSync(file)) return;
        clearInterval(timer);
        answer(id, text('let go'));
      }, 20);
    },
  },
  write: { run: (_, { id }) => answer(id, text('written')) },
  /** The same, and `posted` knows of it by its argument `of`. With `dies` or `hangs` no answer comes. */
  post: {
    run: ({ of, dies, hangs }, { id }) => {
      if (dies) process.exit(1);
      if (!hangs) answer(id, text(JSON.stringify({ of })));
    },
  },
  posted: {
    ...readOnly,
    run: ({ of }, { id }) => {
      const times = callsOf('post').filter(({ arguments: given }) => given?.of === of).length;
      answer(id, text(JSON.stringify({ times, posts: times === 0 ? [] : [{ of }] })));
    },
  },
  /** Dies after the effect and before the answer. */
  crash: {
    run: ({ code, signal }) => {
      process.stderr.write('about to crash\n');
      if (signal === undefined) process.exit(code ?? 1);
      else process.kill(process.pid, signal);
    },
  },
  /** Answers, and dies at once. */
  last: {
    run: (_, { id }) =>
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: text('x'.repeat(1e6)) })}\n`, () =>
        process.exit(0),
      ),
  },
  hang: { run: () => {} },
  /** Blocks the whole server: not even a ping is answered. */
  block: {
    run: ({ ms }, { id }) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      answer(id, text('awake'));
    },
  },
  fail: { run: ({ message }, { id }) => answer(id, { ...text(message ?? 'it went wrong'), isError: true }) },
  error: { run: ({ code, message, data }, { id }) => send({ id, error: { code, message, data } }) },
  /** An answer without a request, one to another caller's request, the answer, and the answer again. */
  stray: {
    run: (_, { id }) => {
      answer(id + 500, text('stray'));
      answer('no such id', text('stray'));
      send({ id: null, result: text('stray') });
      answer(id, text('right'));
      answer(id, text('doubled'));
    },
  },
  textId: { run: (_, { id }) => answer(String(id), text('right')) },
  both: { run: (_, { id }) => send({ id, result: text('yes'), error: { code: -32000, message: 'no' } }) },
  neither: { run: (_, { id }) => send({ id }) },
  malformed: { run: ({ result }, { id }) => answer(id, result) },
  deep: {
    run: ({ levels }, { id }) =>
      process.stdout.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":${'['.repeat(levels)}${']'.repeat(levels)}}}\n`,
      ),
  },
  /** One line of `bytes`; its id comes first, last, or not at all. */
  huge: {
    run: ({ bytes, id: place = 'last' }, { id }) => {
      const named = { first: [`"id":${id},`, ''], last: ['', `,"jsonrpc":"2.0","id":${id}`], none: ['', ''] }[place];
      const head = place === 'first' ? `{"jsonrpc":"2.0",${named[0]}"result":` : '{"result":';
      process.stdout.write(`${head}{"content":[{"type":"text","text":"`);
      for (let left = bytes; left > 0; left -= 1e6) process.stdout.write('x'.repeat(Math.min(left, 1e6)));
      process.stdout.write(`"}]}${named[1]}}\n`);
    },
  },
  /** As much as a server can say about how far it is. */
  chatter: {
    run: ({ times }, { id, token }) => {
      for (let at = 1; at <= times; at++) progress(token, at, times);
      answer(id, text('done'));
    },
  },
  /** Progress without end, and no answer; being stopped changes nothing. */
  flood: {
    run: (_, { token }) =>
      setInterval(() => {
        for (let at = 0; at < 100; at++) progress(token, at);
      }, 5),
  },
  /** Unknown notifications, as many as can be. */
  babble: {
    run: () =>
      setInterval(() => {
        for (let at = 0; at < 500; at++) send({ method: 'notifications/babble' });
      }, 5),
  },
  /** The same, and no messages at all. */
  rubble: { run: () => setInterval(() => process.stdout.write('rubble\n'.repeat(500)), 5) },
  /** A line that never ends, a byte at a time: every later byte is part of it. */
  drip: { run: () => setInterval(() => process.stdout.write('{'), 5) },
  /** Bytes that are no UTF-8, within the text of the answer. */
  garbled: {
    run: (_, { id }) => {
      const [before, after] = JSON.stringify({ jsonrpc: '2.0', id, result: text('|') }).split('|');
      process.stdout.write(
        Buffer.concat([Buffer.from(before), Buffer.of(0xff, 0xc3, 0x28), Buffer.from(`${after}\n`)]),
      );
    },
  },
  /** Any output, with its id in place of `ID`. */
  print: { run: ({ output }, { id }) => process.stdout.write(output.replaceAll('ID', String(id))) },
  /** Bytes that are nothing at all, and no answer. */
  noise: { run: () => process.stdout.write(Buffer.of(0xff, 0xfe, 0x00, 0x0a)) },
  /** Progress, a question and the answer, in one batch (2025-03-26). */
  batch: {
    run: (_, { id, token }) => {
      const params = { progressToken: token, progress: 1 };
      const all = [
        { method: 'notifications/progress', params },
        { id: 'q', method: 'ping' },
        { id, result: text('in a batch') },
      ];
      process.stdout.write(`${JSON.stringify(all.map((one) => ({ jsonrpc: '2.0', ...one })))}\n`);
    },
  },
  /** Progress that does not say of what. */
  tokenless: {
    run: (_, { id }) => {
      send({ method: 'notifications/progress', params: { progress: 1, total: 2 } });
      setTimeout(() => answer(id, text('done')), 20);
    },
  },
  rubbish: {
    run: (_, { id }) => {
      process.stdout.write('debug: not JSON\r\n\n{"json": "but no message"}\n\u{FEFF}');
      answer(id, text('right'));
    },
  },
  stderr: {
    run: ({ bytes }, { id }) => {
      const line = `${'e'.repeat(1023)}\n`;
      for (let left = bytes; left > 0; left -= 1024) process.stderr.write(line);
      process.stderr.write('the last words\n', () => answer(id, text('done')));
    },
  },
  /** Adds a tool, and says so. */
  grow: {
    run: ({ name }, { id }) => {
      extra.push({ name, inputSchema });
      send({ method: 'notifications/tools/list_changed' });
      answer(id, text('grown'));
    },
  },
  environment: { ...readOnly, run: (_, { id }) => answer(id, text(JSON.stringify(process.env))) },
  where: { ...readOnly, run: (_, { id }) => answer(id, text(process.cwd())) },
  meta: { ...readOnly, run: (_, { id, meta }) => answer(id, text(JSON.stringify(meta))) },
  pid: { ...readOnly, run: (_, { id }) => answer(id, text(process.pid)) },
};

/** Started with CHANGED, `echo` is another tool than it was: it needs more, or with `optional` takes more. */
const schemaOf = (name) =>
  name === 'echo' && process.env.CHANGED !== undefined
    ? {
        ...inputSchema,
        properties: { message: { type: 'string' }, volume: { type: 'integer' } },
        ...(process.env.CHANGED === 'optional' ? {} : { required: ['message', 'volume'] }),
      }
    : inputSchema;

const listed = () =>
  Object.entries(tools)
    .map(([name, { annotations }]) => ({
      name,
      inputSchema: schemaOf(name),
      ...(annotations === undefined ? {} : { annotations }),
    }))
    .concat(extra);

/** Two pages, the last of which ends with an empty cursor. */
function list(id, cursor) {
  const all = listed();
  const half = Math.ceil(all.length / 2);
  answer(
    id,
    cursor === 'second'
      ? { tools: all.slice(half), nextCursor: '' }
      : { tools: all.slice(0, half), nextCursor: 'second' },
  );
}

listen((message) => {
  if (handshake(message, { tools: { listChanged: true } })) return;
  const { id, method, params = {} } = message;
  if (method === 'tools/list') list(id, params.cursor);
  else if (method === 'notifications/cancelled') record(ledger, { cancelled: params.requestId, reason: params.reason });
  else if (method === 'tools/call') {
    record(ledger, { call: params.name, arguments: params.arguments, meta: params._meta });
    const tool = tools[params.name];
    const about = { id, token: params._meta?.progressToken, meta: params._meta };
    if (tool === undefined) send({ id, error: { code: -32602, message: `Tool ${params.name} not found` } });
    else tool.run(params.arguments ?? {}, about);
  } else if (id !== undefined && method !== undefined)
    send({ id, error: { code: -32601, message: 'Method not found' } });
});
