/** A client that costs little, so that what is measured is the server. */
import { Agent, request } from 'node:http';

export interface RestClient {
  deploy(yaml: string): Promise<void>;
  /** Resolves with the outcome of the run, as the peers answer it: without its steps. Rejects unless it succeeded. */
  run(workflow: string): Promise<void>;
  /** Resolves with the run's id when it is on record. */
  start(workflow: string): Promise<string>;
  get(path: string): Promise<unknown>;
  close(): void;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** One request on a connection that is kept. */
export const poster =
  (agent: Agent) =>
  (url: string, body: string, headers: Readonly<Record<string, string>> = {}, method = 'POST'): Promise<Answer> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const length = method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(
      url,
      { agent, method, headers: { 'content-type': 'application/json', ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : body);
    return promise;
  };

export function restClient(url: string, key: string): RestClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const post = poster(agent);
  const authorization = `Bearer ${key}`;
  const expect = ({ status, text }: Answer, ...wanted: number[]): string => {
    if (!wanted.includes(status)) throw new Error(`the API answered ${status}: ${text.slice(0, 500)}`);
    return text;
  };
  return {
    deploy: async (yaml) => {
      const headers = { authorization, 'content-type': 'application/yaml' };
      expect(await post(`${url}/v1/workflows`, yaml, headers), 200, 201);
    },
    run: async (workflow) => {
      const headers = { authorization, prefer: 'wait=60, return=minimal' };
      const answer = await post(`${url}/v1/workflows/${workflow}/runs`, '{}', headers);
      const text = expect(answer, 200);
      if (!text.includes('"status":"succeeded"')) throw new Error(`a run did not succeed: ${text.slice(0, 500)}`);
    },
    start: async (workflow) => {
      const answer = await post(`${url}/v1/workflows/${workflow}/runs`, '{}', { authorization });
      return (JSON.parse(expect(answer, 202)) as { id: string }).id;
    },
    get: async (path) => JSON.parse(expect(await post(`${url}${path}`, '', { authorization }, 'GET'), 200)) as unknown,
    close: () => agent.destroy(),
  };
}
