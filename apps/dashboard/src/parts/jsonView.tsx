/** Shows JSON as a tree that can be opened, searched, and copied as the expression that reads a value. */
import type { Json } from '@baton/primitives';
import { ChevronDown, ChevronRight, Copy } from 'lucide-react';
import { useDeferredValue, useState } from 'react';

import { copyAndSay } from './copyText.ts';
import { prettyJson } from './json.ts';

interface JsonViewProps {
  readonly value: Json;
  /** The expression that reads the whole value: `steps.scan.output`. Absent: there is none. */
  readonly expression?: string | undefined;
}

/** Longer texts are shortened until they are opened. */
const textShown = 400;
/** How many members of a list or a map are shown at a time. */
const membersShown = 100;
const searchFrom = 12;
/** Values with few members are open initially, down to a depth: the text of a tool's answer is three levels deep. */
const fewMembers = 4;
const deepest = 5;

export function JsonView({ value, expression }: JsonViewProps) {
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const isLarge = isBranch(value) && Object.keys(value).length + prettyJson(value).length / 80 > searchFrom;
  return (
    <div className="json">
      {isLarge && (
        <input
          className="input json-search"
          type="search"
          aria-label="Search in the value"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <Member name={undefined} value={value} expression={expression} depth={0} wanted={wanted} />
    </div>
  );
}

interface MemberProps {
  readonly name: string | undefined;
  readonly value: Json;
  readonly expression: string | undefined;
  readonly depth: number;
  readonly wanted: string;
}

const isBranch = (value: Json): value is Json[] | Record<string, Json> => typeof value === 'object' && value !== null;

const plainName = /^[A-Za-z_]\w*$/;

function expressionOf(parent: string | undefined, name: string, isList: boolean): string | undefined {
  if (parent === undefined) return undefined;
  if (isList) return `${parent}[${name}]`;
  return plainName.test(name) ? `${parent}.${name}` : `${parent}[${JSON.stringify(name)}]`;
}

/** Whether the name or any value inside contains the search text. */
function says(name: string | undefined, value: Json, wanted: string): boolean {
  return `${name ?? ''} ${JSON.stringify(value)}`.toLowerCase().includes(wanted);
}

function Member({ name, value, expression, depth, wanted }: MemberProps) {
  const [isOpen, setOpen] = useState(depth < 2 || (depth < deepest && Object.keys(value ?? {}).length <= fewMembers));
  const [shown, setShown] = useState(membersShown);
  if (!isBranch(value)) return <Leaf name={name} value={value} expression={expression} />;
  const isList = Array.isArray(value);
  const all = Object.entries(value).filter(([key, inner]) => wanted === '' || says(key, inner, wanted));
  const open = isOpen || wanted !== '';
  const size = isList ? `[${value.length}]` : `{${Object.keys(value).length}}`;
  return (
    <div className="json-member">
      <div className="json-line">
        <button type="button" className="json-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? <ChevronDown size={12} /> : <ChevronRight size={12} />}
          {name !== undefined && <span className="json-name">{name}</span>}
          <span className="faint">{size}</span>
        </button>
        <CopyParts value={value} expression={expression} />
      </div>
      {open && (
        <div className="json-inside">
          {all.slice(0, shown).map(([key, inner]) => (
            <Member
              key={key}
              name={key}
              value={inner}
              expression={expressionOf(expression, key, isList)}
              depth={depth + 1}
              wanted={says(key, null, wanted) ? '' : wanted}
            />
          ))}
          {all.length > shown && (
            <button type="button" className="json-toggle faint" onClick={() => setShown(shown + 10 * membersShown)}>
              {(all.length - shown).toLocaleString('en')} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Leaf({ name, value, expression }: Pick<MemberProps, 'name' | 'expression'> & { readonly value: Json }) {
  const [isWhole, setWhole] = useState(false);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isCut = !isWhole && text.length > textShown;
  return (
    <div className="json-line json-leaf">
      {name !== undefined && <span className="json-name">{name}</span>}
      <span className={`json-${value === null ? 'null' : typeof value}`}>
        {isCut ? text.slice(0, textShown) : text}
        {isCut && (
          <button type="button" className="json-toggle faint" onClick={() => setWhole(true)}>
            … {(text.length - textShown).toLocaleString('en')} more characters
          </button>
        )}
      </span>
      <CopyParts value={value} expression={expression} />
    </div>
  );
}

function CopyParts({ value, expression }: { readonly value: Json; readonly expression: string | undefined }) {
  const copy = (text: string, what: string): void => void copyAndSay(text, `${what} copied.`);
  return (
    <span className="json-copy">
      <button
        type="button"
        aria-label="Copy the value"
        title="Copy the value"
        onClick={() => copy(typeof value === 'string' ? value : prettyJson(value), 'Value')}
      >
        <Copy size={11} />
      </button>
      {expression !== undefined && (
        <button
          type="button"
          title={`Copy ${expression}`}
          aria-label={`Copy the expression ${expression}`}
          onClick={() => copy(expression, 'Expression')}
        >
          {'${{ }}'}
        </button>
      )}
    </span>
  );
}
