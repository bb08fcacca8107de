import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Returns the focus to where it was before `place` was opened, when it closes with the focus inside or nowhere. `opened`
 * names what is open; undefined: nothing. What is opened next has its own opener.
 */
export function useFocusReturn(place: RefObject<HTMLElement | null>, opened: string | undefined): void {
  const opener = useRef<Element>(null);
  const isOpen = opened !== undefined;
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (opened !== undefined && place.current?.contains(activeElement) !== true) opener.current = activeElement;
  }, [place, opened]);
  useLayoutEffect(() => {
    const element = place.current;
    if (!isOpen) return undefined;
    return () => {
      const { activeElement, body } = document;
      const isLost = activeElement === body || element?.contains(activeElement) === true;
      if (isLost && opener.current instanceof HTMLElement) opener.current.focus();
    };
  }, [place, isOpen]);
}
