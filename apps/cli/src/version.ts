import manifest from '../package.json' with { type: 'json' };

/** `packageName`: under which npm has this command, which is `baton` whatever the package is called. */
export const {
  version,
  config: { packageName },
} = manifest;
