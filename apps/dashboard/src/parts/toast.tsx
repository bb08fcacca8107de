/** Short messages about the result of an action. */
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';

import { SharedValue, useShared } from '../api/sharedValue.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

const shownMs = 5_000;
const toasts = new SharedValue<readonly Toast[]>([]);

export function toast(text: string, isBad = false): void {
  const added = { id: (toasts.get().at(-1)?.id ?? 0) + 1, text, isBad };
  toasts.set([...toasts.get().slice(-3), added]);
  setTimeout(() => toasts.set(toasts.get().filter((one) => one !== added)), isBad ? 2 * shownMs : shownMs);
}

export const toastError = (error: unknown): void =>
  toast(error instanceof Error ? error.message : 'Something went wrong.', true);

/** A popover, which is shown anew with each message: a dialog that opened before would hide it. */
export function Toasts() {
  const all = useShared(toasts);
  const place = useRef<HTMLDivElement>(null);
  const newest = all.at(-1)?.id;
  useLayoutEffect(() => {
    place.current?.hidePopover();
    if (newest !== undefined) place.current?.showPopover();
  }, [newest]);
  return (
    <div role="status" aria-live="polite">
      <div ref={place} className="toasts" popover="manual">
        {all.map(({ id, text, isBad }) => (
          <div key={id} className="toast">
            {isBad ? <CircleAlert size={16} color="var(--red)" /> : <CircleCheck size={16} color="var(--green)" />}
            <span className="grow">{text}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
