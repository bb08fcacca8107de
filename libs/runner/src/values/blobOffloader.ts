/** Moves large values out of events: the event keeps digest, size and preview; the text becomes a blob. */
import { hash } from 'node:crypto';

import type { WaitCondition, Call, EventOf, DefinitionPart, RunEvent, Value } from '@baton/engine';
import { limits } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import type { NewBlob } from '../ports/journal.ts';
import type { BlobCache } from './blobCache.ts';

/** Produces events as they are stored, and collects the blobs to store with them. */
export class BlobOffloader {
  readonly #cache: BlobCache;
  readonly #isStored: (sha256: string) => boolean;
  /** Called for each blob that is collected. */
  readonly #onCollected: (blob: NewBlob) => void;
  readonly #fresh = new Map<string, NewBlob>();

  /** `isStored`: this blob is stored already, or with an earlier event, and is not collected again. */
  constructor(
    cache: BlobCache,
    isStored: (sha256: string) => boolean = () => false,
    onCollected: (blob: NewBlob) => void = () => undefined,
  ) {
    this.#cache = cache;
    this.#isStored = isStored;
    this.#onCollected = onCollected;
  }

  /** Returns the blobs collected since the last call, and forgets them. */
  takeBlobs(): readonly NewBlob[] {
    const fresh = [...this.#fresh.values()];
    this.#fresh.clear();
    return fresh;
  }

  readonly offload = (event: RunEvent): RunEvent => {
    switch (event.type) {
      case 'run.requested':
        return { ...event, inputs: this.#value(event.inputs), ...this.#part(event) };
      case 'run.finished':
        if (event.status !== 'succeeded' || event.outputs === undefined) return event;
        return { ...event, outputs: this.#value(event.outputs) };
      case 'step.started':
        return this.#started(event);
      case 'call.requested':
        return { ...event, arguments: this.#value(event.arguments) };
      case 'step.succeeded':
        return { ...event, value: this.#value(event.value) };
      case 'step.waiting':
        return { ...event, awaiting: this.#awaiting(event.awaiting) };
      case 'sample.answered':
        return event.value === undefined ? event : { ...event, value: this.#value(event.value) };
      case 'item.finished':
        return event.value === undefined ? event : { ...event, value: this.#value(event.value) };
      case 'child.finished':
        return event.outputs === undefined ? event : { ...event, outputs: this.#value(event.outputs) };
      default:
        return event;
    }
  };

  #awaiting(awaiting: WaitCondition): WaitCondition {
    if (awaiting.for === 'sample') return { ...awaiting, request: this.#value(awaiting.request) };
    return awaiting.for === 'child' ? { ...awaiting, inputs: this.#value(awaiting.inputs) } : awaiting;
  }

  #part({ part }: EventOf<'run.requested'>): { part?: DefinitionPart } {
    return part === undefined ? {} : { part: { ...part, scope: this.#value(part.scope) } };
  }

  #started(event: Extract<RunEvent, { type: 'step.started' }>): RunEvent {
    const { call, items } = event;
    if (call !== undefined) return { ...event, call: this.#call(call) };
    return items === undefined ? event : { ...event, items: this.#value(items) };
  }

  #call(call: Call): Call {
    if (call.verb === 'sample') return { ...call, request: this.#value(call.request) };
    const kept = this.#value(call.arguments);
    if (call.verb !== 'tool' || call.effect !== 'write') return { ...call, arguments: kept };
    return { ...call, arguments: kept, digest: digestOf(kept) };
  }

  #value(value: Value): Value {
    if (!('json' in value) || isSmall(value.json)) return value;
    const text = this.#cache.texts.json(value.json);
    const bytes = Buffer.byteLength(text);
    if (bytes <= limits.value.inlineBytes) return value;
    const sha256 = sha256Of(text);
    this.#cache.put(sha256, value.json, bytes);
    if (!this.#isStored(sha256) && !this.#fresh.has(sha256)) {
      const blob = { sha256, text };
      this.#fresh.set(sha256, blob);
      this.#onCollected(blob);
    }
    return { blob: { sha256, bytes, preview: text.slice(0, limits.value.previewCharacters) } };
  }
}

const sha256Of = (text: string): string => hash('sha256', text, 'hex');

const digestOf = (value: Value): string =>
  'blob' in value ? value.blob.sha256 : sha256Of(JSON.stringify(textual(value)));

const textual = (value: Value): unknown => ('json' in value ? value.json : value);

/** A cheap estimate: only a value that is barely too large may count as small. */
function isSmall(value: Json): boolean {
  return remainingCharacters(value, limits.value.inlineBytes / 4) > 0;
}

function remainingCharacters(value: Json, left: number): number {
  if (left <= 0) return left;
  if (typeof value === 'string') return left - value.length - 2;
  if (typeof value !== 'object' || value === null) return left - 8;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) {
      if (left <= 0) return left;
      left = remainingCharacters(item, left - 1);
    }
    return left;
  }
  for (const [key, item] of Object.entries(value)) {
    if (left <= 0) return left;
    left = remainingCharacters(item, left - key.length - 4);
  }
  return left;
}
