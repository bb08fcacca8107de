/**
 * Removes secrets from everything that a link receives, before any other code reads it.
 */
import type { FailureError } from '@baton/engine';
import type { Json } from '@baton/language';
import { cleanText } from '@baton/primitives';
import type { KnownSecrets } from '@baton/runner';
import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/client';

import type { DeliveryAccount, Link, LinkReport } from './link.ts';

const stderrCharacters = 8_192;
const rubbishCharacters = 200;

export class RedactedLink implements Link {
  intercept: Link['intercept'];
  onlost: Link['onlost'];
  onsend: Link['onsend'];
  onmessage: Link['onmessage'];
  onclose: Link['onclose'];
  onerror: Link['onerror'];
  onnoise: Link['onnoise'];
  onsuspect: Link['onsuspect'];
  readonly account: DeliveryAccount;
  readonly #inner: Link;
  readonly #known: KnownSecrets;

  constructor(inner: Link, known: KnownSecrets) {
    this.#inner = inner;
    this.#known = known;
    this.account = {
      mayHaveArrived: (id) => inner.account.mayHaveArrived(id),
      forget: (id) => inner.account.forget(id),
      report: () => this.#redactReport(inner.account.report()),
    };
    inner.intercept = (message) => {
      const clean = known.redactor.json(message as unknown as Json) as unknown as JSONRPCMessage;
      if (this.intercept?.(clean) !== true) this.onmessage?.(clean);
      return true;
    };
    inner.onlost = (id, failure) => this.onlost?.(id, this.#redactFailure(failure)) === true;
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => this.onclose?.();
    inner.onsend = (message) => this.onsend?.(message);
    inner.onnoise = () => this.onnoise?.();
    inner.onsuspect = () => this.onsuspect?.();
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#inner.send(message, options);
  }

  post(id: number, request: JSONRPCMessage, headers?: Readonly<Record<string, string>>): boolean {
    return this.#inner.post(id, request, headers);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #redactFailure(failure: FailureError): FailureError {
    return this.#known.redactor.failure(failure);
  }

  /** Redacts before it cuts and cleans: half a secret would not be recognised. */
  #redactReport({ stderr, rubbish, ...rest }: LinkReport): LinkReport {
    const { redactor } = this.#known;
    const first = rubbish === undefined ? '' : cleanText(redactor.text(rubbish.first), rubbishCharacters);
    return {
      ...rest,
      ...(stderr === undefined ? {} : { stderr: cleanText(redactor.text(stderr).slice(-stderrCharacters)).trim() }),
      ...(rubbish === undefined ? {} : { rubbish: { ...rubbish, first } }),
    };
  }
}
