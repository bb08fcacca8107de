/** The path of the file that was written. */
export function packExtension(target?: string): Promise<string>;
