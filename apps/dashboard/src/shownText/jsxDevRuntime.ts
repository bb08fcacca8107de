/** The same for the development server of Vite. */
import { Fragment, jsxDEV as reactJsxDev } from 'react/jsx-dev-runtime';

import { shownProps } from './jsxRuntime.ts';

export type { JSX } from 'react/jsx-dev-runtime';
export { Fragment };

export const jsxDEV: typeof reactJsxDev = (type, props, ...more) =>
  reactJsxDev(type, shownProps(type, props as Parameters<typeof shownProps>[1]), ...more);
