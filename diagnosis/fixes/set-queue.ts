import type { QueueFacts, RedrivePolicyFacts } from '../inventory/inventory';
import type { Fix } from './fix';

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
