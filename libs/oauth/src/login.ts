/**
 * What the baton command needs to log in at a Baton server, and no more: without the authorization server, which would take
 * a command long to load.
 */
export { CommandLogin, type LoginTokens } from './commandLogin.ts';
export { noticePage } from './noticePage.ts';
export { ProviderFault } from './providerFault.ts';
