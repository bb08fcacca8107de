/** Short messages about what was done, or what went wrong with it. */
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useSyncExternalStore } from 'react';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

const shownMs = 5_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function toast(text: string, isBad = false): void {
  const id = nextId;
  nextId += 1;
  set([...toasts.slice(-3), { id, text, isBad }]);
  setTimeout(() => set(toasts.filter((one) => one.id !== id)), isBad ? 2 * shownMs : shownMs);
}

export const toastError = (error: unknown): void =>
  toast(error instanceof Error ? error.message : 'Something went wrong.', true);

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, isBad }) => (
        <div key={id} className="toast">
          {isBad ? <CircleAlert size={16} color="var(--red)" /> : <CircleCheck size={16} color="var(--green)" />}
          <span className="grow">{text}</span>
        </div>
      ))}
    </div>
  );
}
