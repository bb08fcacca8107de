/** The name of a server in messages. References are shown as written, and never as credentials. */
import { cleanText, withoutMiddle } from '@baton/primitives';
import type { ServerConfig } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

const charactersMax = 160;
/** Of each word of a command that is longer: the program, the script and what follows have room side by side. */
const wordCharactersMax = 50;

export const serverLabelOf = (shown: ServerConfig, { redactor }: KnownSecrets): string =>
  `"${shown.name}" (${cleanText(
    addressOf(shown, (text) => redactor.text(text)),
    charactersMax,
  )})`;

/** Redacted before it is cut: the redactor would not recognise half a secret. */
function addressOf(shown: ServerConfig, redacted: (text: string) => string): string {
  if (shown.type === 'builtin') return 'built in';
  if (shown.type !== 'stdio') return redacted(shown.url);
  const words = [shown.command, ...shown.args].map(redacted);
  const whole = words.join(' ');
  return whole.length <= charactersMax ? whole : words.map((word) => withoutMiddle(word, wordCharactersMax)).join(' ');
}
