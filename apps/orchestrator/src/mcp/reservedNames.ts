import { isAuthoring } from '../authoring/authoringNames.ts';
import { isGeneral } from './generalTools.ts';

/** Tool names of Baton itself: no workflow can have one of them. */
export const isReserved = (name: string): boolean => isGeneral(name) || isAuthoring(name);
