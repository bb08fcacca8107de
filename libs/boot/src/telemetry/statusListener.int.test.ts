import { once } from 'node:events';
import { connect } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { Metrics } from './metrics.ts';
import { openStatusListener } from './statusListener.ts';

test.each(['GET', 'HEAD', 'OPTIONS'])(
  'a health check by %s is answered without a host, as balancers ask',
  async (method) => {
    const ready = async () => ({ status: 'down' }) as const;
    const listener = await openStatusListener({ host: '127.0.0.1', port: 0, metrics: new Metrics(), ready });
    onTestFinished(() => listener.close());
    const ask = async (path: string, version: string, headers = ''): Promise<string> => {
      const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.write(`${method} ${path} HTTP/${version}\r\n${headers}connection: close\r\n\r\n`);
      await once(socket, 'close');
      return Buffer.concat(chunks).toString('latin1').slice(0, 12);
    };
    for (const version of ['1.0', '1.1']) {
      expect(await ask('/healthz', version)).toBe('HTTP/1.1 200');
      expect(await ask('/readyz', version)).toBe('HTTP/1.1 503');
    }
    expect(await ask('/healthz', '1.1', 'host: evil.example\r\n')).toBe('HTTP/1.1 403');
  },
);
