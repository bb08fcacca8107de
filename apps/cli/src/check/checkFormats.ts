/** Apart, since the help names them before anything else is loaded. */
export const checkFormats = ['text', 'json', 'github', 'sarif'] as const;

export type CheckFormat = (typeof checkFormats)[number];
