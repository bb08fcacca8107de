import { isAuthoring } from '../authoring/authoringNames.ts';
import { isGeneral } from './builtInTools.ts';

/** Names of tools of Baton itself: no workflow has one of them. */
export const isReserved = (name: string): boolean => isGeneral(name) || isAuthoring(name);
