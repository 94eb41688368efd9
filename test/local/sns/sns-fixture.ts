import { Iam } from '../../../local/iam/iam';
import type { Caller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { EventInvocation } from '../../../local/kernel/service-call';
import type { Timeline } from '../../../local/kernel/timeline';
import { Trace, type TraceEvent } from '../../../local/kernel/trace';
import { Kms } from '../../../local/kms';
import { Logs } from '../../../local/logs/logs';
import { InMemoryNetwork } from '../../../local/network/network';
import { OutsideWorld } from '../../../local/network/outside-world';
import { Sns, type SnsOptions, type SnsTraceEvent, withSigningCertificate } from '../../../local/sns';
import { Sqs } from '../../../local/sqs';
import { awsHost, SNS_MODEL } from '../../../local/wire';
import { ADMIN, errorOf, receiveFrom, ServiceFixture, START_MS } from '../service-fixture';

export { ADMIN, errorOf, START_MS };

export const ACCOUNT = EXAMPLE_PLACE.account;
export const TOPIC_ARN = `arn:aws:sns:us-east-1:${ACCOUNT}:Rental-Orders`;
export const FUNCTION_ARN = `arn:aws:lambda:us-east-1:${ACCOUNT}:function:Rental-Billing`;
export const FEEDBACK_ROLE = `arn:aws:iam::${ACCOUNT}:role/SnsFeedback`;

export const queueArn = (name: string): string => `arn:aws:sqs:us-east-1:${ACCOUNT}:${name}`;
export const queueUrl = (name: string): string => `https://sqs.us-east-1.amazonaws.com/${ACCOUNT}/${name}`;

/** Lets SNS send to the queue for every topic of the account. */
export function sendPolicy(name: string): string {
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: queueArn(name),
        Condition: { ArnLike: { 'aws:SourceArn': `arn:aws:sns:us-east-1:${ACCOUNT}:*` } },
      },
    ],
  });
}

/** Lambda's front door, as far as SNS sees it. */
class FunctionDoor {
  readonly invocations: (EventInvocation & { readonly atMs: number; readonly caller: Caller })[] = [];
  /** Thrown instead of taking the event. */
  refusal: Error | undefined;
  /** Whether the answer is a promise. */
  answersLater = false;
  latencyMs = 0;

  constructor(private readonly timeline: Timeline) {}

  call(_action: 'Invoke', caller: Caller, input: EventInvocation): { StatusCode: 202 } | Promise<{ StatusCode: 202 }> {
    if (caller.latency) caller.latency.ms = this.latencyMs;
    if (this.refusal) {
      if (this.answersLater) return Promise.reject(this.refusal);
      throw this.refusal;
    }
    this.invocations.push({ ...input, atMs: this.timeline.nowMs, caller });
    return this.answersLater ? Promise.resolve({ StatusCode: 202 }) : { StatusCode: 202 };
  }
}

/** A record of a delivery-status log, as far as tests look into it. */
export interface StatusRecord {
  readonly notification: Record<string, unknown>;
  readonly delivery: { readonly statusCode?: number; readonly attempts?: number; readonly providerResponse: string };
  readonly status: string;
}

/** An SNS among its real neighbours: SQS, IAM, KMS, Logs and a network; only Lambda is a front door. */
export class SnsFixture extends ServiceFixture<SnsTraceEvent> {
  /** What the neighbours write down. */
  readonly around = new Trace<TraceEvent>(this.timeline);
  readonly outside = new OutsideWorld(this.timeline);
  readonly network = new InMemoryNetwork(this.outside.answer);
  readonly lambda = new FunctionDoor(this.timeline);
  readonly iam: Iam;
  readonly kms: Kms;
  readonly sqs: Sqs;
  readonly logs: Logs;
  readonly sns: Sns;

  constructor(options: SnsOptions & { readonly seed?: string } = {}) {
    super();
    const { timeline, faults, around, metrics } = this;
    const random = new Random(options.seed ?? 'sns test');
    const place = EXAMPLE_PLACE;
    this.iam = new Iam({ place, timeline, random: random.stream('iam'), trace: around });
    const access = this.iam;
    this.kms = new Kms({ place, timeline, random: random.stream('kms'), access, faults, trace: around });
    const common = { place, timeline, access, keys: this.kms, faults, metrics };
    this.sqs = new Sqs({ ...common, random: random.stream('sqs'), trace: around });
    this.logs = new Logs({ ...common, random: random.stream('logs'), trace: around });
    this.sns = new Sns(
      { ...common, random: random.stream('sns'), trace: this.trace },
      { sqs: this.sqs, lambda: this.lambda, network: this.network, logs: this.logs, roles: this.iam },
      options,
    );
  }

  /** Attaches SNS's own host to the network, as the simulation does. */
  goOnline(): void {
    const { sns: service, around: trace, timeline } = this;
    const random = new Random('wire');
    const api = awsHost({ model: SNS_MODEL, service, credentials: this.iam.credentials, random, trace, timeline });
    this.network.attach('sns.us-east-1.amazonaws.com', withSigningCertificate(EXAMPLE_PLACE, api));
  }

  /** Follows a link, signing nothing: answers the status and the text. */
  async follow(link: string): Promise<{ readonly status: number; readonly text: string }> {
    const { host, pathname, search } = new URL(link);
    const path = `${pathname}${search}`;
    const request = { protocol: 'https' as const, host, port: 443, method: 'GET', path, headers: { host } };
    const reply = await this.network.send({ ...request, body: new Uint8Array() });
    if (reply.kind !== 'response') throw new Error(`no response but ${reply.kind}`);
    return { status: reply.status, text: Buffer.from(reply.body).toString() };
  }

  createTopic(attributes: Record<string, string> = {}, name = 'Rental-Orders'): string {
    const { TopicArn = '' } = this.sns.call('CreateTopic', ADMIN, { Name: name, Attributes: attributes });
    return TopicArn;
  }

  /** Creates a queue that SNS may send to by default. Returns its ARN. */
  createQueue(name: string, attributes: Record<string, string> = { Policy: sendPolicy(name) }): string {
    this.sqs.call('CreateQueue', ADMIN, { QueueName: name, Attributes: attributes });
    return queueArn(name);
  }

  /** Subscribes, and confirms where that is needed; answers the subscription's ARN. */
  subscribe(protocol: string, endpoint: string, attributes: Record<string, string> = {}, topicArn = TOPIC_ARN): string {
    const { SubscriptionArn = '' } = this.sns.call('Subscribe', ADMIN, {
      TopicArn: topicArn,
      Protocol: protocol,
      Endpoint: endpoint,
      Attributes: attributes,
      ReturnSubscriptionArn: true,
    });
    this.sns.confirm(endpoint);
    return SubscriptionArn;
  }

  publish(message = '{"order":1}', more: Partial<Parameters<SnsFixture['publishInput']>[1]> = {}): string {
    const { MessageId = '' } = this.sns.call('Publish', ADMIN, this.publishInput(message, more));
    return MessageId;
  }

  private publishInput(
    Message: string,
    more: {
      readonly Subject?: string;
      readonly MessageStructure?: string;
      readonly MessageGroupId?: string;
      readonly MessageAttributes?: Record<string, { DataType: string; StringValue?: string; BinaryValue?: Uint8Array }>;
    },
  ) {
    return { TopicArn: TOPIC_ARN, Message, ...more };
  }

  /** What a short poll of the queue brings. */
  receive(name: string) {
    return receiveFrom(this.sqs, queueUrl(name));
  }

  /** When each attempt ended, in seconds since the start. */
  attemptSeconds(): number[] {
    return this.happened('sns.attempt').map(({ atMs }) => (atMs - START_MS) / 1000);
  }

  /** The sum of what was measured of topics, or of queues, under this name. */
  total(metric: string): number {
    return this.measured
      .filter(({ name, dimensions }) => name === metric && ('TopicName' in dimensions || 'QueueName' in dimensions))
      .reduce((sum, { value }) => sum + value, 0);
  }

  /** Gives SNS a role that may write logs, and has the topic log every delivery of these protocols. */
  logDeliveries(...prefixes: readonly string[]): void {
    this.createRole('SnsFeedback', 'logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents');
    for (const prefix of prefixes) {
      this.setTopicAttribute(`${prefix}SuccessFeedbackRoleArn`, FEEDBACK_ROLE);
      this.setTopicAttribute(`${prefix}SuccessFeedbackSampleRate`, '100');
      this.setTopicAttribute(`${prefix}FailureFeedbackRoleArn`, FEEDBACK_ROLE);
    }
  }

  /** A role SNS may assume; answers its ARN. */
  createRole(roleName: string, ...Action: readonly string[]): string {
    const allow = (more: Record<string, unknown>) => ({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', ...more }],
    });
    const trustPolicy = allow({ Principal: { Service: 'sns.amazonaws.com' }, Action: 'sts:AssumeRole' });
    const { arn } = this.iam.createRole({ roleName, trustPolicy });
    this.iam.putRolePolicy(roleName, 'permissions', allow({ Action, Resource: '*' }));
    return arn;
  }

  setTopicAttribute(AttributeName: string, AttributeValue: string): void {
    this.sns.call('SetTopicAttributes', ADMIN, { TopicArn: TOPIC_ARN, AttributeName, AttributeValue });
  }

  setSubscriptionAttribute(SubscriptionArn: string, AttributeName: string, AttributeValue: string): void {
    this.sns.call('SetSubscriptionAttributes', ADMIN, { SubscriptionArn, AttributeName, AttributeValue });
  }

  topicAttributes(): Record<string, string> {
    return this.sns.call('GetTopicAttributes', ADMIN, { TopicArn: TOPIC_ARN }).Attributes ?? {};
  }

  subscriptionAttributes(SubscriptionArn: string): Record<string, string> {
    return this.sns.call('GetSubscriptionAttributes', ADMIN, { SubscriptionArn }).Attributes ?? {};
  }

  /** The delivery-status records of the topic. */
  records(kind: 'SUCCESS' | 'FAILURE'): StatusRecord[] {
    const group = `sns/us-east-1/${ACCOUNT}/Rental-Orders${kind === 'FAILURE' ? '/Failure' : ''}`;
    return this.logs.events(group).map(({ message }) => JSON.parse(message));
  }
}

/** The subscription attribute that names a dead-letter queue. */
export function redriveTo(name: string): Record<string, string> {
  return { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn(name) }) };
}
