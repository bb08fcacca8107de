import { formatOf } from '../expression/functions/wallClock.ts';
import { nearest } from '../source/nearest.ts';

/** Undefined if the zone exists; else similar zones. */
export function zonesNear(written: string): readonly string[] | undefined {
  if (formatOf(written) !== undefined) return undefined;
  const zones = Intl.supportedValuesOf('timeZone');
  const near = nearest(written, zones);
  if (near.length > 0) return near;
  const city = written.split('/').at(-1)?.replaceAll(' ', '_') ?? '';
  return nearest(city, zones.map(cityOf))
    .concat(city)
    .flatMap((one) => zones.filter((zone) => cityOf(zone).toLowerCase() === one.toLowerCase()))
    .slice(0, 3);
}

const cityOf = (zone: string): string => zone.split('/').at(-1) ?? zone;
