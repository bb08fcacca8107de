/** The files of the page from `vite build`, and its one document, prepared for answers. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** The folder of the built page. */
export const builtPage = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

export interface PageDocument {
  readonly etag: string;
  /** The bodies by content coding, smallest first. */
  readonly bodies: readonly (readonly [coding: 'br' | 'gzip' | 'identity', body: Buffer])[];
}

/** The placeholder in the page for its path prefix. */
const basePlace = '<base href="/" />';

interface PageFacts {
  readonly basePath: string;
  /** The host of the identity provider at which people log in. */
  readonly provider?: string | undefined;
}

/** Undefined if the page was not built. Throws if it was built without the placeholder. */
export async function readDocument(
  folder: string,
  { basePath, provider }: PageFacts,
): Promise<PageDocument | undefined> {
  const text = await readFile(join(folder, 'index.html'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  if (!text.includes(basePlace)) throw new Error(`index.html of the page has no ${basePlace}`);
  // A host has no character with a meaning in HTML.
  const logIn = provider === undefined ? '' : `<meta name="baton-provider" content="${provider}" />`;
  const plain = Buffer.from(text.replace(basePlace, `<base href="${basePath}/" />${logIn}`));
  return {
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    bodies: [
      ['br', brotliCompressSync(plain)],
      ['gzip', gzipSync(plain)],
      ['identity', plain],
    ],
  };
}
