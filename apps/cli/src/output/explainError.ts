/** Explains the error that ended a command, and chooses the exit code. */
import { type ProblemDetail, ProblemError, UnreachableError } from '@baton/api/client';
import { cleanText, delayText } from '@baton/primitives';

import { loginEnded } from '../client/savedLogin.ts';
import { unreachableHint } from '../client/unreachableHint.ts';
import { CommandError } from '../commandError.ts';
import { type ExitCode, exitCodeOfStatus, exitCodes } from '../exitCodes.ts';
import { fileFault } from './fileFault.ts';
import type { Output, Paint } from './output.ts';
import { oneLine, wrap } from './text.ts';

export interface ErrorExplanation {
  readonly text: string;
  readonly exitCode: ExitCode;
}

type Stderr = Pick<Output, 'paint' | 'columns'>;

interface FailedCommand {
  /** Its options, such as `--from`. */
  readonly flags?: readonly string[];
  /** The server at which it is logged in; undefined: it has a key, or none. */
  readonly loggedInAt?: string | undefined;
}

/** Undefined for a bug. */
export function explainError(
  error: unknown,
  stderr: Stderr,
  { flags = [], loggedInAt }: FailedCommand = {},
): ErrorExplanation | undefined {
  const { paint } = stderr;
  if (error instanceof CommandError) return told(stderr, error.exitCode, error.message, [], error.hint);
  if (error instanceof UnreachableError)
    return told(stderr, exitCodes.unreachable, error.message, [], unreachableHint(error));
  if (!(error instanceof ProblemError)) return fileError(error, stderr);
  if (loggedInAt !== undefined && error.status === 401) return explainError(loginEnded(loggedInAt, error), stderr);
  // The server's log explains a fault of the server; a fault of this side is explained above.
  const id =
    error.requestId === undefined || error.status < 500 ? [] : [paint.dim(`request ${oneLine(error.requestId)}`)];
  const { message, errors } = asWritten(error, flags);
  const sentences = sentencesAtEnd(message, errors);
  if (sentences !== undefined) {
    const width = (stderr.columns() ?? Number.POSITIVE_INFINITY) - 2;
    const lines = [...sentences.reasons.flatMap((one) => wrap(clean(one), width)), ...id];
    return told(stderr, exitCodeOfStatus(error.status), sentences.headline, lines, hintOf(error, loggedInAt));
  }
  const lines = [...errors.flatMap((one) => detailLines(one, message, paint)), ...id];
  return told(stderr, exitCodeOfStatus(error.status), message, lines, hintOf(error, loggedInAt));
}

/** Where the message ends with what its details say, and they say no more, each is a line of its own. */
function sentencesAtEnd(
  message: string,
  errors: readonly ProblemDetail[],
): { readonly headline: string; readonly reasons: readonly string[] } | undefined {
  const reasons = errors.map((one) => one.message);
  const ending = ` ${reasons.join(' ')}`;
  const isBare = errors.every((one) => Object.keys(one).every((key) => key === 'code' || key === 'message'));
  if (reasons.length === 0 || !isBare || !message.endsWith(ending)) return undefined;
  return { headline: message.slice(0, -ending.length), reasons };
}

/** The problem in the words of the command line: `"from"` of the API is the option `--from`. */
function asWritten(
  { code, message, errors }: ProblemError,
  flags: readonly string[],
): Pick<ProblemError, 'message' | 'errors'> {
  const places = errors.map(({ pointer }) => flagOf(/^[/?](\w+)/.exec(pointer ?? '')?.[1] ?? '', flags));
  if (code !== 'validation-failed' || places.every((flag) => flag === undefined)) return { message, errors };
  const named = (text: string): string =>
    text.replaceAll(/"(\w+)(?:\[\d+\])?"/g, (quoted: string, name: string) => flagOf(name, flags) ?? quoted);
  return {
    message: named(message),
    errors: errors.map((one, at) => {
      const { pointer: _pointer, code: _code, ...said } = one;
      return places[at] === undefined ? one : { ...said, code: '', message: named(one.message) };
    }),
  };
}

/** `expiresIn` is `--expires-in`, and an item of the list `workflows` is one `--workflow`. */
function flagOf(name: string, flags: readonly string[]): string | undefined {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return [flag, flag.replace(/s$/, '')].find((one) => flags.includes(one));
}

/** A file that the user named, in a folder where this account may not write. */
function fileError(error: unknown, stderr: Stderr): ErrorExplanation | undefined {
  const fault = fileFault(error);
  return fault && told(stderr, exitCodes.usage, `${fault.path} cannot be used: ${fault.why}.`, []);
}

function told(
  { paint, columns }: Stderr,
  exitCode: ExitCode,
  message: string,
  lines: readonly string[],
  hint?: string,
): ErrorExplanation {
  // A line that begins with a space is one of a frame: its caret stands under a column of the line before it.
  const wrapped = (paragraph: string): string[] =>
    paragraph
      .split('\n')
      .flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, columns() ?? Number.POSITIVE_INFINITY)));
  const text = [
    ...wrapped(`${paint.red('error:')} ${clean(message)}`),
    // Frames of source text are among them.
    ...lines.map((line) => `  ${line}`),
    ...(hint === undefined ? [] : wrapped(`${paint.cyan('hint:')} ${clean(hint)}`)),
  ];
  return { text: text.join('\n'), exitCode };
}

/** Does not repeat the headline, and of a detail that says no more gives the place only. */
function detailLines(detail: ProblemDetail, headline: string, paint: Paint): string[] {
  const { pointer, line, column, code, message, expected, hint, frame } = detail;
  const says = message !== headline || frame !== undefined || hint !== undefined;
  if (!says && line === undefined && (expected === undefined || message.includes(expected))) {
    const isDeep = pointer !== undefined && pointer.split('/').length > 3;
    return isDeep ? [paint.bold(oneLine(pointer))] : [];
  }
  const where = line === undefined ? (pointer ?? '') : `${line}:${column ?? 1}`;
  const head = [where, code].filter((one) => one !== undefined && one !== '').map((one) => oneLine(one ?? ''));
  const rows = frame === undefined ? [] : clean(frame).split('\n');
  const lines = [
    [
      ...(head.length === 0 ? [] : [paint.bold(head.join('  '))]),
      ...(message === headline ? [] : [oneLine(message)]),
    ].join('  '),
    ...rows,
    ...(expected === undefined || message.includes(expected)
      ? []
      : [`  ${paint.cyan('expected:')} ${oneLine(expected)}`]),
    ...(hint === undefined ? [] : [`  ${paint.cyan('hint:')} ${oneLine(hint)}`]),
  ];
  return lines.filter((text) => text !== '');
}

function hintOf(
  { status, code, message, retryAfterMs }: ProblemError,
  loggedInAt: string | undefined,
): string | undefined {
  if (status === 401) {
    return 'log in with `baton login`, set BATON_API_KEY, or give --api-key; on the machine that Baton runs on, set BATON_DATA to its data folder, as `baton dev` tells it';
  }
  if (status === 403 && loggedInAt !== undefined)
    return `allow more when you log in again (baton login ${loggedInAt}), or use a key with that scope; baton whoami shows what you may do`;
  if (status === 403) return 'use a key with that scope';
  // A message that names a command already says what to do.
  if (/\bbaton [a-z]/.test(message)) return undefined;
  if (code === 'server-unreachable')
    return 'check its entry in mcp.json; `baton doctor --servers` connects to every server there';
  return retryAfterMs === undefined ? undefined : `try again in ${delayText(retryAfterMs)}`;
}

const clean = (text: string): string => cleanText(text, 8_000);
