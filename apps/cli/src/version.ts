import manifest from '../package.json' with { type: 'json' };

/** `packageName`: the name of the npm package. The command is `baton` under any package name. */
export const {
  version,
  config: { packageName },
} = manifest;

/** With the commit that the package was built from; sources in a clone have none: `0.2.0+58bd41c3a1b2`. */
export const buildVersion = manifest.config.commit === '' ? version : `${version}+${manifest.config.commit}`;
