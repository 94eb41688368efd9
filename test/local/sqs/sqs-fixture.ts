import type { Message, SendMessageResult } from '@aws-sdk/client-sqs';
import type { AccessControl, AccessRequest, KeyAccess } from '../../../local/kernel/access';
import type { Caller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Sqs, type SqsTraceEvent } from '../../../local/sqs';
import { ADMIN, errorOf, receiveFrom, ServiceFixture, START_MS } from '../service-fixture';

export { ADMIN, errorOf, START_MS };

type Decision = ReturnType<AccessControl['decide']>;
type KeyDecision = ReturnType<KeyAccess['decide']>;

/** One SQS on a timeline of its own, whose access and keys a test decides. */
export class SqsFixture extends ServiceFixture<SqsTraceEvent> {
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
    metrics: this.metrics,
    trace: this.trace,
  });

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
  receive(url: string, visibilityTimeout?: number, most?: number): Message[] {
    return receiveFrom(this.sqs, url, visibilityTimeout, most);
  }

  /** The bodies a short poll for ten brings. */
  bodies(url: string, visibilityTimeout?: number): (string | undefined)[] {
    return this.receive(url, visibilityTimeout).map(({ Body }) => Body);
  }

  attributes(url: string): Record<string, string> {
    const { Attributes = {} } = this.sqs.call('GetQueueAttributes', ADMIN, { QueueUrl: url, AttributeNames: ['All'] });
    return Attributes;
  }

  /** The sum of what was measured under this name. */
  total(metric: string): number {
    return this.measured.filter(({ name }) => name === metric).reduce((sum, { value }) => sum + value, 0);
  }
}
