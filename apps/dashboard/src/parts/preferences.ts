/** Preferences stored in this browser: colours, time zone, named filters. Never a key. */
import { SharedValue, useShared } from '../api/sharedValue.ts';
import type { Zone } from './time.ts';

export type Scheme = 'system' | 'light' | 'dark';

interface SavedView {
  readonly name: string;
  /** The query of the runs page's address, without the question mark. */
  readonly query: string;
}

export interface Preferences {
  readonly scheme: Scheme;
  readonly zone: Zone;
  readonly views: readonly SavedView[];
}

const storageKey = 'baton.preferences';
const usual: Preferences = { scheme: 'system', zone: 'local', views: [] };
const preferences = new SharedValue(load());

function load(): Preferences {
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>) };
  } catch {
    return usual;
  }
}

export function setPreferences(change: Partial<Preferences>): void {
  const next = { ...preferences.get(), ...change };
  preferences.set(next);
  try {
    localStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    // Storage may be disabled: preferences then last as long as the page is open.
  }
  applyScheme();
}

export const usePreferences = (): Preferences => useShared(preferences);

const dark = matchMedia('(prefers-color-scheme: dark)');

export function applyScheme(): void {
  const { scheme } = preferences.get();
  const isDark = scheme === 'dark' || (scheme === 'system' && dark.matches);
  document.documentElement.dataset['scheme'] = isDark ? 'dark' : 'light';
}

dark.addEventListener('change', applyScheme);
