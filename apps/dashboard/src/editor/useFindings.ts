import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

import { toastError } from '../parts/toast.tsx';
import { checker } from './checker.ts';
import type { Findings, KnownWorld } from './checkerCalls.ts';

interface CheckedText {
  readonly findings: Findings | undefined;
  /** Begins a check of this text. The editor calls it at each change, before it draws the text. */
  readonly check: (text: string) => void;
}

/** Runs one check at a time, and then checks the newest text. */
export function useFindings(first: string, known: KnownWorld): CheckedText {
  const [findings, setFindings] = useState<Findings>();
  const latest = useRef({ text: first, known });
  const isBusy = useRef(false);
  const checkLatest = useCallback(async (): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      for (;;) {
        const asked = latest.current;
        const found = await checker.check(asked.text, asked.known);
        if (asked !== latest.current) continue;
        // Draws in the next frame; otherwise React would schedule another task.
        flushSync(() => setFindings(found));
        return;
      }
    } catch (error) {
      toastError(error);
    } finally {
      isBusy.current = false;
    }
  }, []);
  const check = useCallback(
    (text: string): void => {
      latest.current = { ...latest.current, text };
      void checkLatest();
    },
    [checkLatest],
  );
  useLayoutEffect(() => {
    latest.current = { ...latest.current, known };
    void checkLatest();
  }, [known, checkLatest]);
  return { findings, check };
}
