/**
 * Builds the page into `dist`: relative addresses, so that it works under any path, and compressed copies beside each
 * file.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import react from '@vitejs/plugin-react';
import { type Plugin, defineConfig, loadEnv } from 'vite';

const compressible = /\.(?:js|css|html|svg|json)$/;

/** Compressing smaller files gains nothing. */
const bytesMin = 512;

/** Writes `x.js.br` and `x.js.gz` beside `x.js`, so that the server need not compress. */
const compressed = (): Plugin => ({
  name: 'compressed-copies',
  apply: 'build',
  writeBundle: {
    sequential: true,
    async handler({ dir = '' }) {
      const files = (await readdir(dir, { recursive: true })).filter((file) => compressible.test(file));
      await Promise.all(files.map((file) => compress(join(dir, file))));
    },
  },
});

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.byteLength < bytesMin) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

/**
 * Keeps the Latin faces only: the others take 115 kB of the npm package, and system fonts have Cyrillic, Greek and
 * Vietnamese.
 */
const latinFonts = (): Plugin => ({
  name: 'latin-fonts',
  enforce: 'pre',
  transform: (css, id) =>
    /[/\\]@fontsource-variable[/\\][^?]*\.css/.test(id)
      ? { code: (css.match(/@font-face \{[^}]*-latin-[^}]*\}/g) ?? []).join('\n'), map: null }
      : undefined,
});

const { BATON_URL: api = 'http://127.0.0.1:4400' } = loadEnv('', import.meta.dirname, 'BATON_');

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react({ jsxImportSource: '#shownText' }), latinFonts(), compressed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  server: {
    port: 4480,
    strictPort: true,
    proxy: Object.fromEntries(
      ['/v1', '/readyz', '/healthz', '/schema'].map((path) => [
        path,
        {
          target: api,
          changeOrigin: true,
          // The server accepts a session's cookie only from the page of the installation.
          headers: { origin: api },
        },
      ]),
    ),
  },
});
