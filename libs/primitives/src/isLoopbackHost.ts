const byte = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const loopback = new RegExp(String.raw`^(?:localhost|\[?::1\]?|127(?:\.${byte}){3})$`, 'i');

/** Whether a name or an address, without a port, is that of the own machine. IPv6 with its brackets, or without. */
export const isLoopbackHost = (host: string): boolean => loopback.test(host);
