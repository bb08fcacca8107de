import manifest from '../package.json' with { type: 'json' };

/** `packageName`: the name of the npm package. The command is `baton` under any package name. */
export const {
  version,
  config: { packageName },
} = manifest;
