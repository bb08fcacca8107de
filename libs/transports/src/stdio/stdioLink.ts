/**
 * MCP over the stdin and stdout of a child process: one JSON-RPC message a line (MCP 2025-11-25, transports, stdio).
 *
 * Other output of the process is tolerated, counted, and shown where it explains a fault.
 */
import { FailureError } from '@baton/engine';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import type { DeliveryAccount, Link, LinkReport } from '../session/link.ts';
import { messagesIn } from '../session/messages.ts';
import { LineSplitter } from './lines.ts';
import type { LongLine } from './lines.ts';
import { Outbox } from './outbox.ts';
import type { ServerCommand, StopTimeLimits } from './serverProcess.ts';
import { ServerProcess } from './serverProcess.ts';

export interface StdioOptions extends StopTimeLimits {
  /** The server's name and command, for messages. */
  readonly peer: string;
  /** The largest message. */
  readonly lineBytes: number;
}

/** More than is shown: secrets are removed before it is cut. */
const rubbishCharacters = 32_768;
const sent = Promise.resolve();

export class StdioLink implements Link {
  intercept: Link['intercept'];
  onlost: Link['onlost'];
  onsend: Link['onsend'];
  onmessage: Link['onmessage'];
  onclose: Link['onclose'];
  onerror: Link['onerror'];
  onnoise: Link['onnoise'];
  readonly account: DeliveryAccount = {
    mayHaveArrived: (id) => this.#outbox !== undefined && !this.#outbox.holds(id),
    forget: (id) => this.#outbox?.takeBack(id),
    report: () => this.#report(),
  };
  readonly #launch: ServerCommand;
  readonly #options: StdioOptions;
  #process: ServerProcess | undefined;
  #outbox: Outbox | undefined;
  #rubbish: LinkReport['rubbish'];
  #isClosed = false;

  constructor(launch: ServerCommand, options: StdioOptions) {
    this.#launch = launch;
    this.#options = options;
  }

  async start(): Promise<void> {
    const process = await ServerProcess.start(this.#launch, this.#options);
    this.#process = process;
    this.#outbox = new Outbox(process.stdin);
    const lines = new LineSplitter(this.#options.lineBytes, {
      line: (text, isSound) => this.#read(text, isSound),
      longLine: (line) => this.#refuse(line),
    });
    process.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    // The process no longer reads requests.
    process.stdin.once('close', () => void this.close());
    void process.closed.then(() => this.#end());
    if (this.#isClosed) await this.close();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.onsend?.(message);
    return this.#put(message) ? sent : Promise.reject(new Error('Not connected'));
  }

  post(id: number, request: JSONRPCMessage): boolean {
    return this.#put(request, id);
  }

  #put(message: JSONRPCMessage, id?: number): boolean {
    if (this.#isClosed || this.#outbox === undefined || this.#process?.exit !== undefined) return false;
    if (this.#outbox.put(`${JSON.stringify(message)}\n`, id)) return true;
    // The queue is full: the server sends requests without reading the answers.
    void this.close();
    return false;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process?.stop();
  }

  #report(): LinkReport {
    const process = this.#process;
    return {
      peer: this.#options.peer,
      ...(process === undefined ? {} : { pid: process.pid, stderr: process.stderrTail() }),
      ...(process?.exit === undefined ? {} : { exit: process.exit }),
      ...(this.#rubbish === undefined ? {} : { rubbish: this.#rubbish }),
    };
  }

  #end(): void {
    this.#isClosed = true;
    this.onclose?.();
  }

  #read(text: string, isSound: boolean): void {
    const messages = messagesIn(text);
    for (const message of messages ?? []) if (isSound || !this.#isSpoilt(message)) this.#deliver(message);
    if (messages !== undefined || text.trim() === '') return;
    const { lines, first } = this.#rubbish ?? { lines: 0, first: text.trim().slice(0, rubbishCharacters) };
    this.#rubbish = { lines: lines + 1, first };
    this.onnoise?.();
  }

  #deliver(message: JSONRPCMessage): void {
    if (this.intercept?.(message) !== true) this.onmessage?.(message);
  }

  /** An answer with bytes that are not UTF-8 is not what the server meant, and is dropped. */
  #isSpoilt(message: JSONRPCMessage): boolean {
    if (!('id' in message) || 'method' in message) return false;
    const failure = new FailureError('invalid-result', 'The answer is not UTF-8.', { delivery: 'answered' });
    return this.onlost?.(Number(message.id), failure) === true;
  }

  /** A message that is too large is skipped, so that one answer is lost and not the session. */
  #refuse({ bytes, head, tail }: LongLine): void {
    const limit = this.#options.lineBytes;
    const id = idIn(head, tail);
    const failure = new FailureError(
      'result-too-large',
      `The answer is ${bytes} bytes long; at most ${limit} are read.`,
      { delivery: id === undefined ? 'unknown' : 'answered', details: { bytes, limit } },
    );
    if (id === undefined) {
      this.onerror?.(failure);
      void this.close();
    } else this.onlost?.(id, failure);
  }
}

/** The id of a response of which only the beginning and the end are known: the id may be in either. */
function idIn(head: string, tail: string): number | undefined {
  const version = '(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?';
  const first = new RegExp(`^\\s*\\{\\s*${version}"id"\\s*:\\s*(\\d+)\\s*,\\s*${version}"(?:result|error)"`).exec(head);
  if (first !== null) return Number(first[1]);
  if (!new RegExp(`^\\s*\\{\\s*${version}"(?:result|error)"`).test(head)) return undefined;
  const last = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  return last === null ? undefined : Number(last[1]);
}
