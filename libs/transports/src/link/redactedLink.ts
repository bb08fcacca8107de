/**
 * Removes secrets from everything that a link receives, before any other code reads it.
 */
import type { FailureError } from '@baton/engine';
import { type Json, cleanText, unawaited } from '@baton/primitives';
import { type KnownSecrets, runWithYields } from '@baton/runner';

import type { DeliveryAccount, Link, LinkReport } from './link.ts';
import type { Call, Message } from './messages.ts';

/** Characters of a message, and values in it times ten, from which on it is redacted in slices. */
const largeMin = 64 * 1024;
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
  /** What waits for a large message, that itself first. */
  readonly #later: (() => unknown)[] = [];

  constructor(inner: Link, known: KnownSecrets) {
    this.#inner = inner;
    this.#known = known;
    this.account = {
      mayHaveArrived: (id) => inner.account.mayHaveArrived(id),
      forget: (id) => inner.account.forget(id),
      report: () => this.#redactReport(inner.account.report()),
    };
    inner.onmessage = (message) => this.#take(message as Json);
    inner.onlost = (id, failure) => this.#lose(id, failure);
    inner.onclose = () => this.#inOrder(() => this.onclose?.());
    inner.onnoise = () => this.#inOrder(() => this.onnoise?.());
    inner.onsuspect = () => this.#inOrder(() => this.onsuspect?.());
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

  #take(message: Json): void {
    const { redactor } = this.#known;
    const deliver = (clean: Json): void => this.onmessage?.(clean as unknown as Message);
    if (isLarge(message)) this.#doLater(async () => deliver(await runWithYields(redactor.slicesOf(message))));
    else this.#inOrder(() => deliver(redactor.json(message)));
  }

  /** While the answer may be among the messages that wait, it is not known whether a request still waits for it. */
  #lose(id: number, failure: FailureError): boolean {
    const lose = (): boolean => this.onlost?.(id, this.#redactFailure(failure)) === true;
    if (this.#later.length === 0) return lose();
    this.#doLater(lose);
    return true;
  }

  /** What comes after a large message waits until that one is redacted. */
  #inOrder(act: () => void): void {
    if (this.#later.length === 0) act();
    else this.#doLater(act);
  }

  #doLater(act: () => unknown): void {
    this.#later.push(act);
    if (this.#later.length === 1) unawaited(this.#catchUp());
  }

  async #catchUp(): Promise<void> {
    for (let [act] = this.#later; act !== undefined; [act] = this.#later) {
      await act();
      this.#later.shift();
    }
  }

  #redactFailure(failure: FailureError): FailureError {
    return this.#known.redactor.failure(failure);
  }

  /** Redacts, cleans, and then cuts: half a secret, or half a terminal sequence, would not be recognised. */
  #redactReport({ stderr, rubbish, ...rest }: LinkReport): LinkReport {
    const { redactor } = this.#known;
    const first = rubbish === undefined ? '' : cleanText(redactor.text(rubbish.first), rubbishCharacters);
    return {
      ...rest,
      ...(stderr === undefined ? {} : { stderr: lastOf(cleanText(redactor.cutText(stderr))) }),
      ...(rubbish === undefined ? {} : { rubbish: { ...rubbish, first } }),
    };
  }
}

const lastOf = (text: string): string =>
  text
    .slice(-stderrCharacters)
    .replace(/^[\uDC00-\uDFFF]/, '')
    .trim();

/** Looks no further than it must. */
function isLarge(message: Json): boolean {
  const left: Json[] = [message];
  let units = 0;
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    units += 10 + (typeof value === 'string' ? value.length : 0);
    if (units + left.length * 10 >= largeMin) return true;
    if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) {
        units += name.length;
        left.push(item);
      }
  }
  return false;
}
