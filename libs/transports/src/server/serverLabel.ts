/** The name of a server in messages. References are shown as written, and never as credentials. */
import { cleanText } from '@baton/primitives';
import type { ServerConfig } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

const charactersMax = 160;

export function serverLabelOf(shown: ServerConfig, { redactor }: KnownSecrets): string {
  const address = shown.type === 'stdio' ? [shown.command, ...shown.args].join(' ') : shown.url;
  // Redacted before it is cut: the redactor would not recognise half a secret.
  return `"${shown.name}" (${cleanText(redactor.text(address), charactersMax)})`;
}
