import type { ReactNode } from 'react';

import { Button } from '../parts/button.tsx';
import { FoldedFilters } from '../parts/foldedFilters.tsx';
import { type FilterStep, TextFilter } from '../parts/textFilter.tsx';
import type { KnownNames } from './knownNames.ts';

/** Labels of the filters, by their name in the address. */
type FilterLabels = Readonly<Record<string, string>>;

export type SetFilter = (name: string, value: string, step: FilterStep) => void;

export interface FilteredProps {
  readonly search: URLSearchParams;
  readonly onSet: SetFilter;
  readonly onClear: () => void;
}

interface AuditFiltersProps extends FilteredProps {
  readonly labels: FilterLabels;
  readonly known: KnownNames;
  readonly children?: ReactNode;
}

const days = new Set(['from', 'to']);

export function AuditFilters({ labels, known, search, onSet, onClear, children }: AuditFiltersProps) {
  const count = Object.keys(filtersIn(search, labels)).length;
  return (
    <div className="filters">
      <FoldedFilters count={count}>
        {Object.entries(labels).map(([name, label]) => (
          <TextFilter
            key={name}
            label={label}
            value={search.get(name) ?? ''}
            onSet={(value, step) => onSet(name, value, step)}
            isDay={days.has(name)}
            known={known[name]}
          />
        ))}
      </FoldedFilters>
      {count > 0 && (
        <Button look="quiet" onClick={onClear}>
          Clear
        </Button>
      )}
      {children}
    </div>
  );
}

export const emptyHint = 'Filters match whole names. Choose one of those that appear as you type, or other days.';

/** The filters that are set. */
export const filtersIn = (search: URLSearchParams, labels: FilterLabels): Record<string, string> =>
  Object.fromEntries([...search].filter(([name]) => name in labels));
