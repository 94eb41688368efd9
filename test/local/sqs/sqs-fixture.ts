import type { Message, SendMessageResult } from '@aws-sdk/client-sqs';
import type { AccessControl, AccessRequest, KeyAccess } from '../../../local/kernel/access';
import { AwsError } from '../../../local/kernel/aws-error';
import { administrator, type Caller } from '../../../local/kernel/caller';
import { Faults } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import type { Measurement } from '../../../local/kernel/telemetry';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace, type Traced } from '../../../local/kernel/trace';
import { Sqs, type SqsTraceEvent } from '../../../local/sqs';

/** 2026-01-01T00:00:00Z */
export const START_MS = Date.UTC(2026, 0, 1);

export const ADMIN = administrator(EXAMPLE_PLACE.account);

/** What was measured, and when. */
export type Measured = Measurement & { readonly atMs: number };

type Decision = ReturnType<AccessControl['decide']>;
type KeyDecision = ReturnType<KeyAccess['decide']>;

/** One SQS on a timeline of its own, whose access and keys a test decides. */
export class SqsFixture {
  readonly timeline = new Timeline(START_MS);
  readonly trace = new Trace<SqsTraceEvent>(this.timeline);
  readonly faults = new Faults(this.timeline);
  readonly measured: Measured[] = [];
  readonly asked: AccessRequest[] = [];
  readonly askedKeys: string[] = [];
  readonly askedContexts: Caller['context'][] = [];
  decideAccess: (request: AccessRequest) => Decision = () => ({ allowed: true, reason: 'the test allows everything' });
  decideKey: (keyId: string, action: string) => KeyDecision = () => ({ allowed: true, reason: 'the test allows it' });
  readonly sqs = new Sqs({
    place: EXAMPLE_PLACE,
    timeline: this.timeline,
    random: new Random('sqs test'),
    access: {
      decide: request => {
        this.asked.push(request);
        return this.decideAccess(request);
      },
    },
    keys: {
      decide: (keyId, action, caller, viaService) => {
        this.askedContexts.push(caller.context);
        this.askedKeys.push(`${keyId} ${action} ${viaService}`);
        return this.decideKey(keyId, action);
      },
    },
    faults: this.faults,
    metrics: { put: measurement => void this.measured.push({ ...measurement, atMs: this.timeline.nowMs }) },
    trace: this.trace,
  });

  /** Seconds since the start. */
  get seconds(): number {
    return (this.timeline.nowMs - START_MS) / 1000;
  }

  /** Goes to so many seconds after the start. */
  async goTo(seconds: number): Promise<void> {
    await this.timeline.advanceTo(START_MS + seconds * 1000);
  }

  createQueue(name: string, attributes: Record<string, string> = {}): string {
    const { QueueUrl = '' } = this.sqs.call('CreateQueue', ADMIN, { QueueName: name, Attributes: attributes });
    return QueueUrl;
  }

  arnOf(url: string): string {
    return this.sqs.queueByUrl(url)?.arn ?? `no queue at ${url}`;
  }

  send(url: string, body: string, delaySeconds?: number): string {
    const { MessageId = '' } = this.sqs.call('SendMessage', ADMIN, {
      QueueUrl: url,
      MessageBody: body,
      DelaySeconds: delaySeconds,
    });
    return MessageId;
  }

  createFifoQueue(name: string, attributes: Record<string, string> = {}): string {
    return this.createQueue(`${name}.fifo`, { FifoQueue: 'true', ContentBasedDeduplication: 'true', ...attributes });
  }

  /** Sends to a FIFO queue; its id is that of its body unless `deduplicationId` says otherwise. */
  sendTo(url: string, groupId: string, body: string, deduplicationId?: string): SendMessageResult {
    return this.sqs.call('SendMessage', ADMIN, {
      QueueUrl: url,
      MessageBody: body,
      MessageGroupId: groupId,
      MessageDeduplicationId: deduplicationId,
    });
  }

  delete(url: string, message: Message | undefined): void {
    this.sqs.call('DeleteMessage', ADMIN, { QueueUrl: url, ReceiptHandle: message?.ReceiptHandle });
  }

  hide(url: string, message: Message | undefined, visibilityTimeout: number): void {
    this.sqs.call('ChangeMessageVisibility', ADMIN, {
      QueueUrl: url,
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout: visibilityTimeout,
    });
  }

  /** A short poll for up to ten messages, with all their attributes. */
  receive(url: string, visibilityTimeout?: number, most = 10): Message[] {
    const answer = this.sqs.call('ReceiveMessage', ADMIN, {
      QueueUrl: url,
      MaxNumberOfMessages: most,
      WaitTimeSeconds: 0,
      VisibilityTimeout: visibilityTimeout,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    if (answer instanceof Promise) throw new Error('a short poll must answer at once');
    return answer.Messages ?? [];
  }

  /** The bodies a short poll for ten brings. */
  bodies(url: string, visibilityTimeout?: number): (string | undefined)[] {
    return this.receive(url, visibilityTimeout).map(({ Body }) => Body);
  }

  attributes(url: string): Record<string, string> {
    const { Attributes = {} } = this.sqs.call('GetQueueAttributes', ADMIN, { QueueUrl: url, AttributeNames: ['All'] });
    return Attributes;
  }

  happened<Type extends SqsTraceEvent['type']>(type: Type): Traced<Extract<SqsTraceEvent, { type: Type }>>[] {
    const isOfType = (it: Traced<SqsTraceEvent>): it is Traced<Extract<SqsTraceEvent, { type: Type }>> =>
      it.type === type;
    return this.trace.events.filter(isOfType);
  }

  /** The sum of what was measured under this name. */
  total(metric: string): number {
    return this.measured.filter(({ name }) => name === metric).reduce((sum, { value }) => sum + value, 0);
  }
}

/** The error `call` throws, as a client sees it. */
export function errorOf(call: () => unknown): { code: string; message: string; status: number } {
  try {
    call();
  } catch (error) {
    if (error instanceof AwsError) return { code: error.code, message: error.message, status: error.httpStatus };
    throw error;
  }
  throw new Error('nothing was thrown');
}
