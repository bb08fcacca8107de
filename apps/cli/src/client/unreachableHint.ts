import type { UnreachableError } from '@baton/api/client';

import { isLoopback } from './runningAddress.ts';

/** Advice if no Baton answers. */
export function unreachableHint({ why, url, code = '' }: UnreachableError): string | undefined {
  if (why === 'not-baton') return 'set the address of the Baton API with --url or BATON_URL';
  if (why === 'lost') return 'the run continues; watch it again with `baton runs watch`';
  if (code.includes('CERT')) return undefined;
  return isLoopback(new URL(url))
    ? 'start Baton with `baton dev`; one that runs already is found by --url, BATON_URL, or its data folder in BATON_DATA'
    : 'check the address in --url or BATON_URL, and that Baton runs there';
}
