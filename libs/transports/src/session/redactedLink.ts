/**
 * Removes secrets from everything that a link receives, before any other code reads it.
 */
import type { FailureError } from '@baton/engine';
import type { Json } from '@baton/language';
import { cleanText } from '@baton/primitives';
import type { KnownSecrets } from '@baton/runner';

import type { DeliveryAccount, Link, LinkReport } from './link.ts';
import type { Call, Message } from './messages.ts';

const stderrCharacters = 8_192;
const rubbishCharacters = 200;

export class RedactedLink implements Link {
  onmessage: Link['onmessage'];
  onlost: Link['onlost'];
  onnoise: Link['onnoise'];
  onsuspect: Link['onsuspect'];
  onclose: Link['onclose'];
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
    inner.onmessage = (message) => this.onmessage?.(known.redactor.json(message as Json) as unknown as Message);
    inner.onlost = (id, failure) => this.onlost?.(id, this.#redactFailure(failure)) === true;
    inner.onclose = () => this.onclose?.();
    inner.onnoise = () => this.onnoise?.();
    inner.onsuspect = () => this.onsuspect?.();
  }

  get hasSession(): boolean {
    return this.#inner.hasSession;
  }

  get protocolVersion(): string | undefined {
    return this.#inner.protocolVersion;
  }

  set protocolVersion(version: string | undefined) {
    this.#inner.protocolVersion = version;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: Message): Promise<void> {
    return this.#inner.send(message);
  }

  post(id: number, request: Call, headers?: Readonly<Record<string, string>>): boolean {
    return this.#inner.post(id, request, headers);
  }

  listen(): void {
    this.#inner.listen?.();
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
