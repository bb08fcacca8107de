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
    serializers: { err: (error: Error) => shortened(withoutClient(stdSerializers.err(error))) },
    formatters: { level: (label) => ({ level: label }), log: shortened },
    hooks: { streamWrite: (line) => withEscapes(redactText(known.redactor.text(line))) },
    depthLimit: 8,
    edgeLimit: 200,
  };
  return pino(options, destination({ fd: to === 'stdout' ? 1 : 2, sync: true }));
}

/** The Postgres driver attaches its whole connection to an error: four thousand useless characters. */
const withoutClient = ({ client: _connection, ...error }: Record<string, unknown>): Record<string, unknown> => error;

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
