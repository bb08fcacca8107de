/** The place that BATON_VALUES names. */
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

import { folderPlace } from './folderPlace.ts';
import { s3Place } from './s3Place.ts';
import type { ValuePlace } from './valuePlace.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Its message is for operators, and has no credential. */
export class ValuePlaceError extends Error {
  override readonly name = 'ValuePlaceError';
}

/** `env`: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` and `AWS_REGION`. Throws `ValuePlaceError`. */
export function openPlace(address: string, env: Variables): ValuePlace {
  const url = URL.parse(address);
  if (url?.protocol === 'file:') return folderPlace(folderOf(address, url));
  if (url?.protocol !== 's3:') throw new ValuePlaceError('BATON_VALUES is neither file:/FOLDER nor s3://BUCKET/PREFIX');
  if (url.username !== '' || url.password !== '')
    throw new ValuePlaceError('BATON_VALUES has a user or a password: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env;
  if (accessKeyId === '' || secretAccessKey === '')
    throw new ValuePlaceError('BATON_VALUES needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const region = url.searchParams.get('region') ?? env['AWS_REGION'] ?? 'us-east-1';
  const endpoint = url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new ValuePlaceError('BATON_VALUES has an endpoint that is no http: or https: address');
  const credentials = { accessKeyId, secretAccessKey, sessionToken: env['AWS_SESSION_TOKEN'] };
  return s3Place({
    bucket: url.host,
    prefix: url.pathname.replaceAll(/^\/+|\/+$/g, ''),
    region,
    endpoint,
    credentials,
  });
}

function folderOf(address: string, url: URL): string {
  const folder = address.startsWith('file://') ? fileURLToPath(url) : decodeURIComponent(address.slice('file:'.length));
  if (!isAbsolute(folder)) throw new ValuePlaceError('BATON_VALUES has a folder that is no absolute path');
  return folder;
}
