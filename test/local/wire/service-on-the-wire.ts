import type { Caller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { ApiCall } from '../../../local/kernel/service-api';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace } from '../../../local/kernel/trace';
import { type Host, InMemoryNetwork, type OutgoingRequest, type Reply } from '../../../local/network/network';
import {
  awsHost,
  InMemoryHttpHandler,
  type ServiceModel,
  type WireService,
  type WireTraceEvent,
} from '../../../local/wire';
import { credentials } from './wire-fixture';

/** A call as the service behind the wire gets it. */
export type Called = { readonly action: string } & ApiCall<unknown>;

/** One service behind its host name, which keeps what it is asked and answers as a test says. */
export class ServiceOnTheWire implements WireService {
  readonly calls: Called[] = [];
  readonly requests: OutgoingRequest[] = [];
  private readonly network = new InMemoryNetwork(() => ({ kind: 'no-answer', code: 'ENOTFOUND' }));
  private readonly host: Host;

  constructor(
    private readonly model: ServiceModel,
    private readonly answer: (call: Called) => unknown,
  ) {
    const timeline = new Timeline(Date.UTC(2026, 0, 1));
    const trace = new Trace<WireTraceEvent>(timeline);
    this.host = awsHost({ model, service: this, credentials, random: new Random('wire'), trace, timeline });
    this.network.attach(`${model.name}.us-east-1.amazonaws.com`, request => {
      this.requests.push(request);
      return this.host(request);
    });
  }

  call(action: string, caller: Caller, input: unknown): unknown {
    const call = { action, caller, input };
    this.calls.push(call);
    return this.answer(call);
  }

  /** For any client of the SDK. */
  get clientConfig() {
    return {
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIAADMINADMINADMIN1', secretAccessKey: 'secret' },
      requestHandler: new InMemoryHttpHandler(this.network, EXAMPLE_PLACE),
      maxAttempts: 1,
    };
  }

  /** Sends a request as it is, signed unless its headers say otherwise. */
  async raw(
    request: Partial<OutgoingRequest>,
  ): Promise<{ status: number; headers: Headers; text: string; bytes: Uint8Array }> {
    const reply: Reply = await this.host({
      protocol: 'https',
      host: `${this.model.name}.us-east-1.amazonaws.com`,
      port: 443,
      method: 'POST',
      path: '/',
      body: new Uint8Array(),
      ...request,
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=AKIAADMIN/20260101/us-east-1/${this.model.name}/aws4_request`,
        ...request.headers,
      },
    });
    if (reply.kind !== 'response') throw new Error(`no response but ${reply.kind}`);
    const { status, headers, body } = reply;
    return { status, headers: new Headers({ ...headers }), text: Buffer.from(body).toString('utf8'), bytes: body };
  }
}
