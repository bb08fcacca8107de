/**
 * OAuth in both directions: the authorization server, for clients of MCP (metadata, codes, tokens, clients), and the
 * identity provider, at which people log in, or another authorization server, whose tokens are taken.
 *
 * It never decides who may do what, and keeps nothing: its caller does both.
 */
export { type AskedAssertion, type AssertedGrant, assertionGrant, AssertionRefusal } from './assertionGrant.ts';
export { AuthorizationServer } from './authorizationServer.ts';
export type { ConsentRequest } from './authorizationServer.ts';
export { consentCookie, paths } from './configuration.ts';
export { isUserCode } from './deviceRequests.ts';
export { isClientId } from './foreignIds.ts';
export { IdentityProvider, type LogInUnderWay } from './identityProvider.ts';
export type { NewOAuthRecord, OAuthPayload, OAuthRecord, OAuthRecords } from './oauthRecords.ts';
export { noticePage } from './noticePage.ts';
export { ProviderFault } from './providerFault.ts';
export { TokenIssuer, TokenRefusal, wordsIn } from './tokenIssuer.ts';
