/** Channels of short texts between processes. A text may be lost, and nothing keeps it for a listener that comes later. */
export type ChannelName = 'budgets' | 'crowded' | 'messages' | 'offers' | 'paused';

export interface Channels {
  /** `text`: at most 4,000 bytes. Returns at once. */
  send(channel: ChannelName, text: string): void;
  /** Calls `listener` with each text, until the returned function is called. */
  listen(channel: ChannelName, listener: (text: string) => void): () => void;
}
