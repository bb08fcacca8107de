import { quoted } from './excerpt.ts';
import { either } from './nearest.ts';

const namesMax = 12;

/**
 * The sentence about a member that may not be there. `allowed`: all names that may; undefined if names may be allowed that
 * no list has. `owner`: the subject of a sentence about the object, as `subjectOf` makes it; absent for the value itself.
 */
export function superfluous(name: string, allowed: readonly string[] | undefined, owner?: string): string {
  const place = owner === undefined ? '' : ` in ${owner.replace(/^Item/, 'item')}`;
  return `${quoted(name)} is superfluous${place}${allowed === undefined ? '' : `: ${allowedText(allowed)}`}.`;
}

function allowedText(allowed: readonly string[]): string {
  if (allowed.length === 0) return 'no name is allowed';
  const shown = allowed.slice(0, namesMax).map(quoted);
  const more = allowed.length - shown.length;
  const names = more === 0 ? shown : [...shown, `${more} more`];
  return `only ${either(names, 'and')} ${allowed.length === 1 ? 'is' : 'are'} allowed`;
}
