/** Requests that never became one: not HTTP, too large a header, too slow, or for a tunnel. Answered on the bare socket. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import { commonHeaders } from './answerProblem.ts';
import type { ProblemName } from './problem.ts';
import { problemBody, problems, problemType } from './problem.ts';

const names: Readonly<Record<string, readonly [ProblemName, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers-too-large', 'Address and header together may have 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request did not arrive in time.'],
};

export function answerClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else answerOn(socket, ...(names[error.code ?? ''] ?? ['malformed-request', 'This is not HTTP/1.1.']));
}

/** CONNECT. Without an answer the connection would just end. */
export function answerTunnel(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  answerOn(socket, 'malformed-request', 'There are no tunnels here.');
}

function answerOn(socket: Duplex, name: ProblemName, detail: string): void {
  const { status, title } = problems[name];
  const id = randomUUID();
  const body = JSON.stringify(problemBody({ name, status, title, detail }, { id, url: '' }));
  const headers = {
    ...commonHeaders(id),
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
