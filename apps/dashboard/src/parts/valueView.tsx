/** A value of a journal. A large value is loaded when the reader asks for it. */
import type { Value } from '@baton/engine';
import { type Json, isObject } from '@baton/primitives';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copyButton.tsx';
import { prettyJson } from './json.ts';
import { JsonView } from './jsonView.tsx';
import { ProblemNote } from './notes.tsx';

interface ValueViewProps {
  readonly runId: string;
  readonly value: Value;
  readonly expression?: string | undefined;
}

export function ValueView({ runId, value, expression }: ValueViewProps) {
  if ('hidden' in value) return <p className="dim">Hidden: your role may not read values.</p>;
  if ('blob' in value) return <BlobView runId={runId} blob={value.blob} expression={expression} />;
  if ('list' in value) {
    const isHere = value.list.every((one) => 'json' in one);
    if (isHere)
      return <Shown value={value.list.map((one) => ('json' in one ? one.json : null))} expression={expression} />;
    return (
      <div className="col">
        {value.list.slice(0, 100).map((one, at) => (
          <ValueView key={at} runId={runId} value={one} />
        ))}
      </div>
    );
  }
  return <Shown value={value.json} expression={expression} />;
}

function Shown({ value, expression }: { readonly value: Json; readonly expression: string | undefined }) {
  return (
    <div className="code">
      <span className="copy">
        <CopyButton text={() => (typeof value === 'string' ? value : prettyJson(value))} label="Copy all of it" />
      </span>
      <Media value={value} />
      <JsonView value={value} expression={expression} />
    </div>
  );
}

interface Blob {
  readonly sha256: string;
  readonly bytes: number;
  readonly preview: string;
}

function BlobView({
  runId,
  blob,
  expression,
}: {
  readonly runId: string;
  readonly blob: Blob;
  readonly expression: string | undefined;
}) {
  const [isWanted, setWanted] = useState(false);
  const { data, error, isFetching } = useQuery({
    queryKey: ['value', blob.sha256],
    queryFn: ({ signal }) => client.runs.value(runId, blob.sha256, { signal }),
    enabled: isWanted,
    staleTime: Infinity,
  });
  if (data !== undefined) return <Shown value={data} expression={expression} />;
  return (
    <div className="code">
      <ProblemNote error={error} />
      <pre>{blob.preview.slice(0, 2_000)} …</pre>
      <div className="row">
        <Button isTiny isBusy={isFetching} onClick={() => setWanted(true)}>
          Load {Math.ceil(blob.bytes / 1024).toLocaleString('en')} KiB
        </Button>
        <a
          className="btn tiny"
          href={`v1/runs/${runId}/values/${blob.sha256}`}
          download={`${blob.sha256.slice(0, 12)}.json`}
        >
          <Download size={12} /> Download
        </a>
      </div>
    </div>
  );
}

/** Media types that are shown: none that could run scripts. Data comes from the answer, never from another host. */
const images = /^image\/(?:png|jpeg|gif|webp)$/;
const sounds = /^audio\/(?:mpeg|wav|ogg|webm|mp4)$/;
const base64 = /^[A-Za-z0-9+/=\s]+$/;

/** Shows pictures and sounds in the answer of a tool as `data:` addresses of their declared types. */
function Media({ value }: { readonly value: Json }) {
  const content = isObject(value) && Array.isArray(value['content']) ? value['content'] : [];
  return content.filter(isObject).map((block, at) => {
    const { data, mimeType } = block;
    if (typeof data !== 'string' || typeof mimeType !== 'string' || !base64.test(data)) return null;
    const address = `data:${mimeType};base64,${data}`;
    if (images.test(mimeType)) return <img key={at} className="media" src={address} alt={`${at + 1} of the answer`} />;
    // Tools send no captions.
    // oxlint-disable-next-line jsx-a11y/media-has-caption
    if (sounds.test(mimeType)) return <audio key={at} className="media" src={address} controls />;
    return null;
  });
}
