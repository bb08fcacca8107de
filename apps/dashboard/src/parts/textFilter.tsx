import { useEffect, useId, useRef, useState } from 'react';

/** The first change of a person who types makes an entry of the history; those that follow replace it. */
export interface FilterStep {
  readonly replace: boolean;
}

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  /** Empty: without this filter. */
  readonly onSet: (value: string, step: FilterStep) => void;
  /** A day has a calendar; an instant, which the address may hold, is typed. */
  readonly isDay?: boolean;
  /** Names that are suggested. The filter matches whole names, so it takes effect once the typed text is one. */
  readonly known?: readonly string[] | undefined;
}

const pauseMs = 200;
const day = /^(?:\d{4}-\d\d-\d\d)?$/;
/** A browser fills the year up with zeros while it is typed. */
const unfinishedYear = /^0\d{3}-/;

/** A filter that takes effect while the person types: after a short pause, and at once with Enter or on leaving. */
export function TextFilter({ label, value, onSet, isDay = false, known }: TextFilterProps) {
  const { shown, type, apply, leave } = useTyped(value, onSet, known);
  const list = useId();
  const input = (
    <input
      className={`input short${value === '' ? '' : ' chosen'}`}
      type={isDay && day.test(shown) ? 'date' : 'text'}
      list={known === undefined ? undefined : list}
      title={known === undefined ? undefined : `${label}: the whole name`}
      aria-label={label}
      placeholder={label}
      value={shown}
      onChange={(event) => type(event.target.value)}
      onBlur={leave}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
  if (known !== undefined) {
    return (
      <>
        {input}
        <datalist id={list}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </>
    );
  }
  if (!isDay) return input;
  return (
    <label className="day-filter" title="A day in UTC">
      <span>{label}</span>
      {input}
    </label>
  );
}

/** What is typed is shown until the field is left, or the address gets another value from elsewhere. */
function useTyped(value: string, onSet: TextFilterProps['onSet'], known: TextFilterProps['known']) {
  const [text, setText] = useState<string>();
  /** The value that the typed text belongs to. */
  const base = useRef(value);
  const hasEntry = useRef(false);
  const isOwn = text !== undefined && base.current === value;
  const apply = (): void => {
    if (!isOwn || text.trim() === value || unfinishedYear.test(text)) return;
    base.current = text.trim();
    onSet(base.current, { replace: hasEntry.current });
    hasEntry.current = true;
  };
  const newest = useRef(apply);
  newest.current = (): void => {
    if (known === undefined || text === '' || known.includes(text?.trim() ?? '')) apply();
  };
  useEffect(() => {
    const timer = setTimeout(() => newest.current(), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const end = (): void => {
    apply();
    hasEntry.current = false;
  };
  return {
    shown: isOwn ? text : value,
    type: (next: string): void => {
      if (!isOwn) hasEntry.current = false;
      base.current = value;
      setText(next);
    },
    apply: end,
    leave: (): void => {
      end();
      setText(undefined);
    },
  };
}
