/**
 * What a device asks for that has no browser of its own (RFC 8628). A person finds it by the code that it shows, and decides
 * on the page on which they decide about every client; the library gives the device its tokens.
 */
import type { Provider } from 'oidc-provider';

import { userCodeKind } from './adapter.ts';
import type { OAuthRecords } from './oauthRecords.ts';

/** Who began it. The words are the device's. */
export interface AskingDevice {
  /** The code, as the device shows it. */
  readonly code: string;
  /** From which the device asked. */
  readonly address: string;
}

const form = /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/;

/** Whether the id of what is to be decided is the code of a device. */
export const isUserCode = (id: string): boolean => form.test(id);

type DeviceCode = InstanceType<Provider['DeviceCode']>;

/** What a person agreed to. */
interface DeviceAgreement {
  readonly accountId: string;
  readonly grantId: string;
  readonly scopes: readonly string[];
  readonly resource: string;
}

export class DeviceRequests {
  readonly #provider: Provider;
  readonly #records: Pick<OAuthRecords, 'consume'>;

  constructor(provider: Provider, records: Pick<OAuthRecords, 'consume'>) {
    this.#provider = provider;
    this.#records = records;
  }

  /** Undefined where the code is unknown, has expired or was decided. */
  async find(code: string): Promise<DeviceCode | undefined> {
    return this.#provider.DeviceCode.findByUserCode(plain(code));
  }

  /** False where another decision came first. */
  async agree(code: string, { accountId, grantId, scopes, resource }: DeviceAgreement): Promise<boolean> {
    return this.#decide(code, { accountId, grantId, scope: scopes.join(' '), resource });
  }

  /** False where another decision came first. */
  async refuse(code: string): Promise<boolean> {
    return this.#decide(code, { error: 'access_denied', errorDescription: 'The person did not agree.' });
  }

  async #decide(code: string, decision: Partial<DeviceCode>): Promise<boolean> {
    const found = await this.find(code);
    if (found === undefined || !(await this.#records.consume(userCodeKind, plain(code)))) return false;
    await Object.assign(found, decision).save();
    return true;
  }
}

export const askingDevice = ({ deviceInfo = {} }: DeviceCode, code: string): AskingDevice => ({
  code,
  address: typeof deviceInfo['ip'] === 'string' ? deviceInfo['ip'] : '',
});

const plain = (code: string): string => code.replace('-', '');
