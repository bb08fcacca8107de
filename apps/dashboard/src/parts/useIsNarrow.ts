/** Whether the window is as narrow as a phone's: what the style sheets call so. */
import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 760px)');

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}

export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
