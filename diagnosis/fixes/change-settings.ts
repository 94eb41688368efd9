import { displayNameOf } from '../../policy/arn';
import { MAX_FUNCTION_TIMEOUT_SECONDS, QUEUE_LIMITS, VISIBILITY_PER_TIMEOUT } from '../../policy/aws-limits';
import { knownValue } from '../../template/maybe-known';
import type { FunctionFacts, KeyFacts, MappingFacts, QueueFacts, RedrivePolicyFacts } from '../inventory/inventory';
import type { AwsCall, Fix } from './fix';

/** Sets attributes of a queue; the others stay. */
function setQueue({ url }: QueueFacts, says: string, attributes: Readonly<Record<string, string>>): Fix {
  if (url === undefined) return { says };
  const input = { QueueUrl: url, Attributes: attributes };
  return { says, calls: [{ service: 'sqs', operation: 'SetQueueAttributes', input }] };
}

/** Sets a queue's retention period. It also applies to messages already in the queue, from when they were sent. */
export function setRetention(queue: QueueFacts, retentionSeconds: number, says: string): Fix {
  return setQueue(queue, says, { MessageRetentionPeriod: String(retentionSeconds) });
}

export function setVisibilityTimeout(queue: QueueFacts, visibilityTimeoutSeconds: number): Fix {
  const says = `Raise the visibility timeout of the queue ${queue.name} to ${visibilityTimeoutSeconds} s.`;
  return setQueue(queue, says, { VisibilityTimeout: String(visibilityTimeoutSeconds) });
}

/** Sets how often a message may be received before SQS moves it to the dead-letter queue. */
export function setMaxReceiveCount(queue: QueueFacts, policy: RedrivePolicyFacts, maxReceiveCount: number): Fix {
  const says = `Set maxReceiveCount of the queue ${queue.name} to ${maxReceiveCount}.`;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: policy.deadLetterTargetArn, maxReceiveCount });
  return typeof policy.deadLetterTargetArn === 'string' ? setQueue(queue, says, { RedrivePolicy }) : { says };
}

/** Allows only these queues to use a queue for their dead letters. */
export function allowSources(queue: QueueFacts, sourceQueueArns: readonly string[], says: string): Fix {
  const RedriveAllowPolicy = JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns });
  return setQueue(queue, says, { RedriveAllowPolicy });
}

export function encryptBySqs(queue: QueueFacts): Fix {
  const says = `Encrypt the queue ${queue.name} with SSE-SQS, or with a customer managed key whose policy allows the service.`;
  return setQueue(queue, says, { KmsMasterKeyId: '', SqsManagedSseEnabled: 'true' });
}

/** The new timeout as a multiple of the old one: how much time the function needs is unknown. */
const FACTOR = 2;

export function visibilityFor(timeoutSeconds: number, batchingWindowSeconds = 0): number {
  return Math.min(
    VISIBILITY_PER_TIMEOUT * timeoutSeconds + batchingWindowSeconds,
    QUEUE_LIMITS.visibilityTimeoutSeconds.max,
  );
}

/** Raises a queue's visibility timeout to this value. Returns undefined if it is long enough, or unknown. */
export function raiseVisibilityTimeout(queue: QueueFacts | undefined, seconds: number): AwsCall | undefined {
  const now = queue && knownValue(queue.visibilityTimeoutSeconds);
  if (!queue || now === undefined || now >= seconds) return undefined;
  return setVisibilityTimeout(queue, seconds).calls?.[0];
}

export interface QueueSource {
  readonly queue: QueueFacts | undefined;
  readonly mapping: MappingFacts;
}

/** Doubles the timeout of a function that timed out, and raises its queue's visibility timeout to match. */
export function raiseTimeout(facts: FunctionFacts, fedBy?: QueueSource): Fix {
  const timeoutSeconds = knownValue(facts.timeoutSeconds);
  const name = displayNameOf(facts.arn);
  const see = 'See in its log what it waits for';
  if (timeoutSeconds === undefined || timeoutSeconds >= MAX_FUNCTION_TIMEOUT_SECONDS) {
    return { says: `${see}: the timeout of the function ${name} is at Lambda’s maximum, or unknown.` };
  }
  const Timeout = Math.min(FACTOR * timeoutSeconds, MAX_FUNCTION_TIMEOUT_SECONDS);
  const window = fedBy ? (knownValue(fedBy.mapping.batchingWindowSeconds) ?? 0) : 0;
  const hide = raiseVisibilityTimeout(fedBy?.queue, visibilityFor(Timeout, window));
  const also = hide ? `, and raise the visibility timeout of the queue ${fedBy?.queue?.name} to match` : '';
  const input = { FunctionName: facts.arn, Timeout };
  return {
    says: `${see}; or raise the timeout of the function ${name} from ${timeoutSeconds} to ${Timeout} seconds${also}.`,
    calls: [...(hide ? [hide] : []), { service: 'lambda', operation: 'UpdateFunctionConfiguration', input }],
  };
}

/**
 * Enables a key that is disabled or scheduled for deletion. Deletion must be cancelled first, and then the key is
 * disabled. In other states a key waits for its owner.
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
 */
export function enableKey({ arn, name, state = 'Disabled' }: KeyFacts): Fix {
  const input = { KeyId: arn };
  const enable = { service: 'kms', operation: 'EnableKey', input };
  if (state === 'PendingDeletion') {
    return {
      says: `Cancel the deletion of the key ${name} and enable it, after finding out who scheduled the deletion.`,
      calls: [{ service: 'kms', operation: 'CancelKeyDeletion', input }, enable],
    };
  }
  if (state === 'Disabled' || state === 'Enabled') {
    return { says: `Enable the key ${name}, after finding out who disabled it.`, calls: [enable] };
  }
  return { says: `Make the key ${name} usable again (its state is ${state}), or use another key.` };
}

/** Enables an event source mapping. */
export function resumeMapping(uuid: string, functionArn: string): Fix {
  return {
    says: `Enable the event source mapping of the function ${displayNameOf(functionArn)}, after finding out who disabled it.`,
    calls: [{ service: 'lambda', operation: 'UpdateEventSourceMapping', input: { UUID: uuid, Enabled: true } }],
  };
}
