/** The members of `Members` that can be `undefined` become optional; the others stay. */
type Defined<Members> = { [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key] } & {
  [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined>;
};

/** Only the members that have a value: `{ ...defined({ hint }) }` has no `hint` where there is none. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) kept[key] = value;
  return kept as Defined<Members>;
}
