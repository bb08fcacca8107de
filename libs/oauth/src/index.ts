/**
 * OAuth in both directions: the authorization server, for clients of MCP (metadata, codes, tokens, clients), and the
 * identity provider, at which people log in.
 *
 * It never decides who may do what, and keeps nothing: its caller does both.
 */
export { AuthorizationServer } from './authorizationServer.ts';
export type { Agreement, ConsentRequest, OAuthClient } from './authorizationServer.ts';
export { consentCookie, devicePage, paths } from './configuration.ts';
export { type AskingDevice, isUserCode } from './deviceRequests.ts';
export { type Identity, IdentityProvider, type LogInUnderWay } from './identityProvider.ts';
export type { NewOAuthRecord, OAuthPayload, OAuthRecord, OAuthRecords } from './oauthRecords.ts';
export type { AuthorizationServerOptions, OAuthLimits } from './options.ts';
export { ownClientId } from './ownClient.ts';
export { noticePage } from './noticePage.ts';
export { ProviderFault } from './providerFault.ts';
