/** Lookups that find nothing. */
export const noLookups = { env: () => undefined, secret: () => undefined, workspaceFolder: '/' };
