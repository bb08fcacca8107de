/**
 * `baton add`: finds a server, asks for what it needs, tries it, and writes it into `mcp.json`. Secrets go to the
 * store.
 */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

import { ProblemError } from '@baton/api/client';
import { readServersFile, SettingsError, usualServersFiles } from '@baton/boot';
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { addServer as withServer, decideEffect, readServers } from '@baton/protocol';
import { openServers } from '@baton/transports';

import { isAway } from '../client/isAway.ts';
import { projectFolder } from '../client/projectFolder.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { inputsOf } from '../inputs/readInputs.ts';
import type { Output } from '../output/output.ts';
import { oneLine } from '../output/text.ts';
import { shellWord } from '../shellWord.ts';
import { rememberServers } from '../trust/allowServers.ts';
import { version } from '../version.ts';
import { findEntry, isNpmPackage } from './findEntry.ts';
import { printSaid } from './printSaid.ts';
import { printTools } from './printTools.ts';
import { type NeededValue, type ServerPlan, planOf } from './serverEntry.ts';

export interface AddOptions {
  readonly name?: string;
  readonly value?: readonly string[];
  readonly registry?: string;
  readonly yes?: true;
  /** False with `--no-test`. */
  readonly test: boolean;
}

/**
 * `words`: arguments for the package; after a name that is only a name, the command line of a server that is in no
 * registry. Rejects with `CommandError`.
 */
export async function addServer(
  context: Context,
  [what, words]: readonly [string, readonly string[]],
  options: AddOptions,
): Promise<void> {
  const { env, stderr } = context;
  const isCommand = words.length > 0 && options.registry === undefined && !isFound.test(what);
  if (isCommand) await refusePackage(what, words);
  const plan = isCommand ? commandPlan(what, words) : planOf(await findEntry(what, { ...options, env }), words);
  const name = options.name ?? plan.name;
  const file = await targetFile(context);
  const given = inputsOf(options.value ?? [], undefined, '--value') as Readonly<Record<string, unknown>>;
  checkGiven(plan, Object.keys(given));
  const values = await valuesFor(context, plan.needed, given, options.yes === true);
  const secrets = new Map<string, string>();
  const entry = plan.entry((needed) => {
    const value = values.get(needed);
    if (value === undefined || !isSecret(plan, needed)) return value;
    const secret = secretNameOf(name, needed);
    secrets.set(secret, value);
    return `\${secret:${secret}}`;
  });
  const text = withServer(file.text, name, entry);
  if (text === undefined)
    throw new CommandError(exitCodes.conflict, `${file.path} has a server "${name}" already.`, {
      hint: 'choose another name with --name, or remove that server',
    });
  checkEntry(text, file.path);
  if (options.test) await tryServer(context, { name, entry, secrets, root: dirname(resolve(file.path)) });
  await keepSecrets(context, { server: name, secrets });
  await writeFile(file.path, text);
  await rememberServers(context, await readServersFile(file.path, process.cwd()), name);
  const { green } = stderr.paint;
  stderr.line(`${green('✓')} ${name} is in ${file.path}. \`baton dev\`${file.usedIn} uses it, at once if it runs.`);
}

/** `npm:PACKAGE`, `io.github.someone/server`, an address or a file, none of which is a name in `mcp.json`. */
const isFound = /[/:]|\.json$/;

/** A package in the place of a program: npm has it, and no path does. Rejects with `CommandError`. */
async function refusePackage(name: string, [program = '', ...args]: readonly string[]): Promise<void> {
  if (!isNpmPackage(program) || (await stat(program).catch(() => undefined)) !== undefined) return;
  const origin = program.startsWith('npm:') ? program : `npm:${program}`;
  const options = args.some((arg) => arg.startsWith('-')) ? ['--name', name, '--', origin] : [origin];
  const last = options.length > 1 ? [] : ['--name', name];
  const command = ['baton', 'add', ...options, ...args, ...last].map(shellWord).join(' ');
  throw new CommandError(
    exitCodes.notFound,
    `There is no program ${program}. Do you mean the npm package of that name?`,
    {
      hint: `add it with \`${command}\``,
    },
  );
}

const commandPlan = (name: string, [command = '', ...args]: readonly string[]): ServerPlan => ({
  name,
  needed: [],
  entry: () => ({ command, args: [...args] }),
});

/** A value that no place takes would be dropped, and the person would think that the server has it. */
function checkGiven({ needed }: ServerPlan, given: readonly string[]): void {
  const names = needed.map(({ name }) => name);
  const strange = given.find((name) => !names.includes(name));
  if (strange === undefined) return;
  throw new CommandError(exitCodes.usage, `This server takes no value "${strange.slice(0, 80)}".`, {
    hint:
      names.length > 0
        ? `it takes ${names.map(oneLine).join(', ')}`
        : 'it takes none; arguments for its package follow the name, as in `baton add npm:PACKAGE /folder`',
  });
}

const isSecret = ({ needed }: ServerPlan, name: string): boolean =>
  needed.some((one) => one.name === name && one.isSecret);

/** `GITHUB_TOKEN` for the server `github`, `OTHER_GITHUB_TOKEN` for `other`: two servers may need the same variable. */
function secretNameOf(server: string, needed: string): string {
  const [prefix, name] = [server, needed].map((text) => text.toUpperCase().replace(/[^A-Z\d]+/g, '_'));
  return `${name}_`.startsWith(`${prefix}_`) ? `${name}` : `${prefix}_${name}`;
}

interface TargetFile {
  readonly path: string;
  readonly text: string;
  /** Words for the folder that `baton dev` must run in to use the file; empty for this folder. */
  readonly usedIn: string;
}

async function targetFile({ env }: Context): Promise<TargetFile> {
  try {
    const folder = await projectFolder(env);
    const { path = join(folder, usualServersFiles[0]) } = await readServersFile(env['BATON_SERVERS'], folder);
    const usedIn = folder === process.cwd() ? '' : ` in ${folder}`;
    return { path: relative(process.cwd(), path), text: await readFile(path, 'utf8').catch(() => ''), usedIn };
  } catch (error) {
    if (error instanceof SettingsError) throw new CommandError(exitCodes.usage, error.message, { cause: error });
    throw error;
  }
}

async function valuesFor(
  context: Context,
  needed: readonly NeededValue[],
  given: Readonly<Record<string, unknown>>,
  isSilent: boolean,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const one of needed) {
    const said = given[one.name];
    if (said !== undefined) values.set(one.name, typeof said === 'string' ? said : JSON.stringify(said));
    else if (context.isInteractive && !isSilent) await ask(context, one, values);
    else if (one.usual !== undefined) values.set(one.name, one.usual);
    else if (one.isRequired)
      throw new CommandError(exitCodes.usage, `"${one.name}" is missing: ${oneLine(one.description ?? '')}`, {
        hint: `add --value ${one.name}=…`,
      });
  }
  return values;
}

async function ask(context: Context, value: NeededValue, values: Map<string, string>): Promise<void> {
  const { isCancel } = await import('@clack/prompts');
  const answer = await promptFor(context, value);
  if (isCancel(answer)) throw new CommandError(exitCodes.interrupted, 'Nothing was added.');
  if (typeof answer === 'string' && answer !== '') values.set(value.name, answer);
}

/** The symbol of `isCancel` where the question was broken off. */
async function promptFor(
  { stdin, stderr }: Context,
  { name, description = '', isRequired, isSecret, usual, choices = [] }: NeededValue,
): Promise<string | symbol | undefined> {
  const { password, select, text } = await import('@clack/prompts');
  const message = `${name}${description === '' ? '' : `: ${oneLine(description)}`}${isRequired ? '' : ' (optional)'}`;
  const common = { message, input: stdin, output: stderr.stream };
  const validate = (typed = ''): string | undefined => (isRequired && typed === '' ? 'It is required.' : undefined);
  if (isSecret) return await password({ ...common, validate });
  if (choices.length > 0)
    return await select({ ...common, options: choices.map((value) => ({ value, label: oneLine(value) })) });
  const byDefault = usual === undefined ? {} : { defaultValue: usual, placeholder: usual };
  return await text({ ...common, validate, ...byDefault });
}

function checkEntry(text: string, path: string): void {
  const fault = readServers(text).findings.find(({ severity }) => severity === 'error');
  if (fault !== undefined) throw new CommandError(exitCodes.usage, `${path} would be wrong: ${fault.message}`);
}

interface TriedServer {
  readonly name: string;
  readonly entry: JsonObject;
  readonly secrets: ReadonlyMap<string, string>;
  readonly root: string;
}

/**
 * Starts the server once, and shows its tools. Rejects with `CommandError` if it does not answer; nothing is written then.
 */
async function tryServer(context: Context, { name, entry, secrets, root }: TriedServer): Promise<void> {
  const { config } = readServers(JSON.stringify({ mcpServers: { [name]: entry } }));
  const servers = openServers(config, {
    environment: context.env,
    secret: (secret) => secrets.get(secret),
    root,
    version,
    addresses: { loopback: true, networks: ['0.0.0.0/0', '::/0'] },
  });
  try {
    const { tools } = await withTimer(context.stderr, `Trying ${name}`, () => servers.test(name));
    const policy = config.servers.get(name)?.policy;
    const rows = tools.map(({ name: tool, description = '', annotations }) => {
      const question = { tool, effects: policy?.effects, trust: policy?.trust, annotations };
      return { tool: `${name}/${tool}`, effect: decideEffect(question).effect, description };
    });
    printTools(context, name, rows);
    printSaid(context.stderr, name, servers.status().find((one) => one.name === name)?.stderr);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    throw new CommandError(exitCodes.unreachable, error.message, {
      cause: error,
      hint: 'nothing was written; correct the error, or add the server without a test with --no-test',
    });
  } finally {
    await servers.close();
  }
}

/** On a terminal it counts the seconds: npm may install for minutes. */
async function withTimer<Result>(output: Output, what: string, act: () => Promise<Result>): Promise<Result> {
  if (!output.isTerminal) {
    output.line(output.paint.dim(`${what} …`));
    return act();
  }
  const { spinner } = await import('@clack/prompts');
  const timer = spinner({ indicator: 'timer', output: output.stream });
  timer.start(what);
  try {
    return await act();
  } finally {
    timer.clear();
  }
}

/** Stores the secrets. Rejects if that fails: `mcp.json` would refer to missing secrets. */
async function keepSecrets(
  context: Context,
  { server, secrets }: { readonly server: string; readonly secrets: ReadonlyMap<string, string> },
): Promise<void> {
  if (secrets.size === 0) return;
  try {
    const client = await context.client();
    for (const [name, value] of secrets) {
      await client.secrets.create(name, { value, servers: [server] });
      context.stderr.line(`The secret ${name} is set; only ${server} receives it.`);
    }
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'precondition-failed')
      throw new CommandError(
        exitCodes.conflict,
        `One of the secrets ${[...secrets.keys()].join(', ')} already exists.`,
        {
          cause: error,
          hint: 'nothing was replaced; add the server under another name with --name, or delete the secret first',
        },
      );
    if (!isAway(error)) throw error;
    throw new CommandError(exitCodes.unreachable, `The secrets cannot be stored: ${error.message}`, {
      cause: error,
      hint: 'start Baton with `baton dev` in another terminal, and add the server again',
    });
  }
}
