/**
 * Reads `mcp.json`: the servers and their settings.
 *
 * A file that works in another MCP client works here. A key that only another client knows is a warning. All mistakes
 * are reported at once, each with its place; the servers without mistakes are usable.
 */
import { didYouMean, pointerTo, segmentsOf, superfluous } from '@baton/expressions';
import { type Finding, checkDeclaration, severityOf } from '@baton/language';
import { type JsonObject, defined, isObject, membersOf, jsonTypeOf } from '@baton/primitives';
import type { z } from 'zod';

import { digestOf } from '../catalogue/digestOf.ts';
import { credentialsIn } from './credentialRule.ts';
import { aliasOf, foreignVariablesIn, isServerEntry, programIn, serverName } from './foreignFile.ts';
import { readJsonc, type Document, type Path } from './jsonc.ts';
import { loginFault } from './loginFault.ts';
import { ModelsConfig } from './modelsSchema.ts';
import { credentialsOfModels, plainCredentialsIn, shortCredentialsIn } from './plainCredentials.ts';
import { BuiltinServer, HttpServer, StdioServer, WrittenPolicy, authKeys } from './schema.ts';
import { type ServerConfig, builtinServer, httpServer, stdioServer } from './server.ts';
import { keysBelowTools } from './toolsSchema.ts';
import { knownKeys, translate, typeNames } from './translate.ts';
import { urlProblem } from './url.ts';
import { isDeniedVariable } from './variables.ts';

export interface ServersConfig {
  readonly servers: ReadonlyMap<string, ServerConfig>;
  readonly models?: ModelsConfig;
}

export interface ReadServers {
  readonly config: ServersConfig;
  readonly findings: readonly Finding[];
}

type ServerEntries = Readonly<Record<string, unknown>>;

export function readServers(text: string): ReadServers {
  return new ServersReader(readJsonc(text, isUnshown)).result();
}

class ServersReader {
  readonly #document: Document;
  readonly #findings: Finding[] = [];

  constructor(document: Document) {
    this.#document = document;
    for (const { code, message, path, place } of document.faults) {
      this.#findings.push({ code, severity: 'error', message, path: pointerTo(path), ...place });
    }
  }

  result(): ReadServers {
    const servers = new Map<string, ServerConfig>();
    const root = this.#document.value;
    if (!isObject(root)) {
      if (this.#findings.length === 0) this.#add('error', 'wrong-type', [], 'The file must hold one JSON object.');
      return { config: { servers }, findings: this.#findings };
    }
    for (const key of ['mcpServers', 'servers']) this.#readAll(root, key, servers);
    const models = this.#readModels(root['models']);
    for (const key of Object.keys(root)) {
      if (!['mcpServers', 'servers', 'models', '$schema'].includes(key)) this.#unknown([key], 'ignored', root[key]);
    }
    const config = { servers, ...defined({ models }) };
    return { config, findings: this.#findings.toSorted((a, b) => a.line - b.line || a.column - b.column) };
  }

  #readAll(root: ServerEntries, key: string, servers: Map<string, ServerConfig>): void {
    const entries = root[key];
    if (entries === undefined) return;
    if (!isObject(entries)) {
      this.#add('error', 'wrong-type', [key], `"${key}" must be an object of servers by name.`, {
        found: typeof entries,
      });
      return;
    }
    const taken = new Set(
      ['mcpServers', 'servers'].flatMap((one) => Object.keys(isObject(root[one]) ? root[one] : {})),
    );
    for (const [written, entry] of Object.entries(entries)) {
      const path = [key, written];
      const name = serverName.test(written) ? written : this.#alias(written, taken, path);
      if (name === undefined) continue;
      if (servers.has(name)) {
        this.#add('error', 'duplicate-server', path, `The server "${name}" stands under "mcpServers" already.`);
      } else {
        const server = this.#readServer(name, entry, path);
        if (server === undefined) continue;
        servers.set(name, server);
        this.#checkDeclarations(server, path);
        for (const place of plainCredentialsIn(server)) this.#plain([...path, ...place]);
        for (const place of shortCredentialsIn(server)) this.#short([...path, ...place]);
      }
    }
  }

  /** A name in place of one that workflows cannot write; names that they can write come first. */
  #alias(written: string, taken: Set<string>, path: Path): string | undefined {
    const alias = aliasOf(written, taken);
    const found = written.slice(0, 80);
    if (alias === undefined) {
      this.#add('warning', 'server-name', path, 'No workflow can name this server, so it is left out.', {
        expected: 'letters, digits, "_", "-" and ".", at most 63 of them, that no other server has',
        found,
        hint: 'write another name before its ":"',
      });
      return undefined;
    }
    taken.add(alias);
    const message = `No workflow can write this name: here the server is called "${alias}".`;
    this.#add('warning', 'server-name', path, message, { found });
    return alias;
  }

  #readServer(name: string, raw: unknown, path: Path): ServerConfig | undefined {
    if (!isObject(raw)) {
      this.#add('error', 'wrong-type', path, `The server "${name}" must be an object.`, { found: typeof raw });
      return undefined;
    }
    for (const key of Object.keys(raw)) if (!knownKeys.has(key)) this.#unknown([...path, key], 'other-client');
    const { kind, entry } = translate(raw);
    const named = { name, revision: digestOf(raw).slice(0, 16) };
    if (kind === undefined) {
      const hint = misspeltIn(raw, ['command', 'url']);
      this.#add('error', 'missing-key', path, `The server "${name}" has neither "command" nor "url".`, { hint });
      return undefined;
    }
    for (const foreign of foreignVariablesIn(raw)) this.#foreign([...path, ...foreign.path], foreign.variable);
    if (kind !== 'builtin' && isObject(raw['baton']) && 'hosts' in raw['baton'])
      this.#add('error', 'unknown-key', [...path, 'baton', 'hosts'], 'Only a server of "type": "builtin" has "hosts".');
    const fault = loginFault(kind, raw);
    if (fault !== undefined) {
      this.#add('error', 'invalid-value', [...path, ...fault.path], fault.message);
      return undefined;
    }
    if (kind === 'stdio') {
      const server = this.#parse(StdioServer, entry, path);
      const program = server === undefined ? undefined : programIn(server.command, server.args);
      if (program !== undefined)
        this.#add('warning', 'command-line', [...path, 'command'], 'The "command" is one program, without arguments.', {
          hint: `write "command": "${program}", and each argument as a text of "args"`,
        });
      return server === undefined ? undefined : this.#withoutDenied(stdioServer(named, server), path);
    }
    if (kind === 'builtin') return this.#readBuiltin(named, entry, path);
    const server = this.#parse(HttpServer, entry, path);
    const problem = server === undefined ? undefined : urlProblem(server.url);
    if (problem !== undefined) this.#add('error', 'invalid-url', [...path, 'url'], problem);
    return server === undefined || problem !== undefined ? undefined : httpServer(named, server);
  }

  #readBuiltin(named: { name: string; revision: string }, entry: object, path: Path): ServerConfig | undefined {
    const server = this.#parse(BuiltinServer, { builtin: named.name, ...entry }, path);
    if (server === undefined) return undefined;
    const { hosts } = server.baton;
    if (server.builtin === 'kv' && hosts !== undefined) {
      this.#add('error', 'unknown-key', [...path, 'baton', 'hosts'], 'Only the built-in server "http" has "hosts".');
      return undefined;
    }
    if (server.builtin === 'kv' || hosts !== undefined) return builtinServer(named, server);
    this.#add(
      'error',
      'missing-key',
      [...path, 'baton'],
      '"hosts" is missing: the built-in "http" calls only what is listed.',
      {
        expected: '"baton": { "hosts": ["api.example.com"] }',
      },
    );
    return undefined;
  }

  /** Their expressions, which the form of the file says nothing about. */
  #checkDeclarations({ name, policy: { declarations } }: ServerConfig, path: Path): void {
    for (const [tool, declaration] of Object.entries(declarations)) {
      for (const { code, pointer, message, ...more } of checkDeclaration(declaration, { server: name, tool })) {
        const at = [...path, 'baton', 'tools', tool, ...segmentsOf(pointer)];
        this.#add(severityOf(code), code, at, message, more);
      }
    }
  }

  #withoutDenied(server: ServerConfig & { type: 'stdio' }, path: Path): ServerConfig {
    const denied = Object.keys(server.env).filter(isDeniedVariable);
    for (const variable of denied) {
      this.#add(
        'warning',
        'env-ignored',
        [...path, 'env', variable],
        `"${variable.slice(0, 80)}" would make the server run code that its command does not name; it is not set.`,
      );
    }
    const env = Object.fromEntries(Object.entries(server.env).filter(([variable]) => !denied.includes(variable)));
    return { ...server, env };
  }

  #readModels(models: unknown): ModelsConfig | undefined {
    if (models === undefined) return undefined;
    const parsed = this.#parse(ModelsConfig, models, ['models']);
    for (const { path } of parsed === undefined ? [] : credentialsOfModels(parsed as JsonObject))
      this.#plain(['models', ...path]);
    return parsed;
  }

  #foreign(path: Path, variable: string): void {
    const message = `"${variable}" means nothing to Baton and is passed on as it is.`;
    const hint = variable.startsWith('${workspaceFolder:')
      ? 'write ${workspaceFolder} for the folder of this file'
      : 'there are ${env:NAME}, ${secret:NAME}, ${workspaceFolder} and ${userHome}';
    this.#add('warning', 'unknown-variable', path, message, { hint });
  }

  /** Reports the place of a credential, never the credential. */
  #plain(path: Path): void {
    const message = `What looks like a credential stands at ${pointerTo(path)} as it is.`;
    const hint = 'write ${secret:NAME} in its place, and set it with `baton secrets set NAME`';
    this.#add('warning', 'plain-credential', path, message, { hint });
  }

  #short(path: Path): void {
    const message = `What looks like a credential at ${pointerTo(path)} is too short to be hidden where a server repeats it.`;
    this.#add('warning', 'short-credential', path, message, { expected: 'at least 6 characters' });
  }

  #parse<T>(schema: z.ZodType<T>, value: unknown, path: Path): T | undefined {
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const at = [...path, ...issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment))];
      if (issue.code === 'unrecognized_keys') for (const key of issue.keys) this.#unknown([...at, key], 'ours');
      else this.#invalid(at, issue);
    }
    return undefined;
  }

  #invalid(path: Path, issue: z.core.$ZodIssue): void {
    const key = String(path.at(-1));
    if (issue.input === undefined && issue.code !== 'custom') {
      const hint = misspeltIn(this.#entryAt(path.slice(0, -1)), [key]);
      this.#add('error', 'missing-key', path, `"${key}" is missing.`, { expected: expectedIn(issue), hint });
      return;
    }
    const isShown = issue.input !== Object(issue.input) && !mayHoldCredentials(path);
    const found = isShown ? JSON.stringify(issue.input).slice(0, 80) : jsonTypeOf(issue.input);
    const hint = key === 'type' ? didYouMean(String(issue.input), typeNames) : undefined;
    const expected = key === 'type' ? typeNames.join(', ') : expectedIn(issue);
    this.#add('error', 'invalid-value', path, `"${key.slice(0, 80)}" cannot be this.`, { expected, found, hint });
  }

  #entryAt(path: Path): ServerEntries {
    let at = this.#document.value;
    for (const segment of path) at = isObject(at) ? at[segment] : undefined;
    return membersOf(at);
  }

  #unknown(path: Path, whose: 'ours' | 'other-client' | 'ignored', value?: unknown): void {
    const key = String(path.at(-1)).slice(0, 80);
    if (whose === 'ours') {
      const below = path[0] === 'models' ? undefined : keysBeside(path, this.#entryAt(path.slice(0, -1)));
      const hint = didYouMean(key, below ?? []);
      this.#add('error', 'unknown-key', path, superfluous(key, below), { hint });
      return;
    }
    const hint =
      (Object.hasOwn(hints, key) ? hints[key] : undefined) ??
      (whose === 'ignored' && isServerEntry(value)
        ? 'it looks like a server: put it under "mcpServers"'
        : didYouMean(key, [...(whose === 'other-client' ? knownKeys : ['mcpServers', 'servers', 'models'])]));
    this.#add('warning', 'unknown-key', path, `"${key}" means nothing to Baton and is passed over.`, { hint });
  }

  #add(
    severity: Finding['severity'],
    code: string,
    path: Path,
    message: string,
    more: { expected?: string | undefined; found?: string | undefined; hint?: string | undefined } = {},
  ): void {
    const said = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
    this.#findings.push({ code, severity, message, path: pointerTo(path), ...said, ...this.#document.locate(path) });
  }
}

function keysBeside(path: Path, beside: ServerEntries): readonly string[] {
  if (path[3] === 'auth') return authKeys(beside);
  return path[3] === 'tools' ? keysBelowTools(path.slice(4, -1)) : Object.keys(WrittenPolicy.shape);
}

/** Keys of other clients. */
const hints: Readonly<Record<string, string>> = {
  timeout: 'clients disagree on its unit; write "timeout": "60s" under "baton"',
  envFile: 'Baton reads no file of variables: write them under "env", as ${env:NAME} or ${secret:NAME}',
};

/** Of a key the record says only that it is invalid; why stands below. */
const reasonOf = (issue: z.core.$ZodIssue): string =>
  (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;

const expectedIn = (issue: z.core.$ZodIssue): string =>
  reasonOf(issue)
    .replace(/^(Invalid|Too)[^:]*: /, '')
    .replace(/^expected /, '')
    .replace(/, received \w+$/, '');

/** Names the unknown key that may be one of the missing ones. */
function misspeltIn(entry: ServerEntries, missing: readonly string[]): string | undefined {
  for (const key of Object.keys(entry)) {
    const hint = knownKeys.has(key) ? undefined : didYouMean(key, missing);
    if (hint !== undefined) return `"${key.slice(0, 80)}": ${hint}`;
  }
  return undefined;
}

/** No frame shows these. */
const isUnshown = (path: Path, text: string): boolean =>
  mayHoldCredentials(path) || path.includes('headers') || credentialsIn('url', text).length > 0;

/** Under these keys a file often holds a token. */
const mayHoldCredentials = (path: Path): boolean =>
  ['args', 'env', 'headers'].includes(String(path[2])) || /key|token|secret|password/i.test(String(path.at(-1)));
