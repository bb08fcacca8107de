/** The limits for devices. Anyone who reaches the port can pretend to be one. */
export interface DeviceLimits {
  readonly connections: number;
  /** Who has not said who it is by then is hung up on. */
  readonly introductionMs: number;
  /** Of one frame, either way; what is held of a frame that has not ended. */
  readonly payloadBytes: number;
  /** The same of one that has not said who it is. */
  readonly introductionBytes: number;
  /** Levels of a message. */
  readonly depth: number;
  /** Of one device. */
  readonly services: number;
  /** Calls that a device is doing at once; further ones wait. */
  readonly inFlight: number;
  readonly waiters: number;
  /** Of a call whose step says nothing. */
  readonly callMs: number;
  /** What is written and not yet taken by the device. */
  readonly outboxBytes: number;
  /**
   * Unrequested frames, of which registering a service counts as half a one: at most this many at once, and this many a
   * second in the long run.
   */
  readonly burst: number;
  readonly perSecond: number;
  /** What one fault counts for, in frames. */
  readonly faultFrames: number;
  /** Texts of one connection that are being written or answered. */
  readonly tasks: number;
  readonly textCharacters: number;
  /** A text whose end does not come is taken to have ended after so much silence. */
  readonly textSilenceMs: number;
  /** Devices that went away and are remembered by name. */
  readonly remembered: number;
}

export const usualLimits: DeviceLimits = {
  connections: 256,
  introductionMs: 10_000,
  payloadBytes: 1024 * 1024,
  introductionBytes: 256 * 1024,
  depth: 32,
  services: 128,
  inFlight: 16,
  waiters: 1_000,
  callMs: 60_000,
  outboxBytes: 4 * 1024 * 1024,
  burst: 256,
  perSecond: 64,
  faultFrames: 16,
  tasks: 16,
  textCharacters: 256 * 1024,
  textSilenceMs: 1_000,
  remembered: 1_000,
};
