/** The name of a server in messages. References are shown as written, and never as credentials. */
import { cleanText } from '@baton/primitives';
import type { ServerConfig } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

const charactersMax = 160;

export function serverLabelOf(shown: ServerConfig, { redactor }: KnownSecrets): string {
  const address = shown.type === 'stdio' ? [shown.command, ...shown.args].join(' ') : shown.url;
  // Before it is cut: half a secret is not known again.
  return `"${shown.name}" (${cleanText(redactor.text(address), charactersMax)})`;
}
