/**
 * The JSX runtime of the page: React's, but all text of every component passes through `shownText` here. Values of
 * inputs are not changed.
 */
import type { ElementType, Key, ReactNode } from 'react';
import { Fragment, jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime';

import { hides, shownText } from './shownText.ts';

export type { JSX } from 'react/jsx-runtime';
export { Fragment };

interface Props {
  readonly children?: ReactNode;
  readonly [attribute: string]: unknown;
}

/** The properties of an element whose text a person sees or hears. */
const texts = ['title', 'aria-label', 'aria-description', 'placeholder', 'alt', 'label', 'children'] as const;

/** Lists of children may have lists inside. */
const hidesIn = (value: unknown): boolean =>
  typeof value === 'string' ? hides(value) : Array.isArray(value) && value.some(hidesIn);

function shown<Value>(value: Value): Value;
function shown(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value);
  return Array.isArray(value) ? value.map((one: unknown) => shown(one)) : value;
}

/** Components pass their props on to elements, which come here too. */
export function shownProps<Given extends Props>(type: ElementType, props: Given): Given {
  if (typeof type !== 'string' && type !== Fragment) return props;
  const hidden = texts.filter((name) => name in props && hidesIn(props[name]));
  // Almost nothing does, and a page has many elements.
  if (hidden.length === 0) return props;
  return { ...props, ...Object.fromEntries(hidden.map((name) => [name, shown(props[name])])) };
}

export const jsx = (type: ElementType, props: Props, key?: Key) => reactJsx(type, shownProps(type, props), key);

export const jsxs = (type: ElementType, props: Props, key?: Key) => reactJsxs(type, shownProps(type, props), key);
