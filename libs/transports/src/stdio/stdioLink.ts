/**
 * MCP over the stdin and stdout of a child process: one JSON-RPC message a line (MCP 2025-11-25, transports, stdio).
 *
 * Other output of the process is tolerated, counted, and shown where it explains a fault.
 */
import { FailureError } from '@baton/engine';
import { defined, unawaited } from '@baton/primitives';

import { Intake } from '../link/intake.ts';
import { LineSplitter, type LongLine } from '../link/lines.ts';
import type { DeliveryAccount, Link, LinkReport } from '../link/link.ts';
import { isCall, readMessages, spoiltAnswerIn, textOf, type Call, type Message } from '../link/messages.ts';
import { Outbox } from './outbox.ts';
import { type ServerCommand, type StopTimeLimits, ServerProcess } from './serverProcess.ts';

export interface StdioOptions extends StopTimeLimits {
  /** The server's name and command, for messages. */
  readonly peer: string;
  /** The largest message. */
  readonly lineBytes: number;
}

/** More than is shown: secrets are removed before it is cut. */
const rubbishCharacters = 32_768;
/** A line that has not ended is looked at up to this size. */
const openBytesMax = 64 * 1024;
const closingBrace = 0x7d;
const sent = Promise.resolve();

export class StdioLink implements Link {
  onmessage: Link['onmessage'];
  onlost: Link['onlost'];
  onnoise: Link['onnoise'];
  onclose: Link['onclose'];
  /** The process keeps what it likes, and a process in front of another server may lose it. */
  readonly hasSession = true;
  protocolVersion: string | undefined;
  readonly account: DeliveryAccount = {
    mayHaveArrived: (id) => this.#outbox !== undefined && !this.#outbox.holds(id),
    forget: (id) => this.#outbox?.takeBack(id),
    report: () => this.#report(),
  };
  readonly #launch: ServerCommand;
  readonly #options: StdioOptions;
  #process: ServerProcess | undefined;
  #outbox: Outbox | undefined;
  readonly #intake = new Intake(this);
  #lines: LineSplitter | undefined;
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
    this.#lines = lines;
    process.stdout.on('data', (chunk: Buffer) => {
      lines.push(chunk);
      if (chunk.at(-1) === closingBrace) this.#readOpen(lines);
    });
    // The process no longer reads requests.
    process.stdin.once('close', () => unawaited(this.close()));
    unawaited(process.closed.then(() => this.#end()));
    if (this.#isClosed) await this.close();
  }

  send(message: Message): Promise<void> {
    return this.#put(message) ? sent : Promise.reject(new Error('Not connected'));
  }

  post(id: number, request: Call): boolean {
    return this.#put({ id, ...request }, id);
  }

  #put(message: Message, id?: number): boolean {
    if (this.#isClosed || this.#outbox === undefined || this.#process?.exit !== undefined) return false;
    if (this.#outbox.put(`${textOf(message)}\n`, id)) return true;
    // The queue is full: the server sends requests without reading the answers.
    unawaited(this.close());
    return false;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process?.stop();
  }

  #report(): LinkReport {
    const process = this.#process;
    const open = this.#rubbish === undefined ? this.#lines?.open(rubbishCharacters) : undefined;
    const rubbish = this.#rubbish ?? (open === undefined ? undefined : { lines: 0, first: open.trim() });
    return {
      peer: this.#options.peer,
      ...(process === undefined ? {} : { pid: process.pid, stderr: process.stderrTail() }),
      ...(process?.exit === undefined ? {} : { exit: process.exit }),
      ...defined({ rubbish }),
    };
  }

  #end(): void {
    this.#isClosed = true;
    this.onclose?.();
  }

  #read(text: string, isSound: boolean): void {
    const { rest } = isSound ? this.#intake.take(text) : this.#takeSpoilt(text);
    if (rest === '') return;
    const { lines, first } = this.#rubbish ?? { lines: 0, first: text.trim().slice(0, rubbishCharacters) };
    this.#rubbish = { lines: lines + 1, first };
  }

  /** Some servers do not end their lines: a whole message is one, before its line ends. */
  #readOpen(lines: LineSplitter): void {
    const open = lines.open(openBytesMax);
    if (open === undefined) return;
    const { messages, rest } = readMessages(open);
    if (messages.length === 0 || rest !== '') return;
    lines.drop();
    this.#intake.deliver(messages);
  }

  /** An answer with bytes that are not UTF-8 is not what the server meant, and is dropped. */
  #takeSpoilt(text: string): { readonly rest: string } {
    const { messages, rest } = readMessages(text);
    const sound = messages.filter((message) => isCall(message) || !this.#isLost(Number(message.id)));
    this.#intake.deliver(sound);
    if (rest !== '') this.onnoise?.();
    return { rest };
  }

  #isLost(id: number): boolean {
    const failure = new FailureError('invalid-result', 'The answer is not UTF-8.', { delivery: 'answered' });
    return this.onlost?.(id, failure) === true;
  }

  /** A message that is too large is skipped, so that one answer is lost and not the session. */
  #refuse({ bytes, head, tail }: LongLine): void {
    const limit = this.#options.lineBytes;
    const id = spoiltAnswerIn(head, tail)?.id;
    const failure = new FailureError(
      'result-too-large',
      `The answer is ${bytes} bytes long; at most ${limit} are read.`,
      { delivery: id === undefined ? 'unknown' : 'answered', details: { bytes, limit } },
    );
    if (id === undefined) unawaited(this.close());
    else this.onlost?.(id, failure);
  }
}
