import { Menu as Burger } from 'lucide-react';
import { type ReactNode, createContext, useContext, useEffect } from 'react';

import { Button } from '../parts/button.tsx';

/** Opens the sidebar in windows that are too narrow to show it always. */
export const OpenSide = createContext<() => void>(() => {});

interface PageHeadProps {
  readonly title: ReactNode;
  /** Title of the window. Absent: `title`, if it is a text. */
  readonly windowTitle?: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** The first line of each page. */
export function PageHead({ title, windowTitle, children, actions }: PageHeadProps) {
  const open = useContext(OpenSide);
  const name = windowTitle ?? (typeof title === 'string' ? title : 'Baton');
  useEffect(() => {
    const count = /^\(\d+\) /.exec(document.title)?.[0] ?? '';
    document.title = `${count}${name} · Baton`;
  }, [name]);
  return (
    <header className="head">
      <span className="burger">
        <Button look="quiet" label="Menu" icon={<Burger size={17} />} onClick={open} />
      </span>
      <h1 className="cut">{title}</h1>
      {children}
      {actions !== undefined && <div className="actions">{actions}</div>}
    </header>
  );
}
