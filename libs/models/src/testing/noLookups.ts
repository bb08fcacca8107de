/** Where nothing is known. */
export const noLookups = { env: () => undefined, secret: () => undefined, workspaceFolder: '/' };
