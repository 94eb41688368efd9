import { SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';
import type { Credentials } from '../../../local/kernel/access';
import type { Caller } from '../../../local/kernel/caller';
import { administrator, roleCaller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Trace } from '../../../local/kernel/trace';
import { InMemoryNetwork, type Reply } from '../../../local/network/network';
import { awsHost, InMemoryHttpHandler, SQS_MODEL, type WireService, type WireTraceEvent } from '../../../local/wire';
import { SqsFixture } from '../sqs/sqs-fixture';

const SQS_HOST = 'sqs.us-east-1.amazonaws.com';
export const ROLE_ARN = 'arn:aws:iam::123456789012:role/worker';

/** A signature with this key belongs to the role, any other to an administrator. */
const ROLE_KEY = 'ASIAROLEROLEROLEROLE';

export const credentials: Credentials = {
  issue: () => ({ accessKeyId: ROLE_KEY, secretAccessKey: 'secret', sessionToken: 'token' }),
  caller: (accessKeyId): Caller =>
    accessKeyId === ROLE_KEY ? roleCaller(ROLE_ARN) : administrator(EXAMPLE_PLACE.account),
};

/** SQS behind its host name, with a real client beside it. */
export class WireFixture {
  readonly aws = new SqsFixture();
  readonly trace = new Trace<WireTraceEvent>(this.aws.timeline);
  readonly network = new InMemoryNetwork(() => ({ kind: 'no-answer', code: 'ENOTFOUND' }));
  readonly client = this.clientWith({ accessKeyId: 'AKIAADMINADMINADMIN1', secretAccessKey: 'secret' });

  /** @param service what answers at SQS's host name */
  constructor(service?: WireService) {
    const random = new Random('wire test');
    const { trace } = this;
    const { timeline, sqs } = this.aws;
    const wired = { model: SQS_MODEL, service: service ?? sqs, credentials, random, trace, timeline };
    this.network.attach(SQS_HOST, awsHost(wired));
  }

  clientWith(keys: { accessKeyId: string; secretAccessKey: string }): SQSClient {
    const requestHandler = new InMemoryHttpHandler(this.network, EXAMPLE_PLACE);
    return new SQSClient({ region: 'us-east-1', credentials: keys, requestHandler, maxAttempts: 1 });
  }

  /** A request as bytes, signed by an administrator unless `headers` say otherwise. */
  async raw(
    body: string | Uint8Array,
    headers: Record<string, string> = {},
    path = '/',
    host = SQS_HOST,
  ): Promise<{ status: number; headers: Readonly<Record<string, string>>; text: string }> {
    const reply: Reply = await this.network.send({
      protocol: 'https',
      host,
      port: 443,
      method: 'POST',
      path,
      headers: {
        authorization: 'AWS4-HMAC-SHA256 Credential=AKIAADMIN/20260101/us-east-1/sqs/aws4_request',
        ...headers,
      },
      body: typeof body === 'string' ? Buffer.from(body) : body,
    });
    if (reply.kind !== 'response') throw new Error(`no response but ${reply.kind}`);
    return { status: reply.status, headers: reply.headers, text: Buffer.from(reply.body).toString() };
  }
}

/** What `work` rejects with; the SDK's exceptions carry AWS's code as their name. */
export async function rejection(work: Promise<unknown>): Promise<SQSServiceException> {
  const error: unknown = await work.then(
    () => new Error('nothing was thrown'),
    reason => reason,
  );
  if (error instanceof SQSServiceException) return error;
  throw error;
}
