/**
 * The JSX runtime of the page: React's, but foreign text cannot change the direction of writing, or hide in control
 * characters. Each such character is shown as JSON writes it: `\u202e`. All text of every component
 * passes here; values of inputs are not changed.
 */
import type { ElementType, Key, ReactNode } from 'react';
import { Fragment, jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime';

export type { JSX } from 'react/jsx-runtime';
export { Fragment };

interface Props {
  readonly children?: ReactNode;
  readonly title?: string;
  readonly 'aria-label'?: string;
}

/** Embeddings, overrides and isolates of UAX 9, and control characters but newline and tab. */
const concealing = /[\u202A-\u202E\u2066-\u2069]|[^\P{Cc}\n\r\t]/gu;
const isConcealing = new RegExp(concealing.source, 'u');

const hides = (value: unknown): boolean => typeof value === 'string' && isConcealing.test(value);

const shown = <Value>(value: Value): Value | string =>
  typeof value === 'string' && isConcealing.test(value)
    ? value.replaceAll(concealing, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : value;

/** Components pass their props on to elements, which come here too. */
export function shownProps<Given extends Props>(type: ElementType, props: Given): Given {
  if (typeof type !== 'string' && type !== Fragment) return props;
  const { children, title, 'aria-label': label } = props;
  // Almost nothing does, and a page has many elements.
  if (!hides(title) && !hides(label) && ![children].flat().some(hides)) return props;
  return {
    ...props,
    title: shown(title),
    'aria-label': shown(label),
    children: Array.isArray(children) ? children.map(shown) : shown(children),
  };
}

export const jsx = (type: ElementType, props: Props, key?: Key) => reactJsx(type, shownProps(type, props), key);

export const jsxs = (type: ElementType, props: Props, key?: Key) => reactJsxs(type, shownProps(type, props), key);
