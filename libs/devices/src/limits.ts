/** The limits for devices. Any program that reaches the port can claim to be one. */
export interface DeviceLimits {
  readonly connections: number;
  /** A connection that has not registered within this time is closed. */
  readonly introductionMs: number;
  /** Largest payload of one frame, in either direction; also the limit of the buffer for an unfinished frame. */
  readonly payloadBytes: number;
  /** As `payloadBytes`, before the connection has registered. */
  readonly introductionBytes: number;
  /** Nesting levels of a message. */
  readonly depth: number;
  /** Services of one device. */
  readonly services: number;
  /** Calls that a device is doing at once; further ones wait. */
  readonly inFlight: number;
  readonly waiters: number;
  /** Time limit of a call whose step sets none. */
  readonly callMs: number;
  /** Bytes that wait to be sent to the device. */
  readonly outboxBytes: number;
  /**
   * Unrequested frames: at most `burst` at once, and `perSecond` in the long run. Registering a service counts as half a
   * frame.
   */
  readonly burst: number;
  readonly perSecond: number;
  /** One fault counts as this many frames. */
  readonly faultFrames: number;
  /** Texts of one connection that are being received or answered. */
  readonly tasks: number;
  readonly textCharacters: number;
  /** After this silence, a text without an end counts as ended. */
  readonly textSilenceMs: number;
  /** Disconnected devices that are remembered by name. */
  readonly remembered: number;
}

export const defaultLimits: DeviceLimits = {
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
