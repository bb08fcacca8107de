/**
 * The authorization server, for clients of MCP that log in with OAuth: metadata, codes, tokens, clients.
 *
 * It never decides who may do what, and keeps nothing: its caller does both.
 */
export { AuthorizationServer } from './authorizationServer.ts';
export type { Agreement, ConsentRequest, OAuthClient } from './authorizationServer.ts';
export { consentCookie, paths } from './configuration.ts';
export type { NewOAuthRecord, OAuthPayload, OAuthRecord, OAuthRecords } from './oauthRecords.ts';
export type { AuthorizationServerOptions, OAuthLimits } from './options.ts';
