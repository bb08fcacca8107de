/** A bucket of S3, or of a server with its protocol (MinIO, Ceph, R2). Keys are paths of it: `endpoint/bucket/prefix/key`. */
import { systemClock } from '@baton/runner';

import { type S3Credentials, signedHeaders } from './signature.ts';
import { type ValuePlace, ValuesUnavailableError } from './valuePlace.ts';

export interface S3Options {
  readonly bucket: string;
  /** Without slashes around it. */
  readonly prefix: string;
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: S3Credentials;
  /** How long an answer may take. Default: 10 s. */
  readonly answerMs?: number;
}

/** Of one object: a larger answer is none of Baton's. */
const contentMax = 64 * 1024 * 1024;

export function s3Place(options: S3Options): ValuePlace {
  const { bucket, prefix, region, endpoint, credentials, answerMs = 10_000 } = options;
  const name = `s3://${[bucket, prefix].filter((part) => part !== '').join('/')}`;
  const base = [endpoint.replace(/\/+$/, ''), bucket, prefix].filter((part) => part !== '').join('/');
  const unavailable = (why: string, cause?: unknown): ValuesUnavailableError =>
    new ValuesUnavailableError(`the values in ${name} cannot be asked now: ${why}`, { cause });

  const ask = async (method: string, key: string, content: Buffer = Buffer.alloc(0)): Promise<Response> => {
    const url = new URL(`${base}/${key}`);
    const headers = signedHeaders({ method, url, region, content, at: systemClock.now() }, credentials);
    const signal = AbortSignal.timeout(answerMs);
    const body = content.length === 0 ? {} : { body: new Uint8Array(content) };
    try {
      return await fetch(url, { method, headers, signal, redirect: 'manual', ...body });
    } catch (error) {
      throw unavailable(reasonOf(error), error);
    }
  };
  /** The rest of an answer may be a page of an error, and is not read. */
  const checked = async (response: Response): Promise<void> => {
    await response.body?.cancel();
    if (!response.ok && response.status !== 404) throw unavailable(`it answered ${response.status}`);
  };
  return {
    name,
    put: async (key, content) => {
      const response = await ask('PUT', key, content);
      await checked(response);
      if (response.status === 404) throw unavailable('there is no such bucket');
    },
    get: async (key) => {
      const response = await ask('GET', key);
      const isMissing = response.status === 404;
      if (!response.ok && !isMissing) await checked(response);
      const content = await contentOf(response).catch((error: unknown) => {
        throw unavailable(reasonOf(error), error);
      });
      if (!isMissing) return content;
      if (content.includes('NoSuchBucket')) throw unavailable('there is no such bucket');
      return undefined;
    },
    remove: async (key) => checked(await ask('DELETE', key)),
  };
}

async function contentOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > contentMax) throw new Error('its answer is larger than any value');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Neither the address, which may be long, nor a header. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'it did not answer in time';
  return cause instanceof Error ? cause.message : message;
}
