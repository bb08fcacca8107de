/** Commands whose server fails after the first part of the work: what is done is told, and the error is too. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';

import { describe, expect, onTestFinished, test } from 'vitest';

import { runCommandLine } from './program.ts';

/** What is answered to each `METHOD path`, one after the other; the last answer again and again. */
type Script = Readonly<Record<string, readonly ((response: ServerResponse) => void)[]>>;

const json =
  (status: number, body: object) =>
  (response: ServerResponse): void => {
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
  };

const fault = json(503, { type: 'about:blank', status: 503, code: 'unavailable', detail: 'The database is away.' });

async function against(script: Script, args: readonly string[], input = '') {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const what = `${request.method} ${request.url?.split('?')[0]}`;
    const answers = script[what] ?? [];
    const answer = answers[Math.min(asked.filter((one) => one === what).length, answers.length - 1)] ?? fault;
    asked.push(what);
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const env = { BATON_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, BATON_API_KEY: 'x' };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([readAll(stdout), readAll(stderr)]);
  const code = await runCommandLine(args, { env, stdin: Readable.from([input]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { code, stdout: out, stderr: err, asked };
}

test('files that were deployed before the server failed are told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-late-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = ['one', 'two'].map((name) => join(folder, `${name}.workflow.yaml`));
  for (const [n, file] of files.entries()) await writeFile(file, `workflow: w${n}\nsteps: [{ set: { a: 1 } }]\n`);
  const deployed = json(201, { id: 'one', version: 1, digest: 'd', findings: [] });
  const script = {
    'POST /v1/workflows/check': [json(200, { findings: [] })],
    'POST /v1/workflows': [deployed, fault],
  };
  const { code, stdout, stderr } = await against(script, ['deploy', ...files]);
  expect(code).not.toBe(0);
  expect(stdout).toBe(`one@1\tdeployed\t${files[0]}\n`);
  expect(stderr).toContain('The database is away.');
});

test('a key that was made is no failure where the workflows cannot be listed', async () => {
  const script = { 'POST /v1/keys': [json(201, { id: 'key-1', key: 'the-key' })] };
  const { code, stdout, asked } = await against(script, ['keys', 'create', 'k', '-s', 'runs:write', '-w', 'one']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'the-key\n' });
  expect(asked).toContain('GET /v1/workflows');
});

describe('a refused delivery', () => {
  const hook = {
    workflow: 'flow',
    hook: 'knock',
    version: 1,
    path: '/v1/hooks/flow/knock',
    scheme: 'standard',
    secret: 'HOOK',
  };
  const hooks = (...reasons: string[]) =>
    json(200, {
      data: [{ ...hook, deliveries: reasons.map((reason, n) => ({ at: `T${n}`, outcome: 'refused', reason })) }],
    });
  const refused = json(401, {
    type: 'urn:baton:problem:signature-refused',
    status: 401,
    code: 'signature-refused',
    detail: 'The delivery is refused.',
  });
  const tell = async (...listed: Script[string]): Promise<string> => {
    const script = { 'GET /v1/hooks': listed, 'POST /v1/hooks/flow/knock': [refused] };
    const { stderr } = await against(script, ['hooks', 'test', 'flow/knock'], 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    return stderr;
  };

  test('is told where its reason cannot be asked for, or may be that of another sender', async () => {
    expect(await tell(hooks(), hooks('The clock is late.'))).toContain('refused with 401. The clock is late.');
    expect(await tell(hooks(), fault)).toContain('refused with 401. The delivery is refused.');
    expect(await tell(hooks(), hooks('One.', 'Two.'))).toContain('refused with 401. The delivery is refused.');
  });
});

describe('baton api --jq', () => {
  const start = ['api', 'POST', 'runs', '-f', 'workflow=x'];
  const script = { 'POST /v1/runs': [json(202, { id: 'run-1' })] };

  test('sends nothing with a filter that is wrong', async () => {
    expect(await against(script, [...start, '--jq', '.id['])).toMatchObject({ code: 2, asked: [] });
  });

  test('loses no answer that does not fit the filter', async () => {
    const { code, stderr } = await against(script, [...start, '--jq', 'error("no")']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('{"id":"run-1"}') as string });
  });

  test('takes an empty answer, and one of lines', async () => {
    const empty = { 'DELETE /v1/x': [(response: ServerResponse) => void response.writeHead(204).end()] };
    expect(await against(empty, ['api', 'DELETE', 'x', '--jq', '.id'])).toMatchObject({ code: 0, stdout: '' });
    const lines = {
      'GET /v1/x': [
        (response: ServerResponse) =>
          void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{"n":1}\n{"n":2}\n'),
      ],
    };
    expect(await against(lines, ['api', 'GET', 'x', '--jq', '.n'])).toMatchObject({ code: 0, stdout: '1\n2\n' });
  });
});
