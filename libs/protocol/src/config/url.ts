/** Finds what is wrong with a server's address as written; where it holds references, only what is already certain. */
import { referencesIn } from './reference.ts';

export function urlProblem(text: string): string | undefined {
  if (referencesIn(text).length > 0) return undefined;
  if (!URL.canParse(text)) return 'This is not an absolute URL.';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https are spoken here.';
  if (url.username !== '' || url.password !== '') return 'Credentials do not belong into a URL; use "headers".';
  return undefined;
}
