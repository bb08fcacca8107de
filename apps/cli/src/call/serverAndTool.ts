/** A server and one of its tools, as two words or as `server/tool`, the form of workflows. */
export function serverAndTool(server: string, tool: string | undefined): { server: string; tool: string | undefined } {
  const [, owner, name] = /^([^/]+)\/(.+)$/.exec(server) ?? [];
  return tool === undefined && owner !== undefined ? { server: owner, tool: name } : { server, tool };
}
