/** The command that adds what a person named: an npm package, an address, or a server of the registry. */
export function addCommand(written: string): string {
  const what = written.trim();
  if (what === '') return 'npx baton add npm:PACKAGE';
  if (/^https?:\/\//.test(what)) return `npx baton add ${quoted(what)}`;
  // In the registry a name begins with a domain: io.github.user/server.
  const isInRegistry = /^[\w-]+(\.[\w-]+)+\/[\w.-]+$/.test(what);
  return `npx baton add ${quoted(isInRegistry || what.startsWith('npm:') ? what : `npm:${what}`)}`;
}

/** For a shell: what a person pastes must not run anything else. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
