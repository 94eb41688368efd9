import { ConfirmSubscriptionCommand } from '@aws-sdk/client-sns';
import type { Target } from './target';
import type { Topic } from './topic';

/** What a host outside of AWS does, as `PUT /_dlo/endpoints/HOST` takes it. */
export interface Behaviour {
  readonly status?: number | 'refuse' | 'timeout' | 'reset' | 'dns';
  readonly headers?: Readonly<Record<string, string>>;
  readonly latencyMs?: number;
  readonly forSeconds?: number;
  readonly count?: number;
}

/** A request that a host received, as `GET /_dlo/endpoints/HOST` returns it. */
export interface Received {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Partial<Record<string, string>>>;
  readonly body: string;
}

export type MessageType = 'SubscriptionConfirmation' | 'Notification' | 'UnsubscribeConfirmation';

/** A scripted host outside AWS, which only the embedded AWS has. */
export class HttpEndpoint {
  readonly host: string;

  constructor(
    private readonly aws: Target,
    /** In the URL, before the host. */
    private readonly credentials = '',
  ) {
    this.host = `${aws.name('endpoint')}.example.com`;
  }

  get url(): string {
    return `https://${this.credentials}${this.host}/orders`;
  }

  behaves(...behaviours: readonly Behaviour[]): Promise<unknown> {
    return this.aws.control('PUT', `endpoints/${this.host}`, behaviours);
  }

  /** Subscribes, and confirms with the received token. Returns the ARN of the subscription. */
  async confirmed(topic: Topic, attributes: Readonly<Record<string, string>> = {}): Promise<string> {
    const subscriptionArn = await topic.subscribe('https', this.url, attributes);
    await this.aws.pass(0);
    const [asked] = await this.envelopes('SubscriptionConfirmation');
    await this.aws.sns.send(new ConfirmSubscriptionCommand({ TopicArn: topic.arn, Token: asked?.['Token'] }));
    return subscriptionArn;
  }

  async requests(type: MessageType = 'Notification'): Promise<readonly Received[]> {
    const { requests } = (await this.aws.control('GET', `endpoints/${this.host}`)) as { requests: Received[] };
    return requests.filter(({ headers }) => headers['x-amz-sns-message-type'] === type);
  }

  /** The bodies of its requests, which are not raw. */
  async envelopes(type: MessageType = 'Notification'): Promise<readonly Readonly<Record<string, string>>[]> {
    return (await this.requests(type)).map(({ body }) => JSON.parse(body));
  }

  /** Seconds between its requests, from the beginning of one to the beginning of the next. */
  async gaps(type?: MessageType): Promise<readonly number[]> {
    const times = (await this.requests(type)).map(({ atMs }) => atMs);
    return times.slice(1).map((atMs, i) => (atMs - (times[i] ?? 0)) / 1_000);
  }
}
