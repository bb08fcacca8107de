/** One JSON object per line, to stdout or stderr. Never a secret, never a character that a terminal obeys. */
import { withEscapes } from '@baton/primitives';
import { KnownSecrets } from '@baton/runner';
import { type Logger, type LoggerOptions, destination, pino, stdSerializers, stdTimeFunctions } from 'pino';

import { censor, redactedPaths, redactText } from './redaction.ts';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly level: string;
  /** Which process speaks: orchestrator, worker, dev. */
  readonly name: string;
  readonly to?: 'stdout' | 'stderr';
  /** Values that must not appear in any field. */
  readonly known?: KnownSecrets;
}

const textCharacters = 8_192;

export function createLogger({ level, name, to = 'stdout', known = new KnownSecrets() }: LogOptions): Logger {
  const shortened = shortener(known);
  const options: LoggerOptions = {
    level,
    name,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: [...redactedPaths], censor },
    serializers: { err: (error: Error) => shortened(errorFields(error)) },
    formatters: { level: (label) => ({ level: label }), log: shortened },
    hooks: { streamWrite: (line) => withEscapes(redactText(known.redactor.text(line))) },
    depthLimit: 8,
    edgeLimit: 200,
  };
  return pino(options, destination({ fd: to === 'stdout' ? 1 : 2, sync: true }));
}

/**
 * The Postgres driver attaches its whole connection to an error, and that of Redis the command: thousands of useless
 * characters. The stack of what is expected, such as a part that is away, says nothing either.
 */
function errorFields(error: Error): Record<string, unknown> {
  const {
    client: _connection,
    command: _command,
    stack,
    ...fields
  } = stdSerializers.err(error) as Record<string, unknown>;
  return isExpected(error) ? fields : { ...fields, stack };
}

/** What another program or the network did. Any other error, also as the cause of one, is a bug, whose stack helps. */
const expected = /^(?:UnavailableError|FailureError|ReplyError|MaxRetriesPerRequestError|AbortError|TimeoutError)$/;

function isExpected(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 8) return true;
  const isOne = expected.test(error.name) || 'code' in error || depth > 0;
  const isBug = ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'InvariantError'].includes(error.name);
  return isOne && (!isBug || 'code' in error) && isExpected(error.cause, depth + 1);
}

/** A tool's answer that is logged by mistake must not fill the disk. */
const shortener =
  (known: KnownSecrets) =>
  (fields: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => {
        if (typeof value !== 'string' || value.length <= textCharacters) return [key, value];
        // Before it is cut: half a secret is not known again.
        const text = known.redactor.text(value);
        return [key, `${text.slice(0, textCharacters)}… (${value.length} characters)`];
      }),
    );
