/** The name under which npm has this command. The command itself is `baton` whatever the package is called. */
export const packageName = 'batonflow';
