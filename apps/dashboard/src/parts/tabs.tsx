/** Tabs in the ARIA sense: arrow keys move between them. The chosen one is scrolled into view where not all fit. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: TabsProps<Name>) {
  const strip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (strip.current !== null) showChosen(strip.current);
  }, [chosen]);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ name }) => name === chosen);
    const next = tabs.at((at + step) % tabs.length);
    if (next === undefined) return;
    onChoose(next.name);
    const all = event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]');
    all[tabs.indexOf(next)]?.focus();
  };
  return (
    <div ref={strip} className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ name, label: text }) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** In the middle of the strip. `scrollIntoView` would also scroll the page. */
function showChosen(strip: HTMLElement): void {
  const tab = strip.querySelector('[aria-selected=true]')?.getBoundingClientRect();
  const { left, width } = strip.getBoundingClientRect();
  if (tab !== undefined) strip.scrollLeft += tab.left + tab.width / 2 - left - width / 2;
}
