/**
 * The events of all runs, as they happen: one stream for the whole page, open while the page is visible.
 * Listeners get events in batches. After a cut it goes on from the last position that it has seen.
 */
import type { FeedEvent } from '@baton/api';

import { rootPath } from './client.ts';
import { reportCut, reportOpen } from './connectionState.ts';

export type FeedListener = (events: readonly FeedEvent[]) => void;

const firstRetryMs = 500;
const longestRetryMs = 5_000;
/** Events of so long a time are handed on together. */
const batchMs = 250;

const listeners = new Set<FeedListener>();

/** Asked for when the stream was cut: what is on the screen may be old. */
const onReconnect = new Set<() => void>();

/** Called when the stream has begun without a position: what was asked for before may miss an event. */
const onBegin = new Set<() => void>();

/** An event source does not say why it was cut: the session may be over. */
const onCut = new Set<() => void>();

let source: EventSource | undefined;
let lastId: string | undefined;
let retryMs = firstRetryMs;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let batch: FeedEvent[] = [];
let batchTimer: ReturnType<typeof setTimeout> | undefined;
let isWanted = false;
let wasCut = false;

/** Returns how to stop listening. */
export function listenToFeed(listener: FeedListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function listenToReconnect(listener: () => void): () => void {
  onReconnect.add(listener);
  return () => void onReconnect.delete(listener);
}

export function listenToBegin(listener: () => void): () => void {
  onBegin.add(listener);
  return () => void onBegin.delete(listener);
}

export function listenToCut(listener: () => void): () => void {
  onCut.add(listener);
  return () => void onCut.delete(listener);
}

export function startFeed(): () => void {
  isWanted = true;
  open();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    isWanted = false;
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
}

function onVisibility(): void {
  // A browser has six connections to one host: tabs in the background hold none.
  if (document.visibilityState === 'hidden') close();
  else if (source === undefined) {
    open();
    for (const listener of onReconnect) listener();
  }
}

function open(): void {
  clearTimeout(retryTimer);
  if (!isWanted || source !== undefined || document.visibilityState === 'hidden') return;
  const query = lastId === undefined ? '' : `?after=${encodeURIComponent(lastId)}`;
  const opened = new EventSource(`${rootPath}v1/events${query}`);
  source = opened;
  opened.addEventListener('open', () => {
    retryMs = firstRetryMs;
    reportOpen();
    if (wasCut) for (const listener of onReconnect) listener();
    else if (lastId === undefined) for (const listener of onBegin) listener();
    wasCut = false;
  });
  opened.addEventListener('message', take);
  opened.addEventListener('error', () => {
    close();
    wasCut = true;
    reportCut();
    for (const listener of onCut) listener();
    retryTimer = setTimeout(open, retryMs * (0.5 + Math.random() / 2));
    retryMs = Math.min(longestRetryMs, retryMs * 2);
  });
}

function take({ data, lastEventId }: MessageEvent): void {
  if (lastEventId !== '') lastId = lastEventId;
  batch.push(JSON.parse(String(data)) as FeedEvent);
  batchTimer ??= setTimeout(() => {
    const events = batch;
    batch = [];
    batchTimer = undefined;
    for (const listener of listeners) listener(events);
  }, batchMs);
}

function close(): void {
  clearTimeout(retryTimer);
  source?.close();
  source = undefined;
}
