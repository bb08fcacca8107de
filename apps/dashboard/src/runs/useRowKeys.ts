/** Keyboard control of rows: `j` and `k` move, Enter opens, `x` chooses. */
import { useEffect, useRef, useState } from 'react';

import { isTyping } from '../parts/isTyping.ts';

interface RowKeys {
  readonly count: number;
  readonly onOpen: (index: number) => void;
  readonly onMark?: (index: number) => void;
}

/** Index of the row that the keyboard is on; -1: none yet. */
export function useRowKeys(keys: RowKeys): number {
  const [cursor, setCursor] = useState(-1);
  const now = useRef({ ...keys, cursor });
  now.current = { ...keys, cursor };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const target = event.target instanceof Element ? event.target : undefined;
      const { count, onOpen, onMark, cursor: at } = now.current;
      if (event.key === 'j') setCursor(Math.min(count - 1, at + 1));
      else if (event.key === 'k') setCursor(Math.max(0, at - 1));
      else if (event.key === 'Enter' && at >= 0 && target?.closest('a, button') == null) onOpen(at);
      else if (event.key === 'x' && at >= 0) onMark?.(at);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return Math.min(cursor, keys.count - 1);
}
