/** A button with a menu: a native popover with the keyboard control of a menu. */
import { type ReactNode, useId, useRef } from 'react';

import { Button } from './button.tsx';

interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onChoose: () => void;
  readonly isDanger?: boolean;
  readonly isOff?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly text?: string;
  readonly items: readonly MenuItem[];
  readonly look?: 'usual' | 'quiet';
}

const liveItem = '[role=menuitem]:not(:disabled)';

export function Menu({ label, icon, text, items, look = 'usual' }: MenuProps) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const onToggle = (event: React.ToggleEvent<HTMLDivElement>): void => {
    if (event.newState !== 'open' || menu.current === null || button.current === null) return;
    placeBelow(menu.current, button.current);
    menu.current.querySelector<HTMLElement>(liveItem)?.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = [...(menu.current?.querySelectorAll<HTMLElement>(liveItem) ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all.at((at + step) % all.length)?.focus();
  };
  return (
    <>
      <Button ref={button} look={look} icon={icon} label={label} popoverTarget={id} aria-haspopup="menu">
        {text}
      </Button>
      <div id={id} ref={menu} popover="auto" role="menu" aria-label={label} onToggle={onToggle} onKeyDown={onKeyDown}>
        {items.map(({ label: name, icon: sign, onChoose, isDanger, isOff }) => (
          <button
            key={name}
            type="button"
            role="menuitem"
            className={`menu-item${isDanger === true ? ' danger' : ''}`}
            disabled={isOff}
            onClick={() => {
              menu.current?.hidePopover();
              onChoose();
            }}
          >
            {sign}
            {name}
          </button>
        ))}
      </div>
    </>
  );
}

const gap = 4;

function placeBelow(floating: HTMLElement, anchor: HTMLElement): void {
  const { left, right, bottom, top } = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = floating;
  const x = left + width + 8 > innerWidth ? right - width : left;
  const y = bottom + gap + height > innerHeight ? Math.max(gap, top - gap - height) : bottom + gap;
  floating.style.left = `${Math.max(gap, x)}px`;
  floating.style.top = `${y}px`;
}
