import type { ReactNode } from 'react';

import { rootPath } from '../api/client.ts';

/** A page without the rest of the application: the browser goes on elsewhere. */
export const Frame = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <main className="login connect">
    <div>
      <img src={`${rootPath}baton.svg`} alt="" />
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);
