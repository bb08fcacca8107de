/** The frame of every page: the sidebar, the banner of a lost connection, the palette. */
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';

import { liveFeed } from '../api/liveFeed.ts';
import { followingScopes, useMay } from '../api/session.ts';
import { isTyping } from '../parts/isTyping.ts';
import { ConnectionBanner } from './connectionBanner.tsx';
import { useLiveQueries } from './liveQueries.ts';
import { OpenSide } from './pageHead.tsx';
import { Palette } from './palette.tsx';
import { ShortcutsDialog } from './shortcutsDialog.tsx';
import { Sidebar } from './sidebar.tsx';

export function Shell({ children }: { readonly children: ReactNode }) {
  const [isSideOpen, setSideOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isShowingKeys, setShowingKeys] = useState(false);
  const [location] = useLocation();
  const mayFollow = useMay(...followingScopes);
  useEffect(() => (mayFollow ? liveFeed.start() : undefined), [mayFollow]);
  useLiveQueries();
  useEffect(() => setSideOpen(false), [location]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        setPaletteOpen((isOpen) => !isOpen);
      }
      if (event.key === 'Escape') setSideOpen(false);
      if (event.key === '?' && !isTyping(event)) setShowingKeys(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <OpenSide value={() => setSideOpen(true)}>
      <div className="shell">
        <Sidebar isOpen={isSideOpen} onFind={() => setPaletteOpen(true)} onKeys={() => setShowingKeys(true)} />
        {isSideOpen && (
          <button type="button" className="scrim" aria-label="Close the menu" onClick={() => setSideOpen(false)} />
        )}
        <main className="main">
          <ConnectionBanner />
          {children}
        </main>
      </div>
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
      {isShowingKeys && <ShortcutsDialog onClose={() => setShowingKeys(false)} />}
    </OpenSide>
  );
}
