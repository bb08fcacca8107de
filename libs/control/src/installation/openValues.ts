import { StartError, toldAs } from '@baton/boot';
import { UnavailableError } from '@baton/runner';
import { type Store, type ValuePlace, anyPlace, openPlace, ValuePlaceError } from '@baton/store';

/** Of BATON_VALUES. Throws `StartError` for an address that is none. */
export function valuePlace(
  address: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ValuePlace | undefined {
  if (address === undefined) return undefined;
  try {
    return openPlace(address, env);
  } catch (error) {
    return toldAs(ValuePlaceError)(error);
  }
}

/**
 * Throws `StartError` where values were moved elsewhere and are not in the place of this process: a run that needs one would
 * fail. Resolves to a sentence where the place is away now.
 */
export async function checkValues({ pool, values }: Pick<Store, 'pool' | 'values'>): Promise<string | undefined> {
  const key = await anyPlace({ pool });
  if (key === undefined) return undefined;
  if (values === undefined)
    throw new StartError(
      'large values of this installation are kept outside of its database: set BATON_VALUES as before',
    );
  try {
    if ((await values.get(key)) !== undefined) return undefined;
  } catch (error) {
    if (error instanceof UnavailableError) return `${error.message}; runs that need a value there wait`;
    throw error;
  }
  throw new StartError(
    `BATON_VALUES leads elsewhere: ${values.name} does not have the value ${key.slice(0, 64)}, which the database has moved out`,
  );
}
