/** Implements `BlobStore` of libs/runner. Blobs are written together with the events that refer to them. */
import { hash } from 'node:crypto';

import type { BlobStore } from '@baton/runner';

import type { Client } from '../database/prismaClient.ts';
import { type ValuePlace, readElsewhere } from '../values/valuePlace.ts';
import { digestMismatch } from './digestMismatch.ts';

const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/i.test(text);

export class PostgresBlobs implements BlobStore {
  readonly #prisma: Client;
  readonly #place: ValuePlace | undefined;

  /** `place`: of values that were moved out of the database. */
  constructor(prisma: Client, place: ValuePlace | undefined) {
    this.#prisma = prisma;
    this.#place = place;
  }

  async get(sha256: string): Promise<string | undefined> {
    if (!isDigest(sha256)) return undefined;
    const blob = await this.#prisma.blob.findUnique({ where: { sha256: Buffer.from(sha256, 'hex') } });
    if (blob === null) return undefined;
    const content = blob.place === null ? blob.text : await readElsewhere(this.#place, blob.place);
    if (content === undefined) return undefined;
    if (hash('sha256', content, 'hex') !== sha256.toLowerCase()) throw digestMismatch(`The value ${sha256}`);
    return Buffer.from(content).toString('utf8');
  }
}
