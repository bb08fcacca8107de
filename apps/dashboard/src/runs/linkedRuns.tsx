import { isUuid } from '@baton/primitives';
import { Fragment } from 'react';
import { Link } from 'wouter';

import { shortRunId } from './shortRunId.ts';

const perhapsId = /([\da-f-]{36})/;

/** A text in which ids of runs are links, in short. */
export function LinkedRuns({ text }: { readonly text: string }) {
  return text.split(perhapsId).map((part, at) =>
    isUuid(part) ? (
      <Link key={at} href={`/runs/${part}`} title={part}>
        {shortRunId(part)}
      </Link>
    ) : (
      <Fragment key={at}>{part}</Fragment>
    ),
  );
}
