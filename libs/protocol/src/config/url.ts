/**
 * Finds what is wrong with the written address of a server. If it contains references, only certain mistakes are
 * reported.
 */
import { referencesIn } from './reference.ts';

export function urlProblem(text: string): string | undefined {
  if (referencesIn(text).length > 0) return undefined;
  if (!URL.canParse(text)) return 'This is not an absolute URL.';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https are supported.';
  if (url.username !== '' || url.password !== '') return 'Write no credentials into a URL; use "headers".';
  return undefined;
}
