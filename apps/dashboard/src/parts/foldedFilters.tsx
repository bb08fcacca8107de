import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { Button } from './button.tsx';
import { useIsNarrow } from './useIsNarrow.ts';

interface FoldedFiltersProps {
  /** Number of filters that are set. */
  readonly count: number;
  readonly children: ReactNode;
}

/** On a phone filters would take half of the window: they are behind a button there. */
export function FoldedFilters({ count, children }: FoldedFiltersProps) {
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(false);
  if (!isNarrow) return children;
  return (
    <>
      <Button aria-expanded={isOpen} icon={<SlidersHorizontal size={14} />} onClick={() => setOpen(!isOpen)}>
        Filters{count > 0 && ` (${count})`}
      </Button>
      {isOpen && children}
    </>
  );
}
