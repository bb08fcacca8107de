/**
 * Answers requests that never reach Fastify, on the bare socket: invalid HTTP, too large headers, too slow, or CONNECT.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import { type ProblemCode, ProblemError, problemBody, problemType } from '@baton/api';

import { commonHeaders } from './answerProblem.ts';

const names: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers-too-large', 'Address and header together may have 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request did not arrive in time.'],
};

export function answerClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else answerOn(socket, ...(names[error.code ?? ''] ?? ['malformed-request', 'This is not HTTP/1.1.']));
}

/** Answers CONNECT: without an answer Node would just close the connection. */
export function answerTunnel(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  answerOn(socket, 'malformed-request', 'CONNECT is not supported.');
}

function answerOn(socket: Duplex, code: ProblemCode, detail: string): void {
  const problem = new ProblemError(code, detail);
  const { status } = problem;
  const id = randomUUID();
  const body = JSON.stringify(problemBody(problem, { id, url: '' }));
  const headers = {
    ...commonHeaders(id),
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
