/** How a server is called in messages. Its references are shown as they were written, never what they stand for. */
import type { ServerConfig } from '@baton/protocol';
import { cleanText } from '@baton/protocol';

const charactersMax = 160;

export function peerOf(shown: ServerConfig): string {
  const address = shown.type === 'stdio' ? [shown.command, ...shown.args].join(' ') : shown.url;
  return `"${shown.name}" (${cleanText(address, charactersMax)})`;
}
