/**
 * Settings that are addresses. Their text may hold a password, well written or not, and no pattern finds each password in
 * a text that is no URL: so the text is never shown, only what is wrong with it.
 */
import { urlFault } from '@baton/primitives';
import * as z from 'zod';

/** `found`: what `SettingsError` says in place of the value. */
export const urlSetting = (what: string, ...protocols: readonly string[]) =>
  z.string().superRefine((text, context) => {
    const found = urlFault(text, protocols);
    if (found === undefined) return;
    context.addIssue({ code: 'custom', message: `a ${what} URL (${protocols.join(', ')})`, params: { found } });
  });

/** Of a valid address: scheme, host, port and path. */
export function shownUrl(text: string): string {
  const parsed = URL.parse(text);
  return parsed === null ? '***' : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}
