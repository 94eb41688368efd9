import { displayNameOf } from '../../policy/arn';
import { knownValue } from '../../template/maybe-known';
import type { FunctionFacts, KeyFacts, MappingFacts, QueueFacts, RedrivePolicyFacts } from '../inventory/inventory';
import type { AwsCall, Fix } from './fix';

/** Sets attributes of a queue, and leaves the others as they are. */
function setQueue({ url }: QueueFacts, says: string, attributes: Readonly<Record<string, string>>): Fix {
  if (url === undefined) return { says };
  const input = { QueueUrl: url, Attributes: attributes };
  return { says, calls: [{ service: 'sqs', operation: 'SetQueueAttributes', input }] };
}

/** Lets a queue keep messages for so long. What lies there already is kept so long, too, from when it was sent. */
export function setRetention(queue: QueueFacts, retentionSeconds: number, says: string): Fix {
  return setQueue(queue, says, { MessageRetentionPeriod: String(retentionSeconds) });
}

/** Lets what is received from a queue come back after so long. */
export function setVisibilityTimeout(queue: QueueFacts, visibilityTimeoutSeconds: number): Fix {
  const says = `Raise the visibility timeout of the queue ${queue.name} to ${visibilityTimeoutSeconds} s.`;
  return setQueue(queue, says, { VisibilityTimeout: String(visibilityTimeoutSeconds) });
}

/** Lets SQS move what was received so often from a queue to its dead-letter queue. */
export function setMaxReceiveCount(queue: QueueFacts, policy: RedrivePolicyFacts, maxReceiveCount: number): Fix {
  const says = `Let maxReceiveCount of the queue ${queue.name} be ${maxReceiveCount}.`;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: policy.deadLetterTargetArn, maxReceiveCount });
  return typeof policy.deadLetterTargetArn === 'string' ? setQueue(queue, says, { RedrivePolicy }) : { says };
}

/** Lets these queues, and no others, name a queue for their dead letters. */
export function allowSources(queue: QueueFacts, sourceQueueArns: readonly string[], says: string): Fix {
  const RedriveAllowPolicy = JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns });
  return setQueue(queue, says, { RedriveAllowPolicy });
}

/** Lets a queue be encrypted with a key of SQS's own, which asks nobody for permission. */
export function encryptBySqs(queue: QueueFacts): Fix {
  const says = `Encrypt the queue ${queue.name} with SSE-SQS, or with a key of your own that lets the service in.`;
  return setQueue(queue, says, { KmsMasterKeyId: '', SqsManagedSseEnabled: 'true' });
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html */
const MOST_TIMEOUT_SECONDS = 900;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const MOST_VISIBILITY_SECONDS = 43_200;

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const VISIBILITY_TO_TIMEOUT = 6;

/** How much longer it gets. Our choice: nobody knows how long it would have taken. */
const FACTOR = 2;

/** How long a queue hides what a function with such a timeout works at, as AWS recommends it. */
export function visibilityFor(timeoutSeconds: number, batchingWindowSeconds = 0): number {
  return Math.min(VISIBILITY_TO_TIMEOUT * timeoutSeconds + batchingWindowSeconds, MOST_VISIBILITY_SECONDS);
}

/** Has a queue hide for long enough what a function works at; undefined where it does, or that is not known. */
export function hideLonger(queue: QueueFacts | undefined, seconds: number): AwsCall | undefined {
  const now = queue && knownValue(queue.visibilityTimeoutSeconds);
  if (!queue || now === undefined || now >= seconds) return undefined;
  return setVisibilityTimeout(queue, seconds).calls?.[0];
}

/** Where a function's events come from, if they come from a queue. */
export interface FedBy {
  readonly queue: QueueFacts | undefined;
  readonly mapping: MappingFacts;
}

/** Gives a function that ran out of time twice as much, and the queue it reads the visibility timeout for that. */
export function giveTime(facts: FunctionFacts, fedBy?: FedBy): Fix {
  const timeoutSeconds = knownValue(facts.timeoutSeconds);
  const name = displayNameOf(facts.arn);
  const see = 'See in its log what it waits for';
  if (timeoutSeconds === undefined || timeoutSeconds >= MOST_TIMEOUT_SECONDS) {
    return { says: `${see}: the function ${name} has all the time Lambda gives, or nobody knows how much.` };
  }
  const Timeout = Math.min(FACTOR * timeoutSeconds, MOST_TIMEOUT_SECONDS);
  const window = fedBy ? (knownValue(fedBy.mapping.batchingWindowSeconds) ?? 0) : 0;
  const hide = hideLonger(fedBy?.queue, visibilityFor(Timeout, window));
  const also = hide ? `, and the queue ${fedBy?.queue?.name} a visibility timeout for that` : '';
  const input = { FunctionName: facts.arn, Timeout };
  return {
    says: `${see}; or give the function ${name} ${Timeout} seconds instead of ${timeoutSeconds}${also}.`,
    calls: [...(hide ? [hide] : []), { service: 'lambda', operation: 'UpdateFunctionConfiguration', input }],
  };
}

/**
 * Has a key work again that somebody disabled, or scheduled to be deleted: KMS enables none that waits to be deleted, and one
 * whose deletion is cancelled is disabled. In other states a key waits for something only its owner has.
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
 */
export function enableKey({ arn, name, state = 'Disabled' }: KeyFacts): Fix {
  const input = { KeyId: arn };
  const enable = { service: 'kms', operation: 'EnableKey', input };
  if (state === 'PendingDeletion') {
    return {
      says: `Cancel the deletion of the key ${name}, and enable it again, once you know who is to delete it.`,
      calls: [{ service: 'kms', operation: 'CancelKeyDeletion', input }, enable],
    };
  }
  if (state === 'Disabled' || state === 'Enabled') {
    return { says: `Enable the key ${name} again, once you know who disabled it.`, calls: [enable] };
  }
  return { says: `Have the key ${name}, whose state is ${state}, work again, or use another key.` };
}

/** Has an event source mapping feed its function again. */
export function resumeMapping(uuid: string, functionArn: string): Fix {
  return {
    says: `Enable the event source mapping of the function ${displayNameOf(functionArn)} again, once you know who disabled it.`,
    calls: [{ service: 'lambda', operation: 'UpdateEventSourceMapping', input: { UUID: uuid, Enabled: true } }],
  };
}
