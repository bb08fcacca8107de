/**
 * One connection of a client that claims to be a device: its frames in both directions, and their limits.
 *
 * A client is not trusted until it registers. Each fault is reported, unrequested frames are counted, and a client that
 * sends too many is disconnected. An accepted registration gets no answer.
 */
import type { Socket } from 'node:net';

import { type Json, TokenBucket } from '@baton/primitives';
import {
  type DeviceFrame,
  type DeviceMessage,
  type FrameFault,
  encodeMessage,
  errorMessage,
  FrameDecoder,
  readDeviceMessage,
} from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

import { DeviceCalls } from './deviceCalls.ts';
import type { DeviceLimits } from './limits.ts';
import { type TextHandler, TextTasks } from './textTasks.ts';

export type Registration = Extract<DeviceMessage, { type: 'register' }>;

/** Why a frame or a connection was refused. `fatal`: the connection must end. */
export interface DeviceRefusal {
  readonly code: string;
  readonly problem: string;
  readonly isFatal: boolean;
}

/** The owner of the connections. */
export interface ConnectionHost {
  readonly limits: DeviceLimits;
  readonly onText: TextHandler;
  /** Secrets that are removed from everything that devices send. */
  readonly known: KnownSecrets;
  readonly requiresToken: boolean;
  /** Sets `connection.device` if it accepts; returns sentences about services that it left out. */
  register(connection: DeviceConnection, registration: Registration): DeviceRefusal | readonly string[];
  /** Names a device that gave no name. */
  introduce(connection: DeviceConnection): string;
  onClosed(connection: DeviceConnection): void;
  onTrouble(connection: DeviceConnection, problem: string): void;
}

/** TCP keep-alive delays: how soon a vanished client is noticed, normally and after `probe`. */
const keepAliveMs = 15_000;
const probeMs = 1_000;

export class DeviceConnection {
  /** Name of the device; set when it has registered or was given a name. */
  device: string | undefined;
  readonly id: string;
  readonly address: string;
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #decoder: FrameDecoder;
  readonly #frames: TokenBucket;
  readonly #tasks: TextTasks;
  readonly #introduction: NodeJS.Timeout;
  #calls: DeviceCalls | undefined;
  #isOpen = true;
  #closeTimer: NodeJS.Timeout | undefined;
  #endReason = 'The connection ended';

  constructor(id: string, socket: Socket, host: ConnectionHost) {
    const { limits, onText } = host;
    this.id = id;
    this.address = `${socket.remoteAddress ?? 'unknown'}:${socket.remotePort ?? 0}`;
    this.#socket = socket;
    this.#host = host;
    const bytesNow = (): number => (this.device === undefined ? limits.introductionBytes : limits.payloadBytes);
    this.#decoder = new FrameDecoder({
      depth: limits.depth,
      get payloadBytes() {
        return Math.min(bytesNow(), limits.payloadBytes);
      },
    });
    this.#frames = new TokenBucket(limits);
    const device = (): string => this.device ?? host.introduce(this);
    this.#tasks = new TextTasks({ limits, onText, device, send: (frames) => this.#send(frames) });
    this.#introduction = setTimeout(() => this.#hangUp('silent', 'It did not say what it is.'), limits.introductionMs);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveMs);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    // A socket error changes nothing here: `close` follows it.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(this.#closeTimer);
      this.#closed();
    });
  }

  /** The calls to the device of this connection. */
  get calls(): DeviceCalls {
    this.#calls ??= new DeviceCalls(this.device ?? this.id, this.#host.limits, (frame) => this.#send(frame));
    return this.#calls;
  }

  /** Checks soon whether the client is still there, because another connection claims to be the same device. */
  probe(): void {
    this.#socket.setKeepAlive(true, probeMs);
  }

  close(why: string): void {
    this.#endReason = why;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (!this.#isOpen) return;
    for (const frame of this.#decoder.push(chunk)) if (this.#isOpen) this.#take(frame);
  }

  #take(frame: DeviceFrame | FrameFault): void {
    switch (frame.kind) {
      case 'fault':
        return this.#refuse('bad-frame', `Not understood: ${frame.problem}.`);
      case 'json':
        return this.#message(this.#redacted(readDeviceMessage(frame.message)));
      case 'text':
      case 'end':
        return this.#text(frame);
    }
  }

  /**
   * Redacts everything but the token, which is compared as sent. Texts are redacted once they are complete: see
   * `openDevices`.
   */
  #redacted(message: DeviceMessage): DeviceMessage {
    const clean = this.#host.known.redactor.json(message as unknown as Json) as unknown as DeviceMessage;
    return message.type === 'register' && clean.type === 'register' && message.token !== undefined
      ? { ...clean, token: message.token }
      : clean;
  }

  #message(message: DeviceMessage): void {
    if (message.type === 'result' && this.#calls?.answer(message.callId, message.outcome) === true) return;
    if (!this.#spend(message.type === 'register' ? 1 + Object.keys(message.services).length / 2 : 1)) return;
    if (message.type === 'invalid') return this.#refuse('bad-message', message.problem);
    // The result is late, repeated or unrequested; the protocol does not tell which.
    if (message.type === 'result') return;
    const registered = this.#host.register(this, message);
    if (this.device !== undefined) clearTimeout(this.#introduction);
    if ('code' in registered) {
      if (registered.isFatal) this.#hangUp(registered.code, registered.problem);
      else this.#refuse(registered.code, registered.problem);
      return;
    }
    for (const problem of registered.slice(0, 10)) this.#report('bad-service', problem);
  }

  #text(frame: Extract<DeviceFrame, { kind: 'text' | 'end' }>): void {
    if (!this.#spend(1)) return;
    if (this.device === undefined && this.#host.requiresToken) {
      return this.#hangUp('unauthorized', 'A device registers, with its token, before anything else.');
    }
    clearTimeout(this.#introduction);
    if (frame.kind === 'end') return this.#tasks.end(frame.taskId);
    const refusal = this.#tasks.add(frame.taskId, frame.text);
    if (refusal !== undefined) this.#refuse(refusal.code, refusal.problem);
  }

  #refuse(code: string, problem: string): void {
    if (this.#spend(this.#host.limits.faultFrames)) this.#report(code, problem);
  }

  #spend(frames: number): boolean {
    if (this.#frames.admits(performance.now(), frames)) return true;
    this.#hangUp('too-much', 'It sent too many messages that belong to no call.');
    return false;
  }

  #report(code: string, problem: string): void {
    this.#host.onTrouble(this, problem);
    this.#send(encodeMessage(errorMessage(code, problem)));
  }

  #hangUp(code: string, problem: string): void {
    if (!this.#isOpen) return;
    this.#report(code, problem);
    this.#endReason = `The device was hung up on (${problem.replace(/\.$/, '')})`;
    this.#closed();
    // Sends what is queued, and ignores further input.
    this.#socket.end();
    this.#closeTimer = setTimeout(() => this.#socket.destroy(), probeMs);
  }

  /** False if the frames were not sent. */
  #send(frames: string): boolean {
    if (!this.#isOpen || !this.#socket.writable) return false;
    if (this.#socket.writableLength > this.#host.limits.outboxBytes) return false;
    this.#socket.write(frames);
    return true;
  }

  #closed(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#introduction);
    this.#tasks.close();
    this.#calls?.end(this.#endReason);
    this.#host.onClosed(this);
  }
}
