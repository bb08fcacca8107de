/** What a person chose for this browser: colours, time zone, filters by name. Never a key. */
import { useSyncExternalStore } from 'react';

import type { Zone } from './time.ts';

export type Scheme = 'system' | 'light' | 'dark';

interface SavedView {
  readonly name: string;
  /** Of the address of the runs page, without the question mark. */
  readonly query: string;
}

export interface Preferences {
  readonly scheme: Scheme;
  readonly zone: Zone;
  readonly views: readonly SavedView[];
}

const storageKey = 'baton.preferences';
const usual: Preferences = { scheme: 'system', zone: 'local', views: [] };
const listeners = new Set<() => void>();
let current = load();

function load(): Preferences {
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>) };
  } catch {
    return usual;
  }
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing: it holds for as long as the page is open.
  }
  applyScheme();
  for (const listener of listeners) listener();
}

export const usePreferences = (): Preferences =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => current,
  );

const dark = matchMedia('(prefers-color-scheme: dark)');

export function applyScheme(): void {
  const isDark = current.scheme === 'dark' || (current.scheme === 'system' && dark.matches);
  document.documentElement.dataset['scheme'] = isDark ? 'dark' : 'light';
}

dark.addEventListener('change', applyScheme);
