/** Checks the text of the editor, in a thread, as it is typed. */
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

import { toastError } from '../parts/toast.tsx';
import { checker } from './checker.ts';
import type { Findings, KnownWorld } from './checkerCalls.ts';

interface CheckedText {
  readonly findings: Findings | undefined;
  /** The findings are of what is known now. */
  readonly isOfKnown: boolean;
  /** Begins a check of this text. The editor calls it at each change, before it draws the text. */
  readonly check: (text: string) => void;
}

/** Runs one check at a time, and then checks the newest text. */
export function useFindings(first: string, known: KnownWorld): CheckedText {
  const [checked, setChecked] = useState<{ readonly findings: Findings; readonly known: KnownWorld }>();
  const latest = useRef({ text: first, known });
  const isBusy = useRef(false);
  const checkLatest = useCallback(async (): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    for (;;) {
      const asked = latest.current;
      const found = await checker.check(asked.text, asked.known).catch(toastError);
      if (asked !== latest.current) continue;
      isBusy.current = false;
      // Draws in the next frame; otherwise React would schedule another task.
      if (found !== undefined) flushSync(() => setChecked({ findings: found, known: asked.known }));
      return;
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
  return { findings: checked?.findings, isOfKnown: checked?.known === known, check };
}
