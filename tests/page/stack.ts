/** One Baton of real processes and one browser for all tests of the page, with workflows of every kind. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type JsonObject, endsWithin } from '@baton/primitives';
import {
  faultProxy,
  offeringServer,
  soonMs,
  startRedis,
  toolsServer,
  Upstream,
  upstreamClient,
  type FaultProxy,
} from '@baton/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';

import { Installation } from '../installation.ts';
import { openBrowser } from './browser.ts';
import { shopTools, workflowTexts } from './workflows.ts';

const picturesOfFailed = fileURLToPath(new URL('../../node_modules/.cache/page/', import.meta.url));

const viewport = { width: 1440, height: 900 };

/** What tests ask of the stack. It starts before the first test of the file, and stops after the last one. */
export class PageStack {
  #installation: Installation | undefined;
  #browser: Browser | undefined;
  #proxy: FaultProxy | undefined;
  #redis: Awaited<ReturnType<typeof startRedis>> | undefined;
  #redisProxy: FaultProxy | undefined;
  #upstream: Upstream | undefined;
  #folder = '';
  #context: BrowserContext | undefined;
  /** The page of the administrator, from test to test: a new one costs more than most tests do with it. */
  #kept: Page | undefined;
  #isKeptInUse = false;
  readonly #opened: Page[] = [];
  #strangers: BrowserContext | undefined;
  /** Errors of scripts, and what the policy of the page refused: no test may leave one. */
  readonly #faults: string[] = [];

  readonly #isOnRedis: boolean;

  constructor({ isOnRedis = false } = {}) {
    this.#isOnRedis = isOnRedis;
    beforeAll(() => this.#start());
    afterEach(({ task }) => this.#endTest(task.result?.state === 'fail' ? task.name : undefined));
    afterAll(() => this.#stop());
  }

  get baton(): Installation {
    if (this.#installation === undefined) throw new Error('the stack starts with the first test');
    return this.#installation;
  }

  /** Between Baton and Postgres. */
  get database(): FaultProxy {
    if (this.#proxy === undefined) throw new Error('the stack starts with the first test');
    return this.#proxy;
  }

  /** The identity provider. Readers, a group there, are viewers. */
  get upstream(): Upstream {
    if (this.#upstream === undefined) throw new Error('the stack starts with the first test');
    return this.#upstream;
  }

  /** Baton's address by another name than the provider's, so that they are two sites for a browser. */
  get otherSite(): string {
    return this.baton.url.replace('127.0.0.1', 'localhost');
  }

  /** Between Baton and Redis; undefined where the machine has none, and the queue is in Postgres. */
  get redis(): FaultProxy | undefined {
    return this.#redisProxy;
  }

  /** Where the tools of the server `moody` are written: another text is another server. No other test calls it. */
  get moodyFile(): string {
    return join(this.#folder, 'moody.json');
  }

  /**
   * A page of the browser in which the administrator is logged in; each visit of a test is another tab. To a run it goes
   * as a click on a link does, everywhere else as a person who wrote the address.
   */
  async visit(path: string): Promise<Page> {
    const page = await this.#tab();
    if (path.startsWith('/runs/') && page.url().startsWith(this.baton.url))
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
    else await page.goto(`${this.baton.url}${path}`);
    await page.getByRole('navigation').first().waitFor();
    return page;
  }

  /** A page of another browser, in which no person is logged in. Pages of one test share their session. */
  async stranger(): Promise<Page> {
    this.#strangers ??= await this.#browserOf().newContext();
    const page = await this.#page(this.#strangers);
    this.#opened.push(page);
    return page;
  }

  /** An address with a code that logs in once. */
  async codeAddress(path = '/'): Promise<string> {
    const { body } = await this.baton.api('POST', '/v1/session/codes');
    return `${this.baton.url}${path}#code=${String(body['code'])}`;
  }

  /** A key with these scopes; its text. */
  async key(name: string, ...scopes: readonly string[]): Promise<{ readonly id: string; readonly key: string }> {
    const { body } = await this.baton.api('POST', '/v1/keys', { name, scopes });
    return { id: String(body['id']), key: String(body['key']) };
  }

  /** Errors of scripts that a test expected. */
  takeFaults(): string[] {
    return this.#faults.splice(0);
  }

  /** Of a run that has ended. */
  async ended(workflow: string, inputs: JsonObject = {}): Promise<string> {
    const id = await this.baton.start(workflow, inputs);
    await this.baton.ended(id);
    return id;
  }

  #browserOf(): Browser {
    if (this.#browser === undefined) throw new Error('the browser starts with the first test');
    return this.#browser;
  }

  async #tab(): Promise<Page> {
    if (this.#kept !== undefined && !this.#isKeptInUse) {
      this.#isKeptInUse = true;
      return this.#kept;
    }
    if (this.#context !== undefined) {
      const page = await this.#page(this.#context);
      this.#opened.push(page);
      return page;
    }
    this.#context = await this.#browserOf().newContext({
      viewport,
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await this.#page(this.#context);
    await page.goto(await this.codeAddress('/runs'));
    await page.getByRole('navigation').first().waitFor();
    this.#kept = page;
    this.#isKeptInUse = true;
    return page;
  }

  async #page(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(soonMs);
    page.on('pageerror', (error) => this.#faults.push(error.message));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy'))
        this.#faults.push(`${message.text()} ${JSON.stringify(message.location())}`);
    });
    return page;
  }

  async #start(): Promise<void> {
    const postUndo = { tool: 'write', with: { undoes: '${{ call.arguments.of }}' } };
    this.#folder = await mkdtemp(join(tmpdir(), 'baton-page-'));
    const postgres = new URL(inject('services').postgresUrl);
    this.#proxy = await faultProxy({ host: postgres.hostname, port: Number(postgres.port) });
    const redis = await this.#openRedis();
    const tools = toolsServer(join(this.#folder, 'ledger'));
    this.#upstream = await Upstream.start();
    [this.#installation, this.#browser] = await Promise.all([
      Installation.start({
        servers: {
          tools: { ...tools, baton: { tools: { post: { undo: postUndo } } } },
          held: { ...tools, baton: { approve: 'write' } },
          shop: { ...offeringServer(join(this.#folder, 'shop.json'), shopTools) },
          moody: { ...offeringServer(this.moodyFile, shopTools) },
        },
        workers: 1,
        databasePort: this.#proxy.port,
        env: providerSettings(this.#upstream.issuer),
        ...(redis === undefined ? {} : { redisUrl: redis }),
      }),
      openBrowser(),
    ]);
    this.#upstream.serve(this.otherSite);
    await this.baton.api('PUT', '/v1/secrets/HOOK_KEY', { value: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
    for (const text of workflowTexts) await this.baton.deploy(text);
  }

  async #openRedis(): Promise<string | undefined> {
    if (!this.#isOnRedis || inject('services').redisUrl === undefined) return undefined;
    const folder = join(this.#folder, 'redis');
    await mkdir(folder);
    this.#redis = await startRedis({ folder });
    const url = new URL(this.#redis.url);
    this.#redisProxy = await faultProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(this.#redisProxy.port);
    return url.href;
  }

  /** `failed`: name of a test that failed; pictures of its pages are kept. */
  async #endTest(failed: string | undefined): Promise<void> {
    const kept = this.#isKeptInUse && this.#kept !== undefined ? [this.#kept] : [];
    if (failed !== undefined) {
      const name = failed.slice(0, 60).replaceAll(/\W+/g, '-');
      for (const [at, page] of [...kept, ...this.#opened].entries())
        await page.screenshot({ path: join(picturesOfFailed, `${name}-${at}.png`) });
    }
    this.#isKeptInUse = false;
    for (const page of kept) {
      await page.unrouteAll();
      await page.emulateMedia({ colorScheme: null });
      await page.setViewportSize(viewport);
    }
    // What a test leaves open, such as a dialog, is not there for the next one.
    if (failed !== undefined) for (const page of kept) await page.goto('about:blank');
    for (const page of this.#opened.splice(0)) {
      if (page.context() === this.#strangers) await page.evaluate('localStorage.clear()');
      await page.close();
    }
    await this.#strangers?.clearCookies();
    const faults = this.#faults.splice(0);
    if (faults.length > 0) throw new Error(`The page had faults:\n${faults.join('\n')}`);
  }

  async #stop(): Promise<void> {
    // Chromium does not always end when it is told to; it is killed with this process.
    if (this.#browser !== undefined) await endsWithin(this.#browser.close(), 20_000);
    await this.#installation?.stop();
    await this.#upstream?.close();
    await this.#proxy?.close();
    await this.#redisProxy?.close();
    await this.#redis?.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const providerSettings = (issuer: string) => ({
  BATON_OIDC_ISSUER: issuer,
  BATON_OIDC_CLIENT_ID: upstreamClient.clientId,
  BATON_OIDC_CLIENT_SECRET: upstreamClient.clientSecret,
  BATON_OIDC_GRANTS: JSON.stringify([{ when: 'groups.exists(one, one == "readers")', role: 'viewer' }]),
  BATON_OIDC_CONTACT: 'it@acme.example',
});
