/** Variables of the environment that were probably meant as settings. */
import { nearest } from '@baton/expressions';

import { markVariable } from '../orphans/orphans.ts';
import { settingNames } from './settings.ts';

/** Those that Baton reads: the settings, what it gives to its own processes, and what the command line reads. */
const known: ReadonlySet<string> = new Set([...settingNames, markVariable, 'BATON_REGISTRY', 'BATON_TRUST_FOLDER']);

/** A mistyped name is longer or shorter by two at most; `DATABASE_URL_TEST` is the name of another program. */
const lengthDifferenceMax = 2;

/**
 * Warnings, in whole sentences: about names with our prefix that nothing reads, and about near misses of a setting that
 * is not set. `used`: names that the servers file refers to.
 */
export function strangeNames(
  env: Readonly<Record<string, string | undefined>>,
  used: ReadonlySet<string> = new Set(),
): string[] {
  return Object.keys(env).flatMap((name) => {
    if (known.has(name) || used.has(name) || env[name] === undefined) return [];
    const [near] = nearest(name, settingNames);
    const isOurs = name.startsWith('BATON_');
    if (!isOurs && (near === undefined || env[near] !== undefined || !isMistyped(name, near))) return [];
    return [`${name} (environment) is no setting of Baton.${near === undefined ? '' : ` Did you mean ${near}?`}`];
  });
}

const isMistyped = (name: string, near: string): boolean => Math.abs(name.length - near.length) <= lengthDifferenceMax;
