/** A file of its own, because the help lists the formats before it loads anything else. */
export const checkFormats = ['text', 'json', 'github', 'sarif'] as const;

export type CheckFormat = (typeof checkFormats)[number];
