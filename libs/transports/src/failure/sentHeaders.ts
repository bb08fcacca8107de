/** Names the configured headers that a server rejected, and says how to change the values that they refer to. */
import { FailureError } from '@baton/engine';
import { cleanText, defined } from '@baton/primitives';
import { type ServerConfig, referencesIn } from '@baton/protocol';

/** `shown`: with its references unresolved. Returns other failures, and refusals without configured headers, unchanged. */
export function withSentHeaders(error: FailureError, shown: ServerConfig): FailureError {
  if (error.code !== 'server-unauthorized' || shown.type === 'stdio' || shown.type === 'builtin') return error;
  const headers = Object.entries(shown.headers);
  if (headers.length === 0) return error;
  const references = headers.flatMap(([, value]) => referencesIn(value));
  const names = headers.map(([name]) => `"${cleanText(name, 80)}"`).join(', ');
  const from = references.length === 0 ? '' : `, from ${references.map(({ source }) => source).join(', ')}`;
  const secrets = new Set(references.flatMap(({ kind, name }) => (kind === 'secret' ? [name] : [])));
  const way = [...secrets].map((name) => ` Another value: baton secrets set ${name}`).join('.');
  const sent = `Sent ${headers.length === 1 ? 'was the header' : 'were the headers'} ${names}${from}.${way}`;
  const { failure, delivery, retryAfterMs, cause } = error;
  return new FailureError(error.code, `${failure.message.replace(/\.?$/, '.')} ${sent}`, {
    delivery,
    cause,
    ...defined({ details: failure.details, retryAfterMs }),
  });
}
