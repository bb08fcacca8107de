/** Signs a request to S3: AWS Signature Version 4, with its headers, and the digest of the content. */
import { createHmac, hash } from 'node:crypto';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface S3Request {
  readonly method: string;
  /** Without a query. */
  readonly url: URL;
  readonly region: string;
  readonly content: Buffer;
  /** Epoch milliseconds. */
  readonly at: number;
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The headers to send, `authorization` among them. */
export function signedHeaders(request: S3Request, credentials: S3Credentials): Readonly<Record<string, string>> {
  const { method, url, region, content } = request;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const instant = new Date(request.at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = instant.slice(0, 8);
  const digest = hash('sha256', content, 'hex');
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': digest,
    'x-amz-date': instant,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, url.pathname, '', lines.join(''), names, digest].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', instant, scope, hash('sha256', canonical, 'hex')].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  const { host: _, ...sent } = headers;
  return { ...sent, authorization };
}
