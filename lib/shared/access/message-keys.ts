import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/** A principal that reads a dead-letter queue, and the keys it may already use. */
interface Reader {
  readonly grantee: IGrantable;
  readonly keys: Set<IKey>;
}

/** The queues that SQS moves messages from to one dead-letter queue, and the readers of the dead-letter queue. */
interface Readership {
  readonly sources: Set<IQueue>;
  readonly readers: Reader[];
}

/** For each app, by the ARN of the dead-letter queue: several constructs may import the same queue. */
const readerships = new WeakMap<IConstruct, Map<string, Readership>>();

function readershipOf({ node: { root }, queueArn }: IQueue): Readership {
  const all = readerships.get(root) ?? new Map<string, Readership>();
  readerships.set(root, all);
  const found = all.get(queueArn) ?? { sources: new Set<IQueue>(), readers: [] };
  all.set(queueArn, found);
  return found;
}

function decrypt({ grantee, keys }: Reader, key: IKey | undefined): Grant[] {
  if (!key || keys.has(key)) return [];
  keys.add(key);
  return [key.grantDecrypt(grantee)];
}

/** Declares that SQS moves messages from `source`, so that all readers, of now and later, may decrypt them. */
export function declareSource(deadLetterQueue: IQueue, source: IQueue): void {
  const { sources, readers } = readershipOf(deadLetterQueue);
  sources.add(source);
  for (const reader of readers) decrypt(reader, source.encryptionMasterKey);
}

/** The queues of the app that name a queue as their dead-letter queue, declared or not. */
function sourcesIn(deadLetterQueue: IQueue, declared: Iterable<IQueue>): readonly IQueue[] {
  const queues = deadLetterQueue.node.root.node.findAll().filter(it => it instanceof Queue);
  const naming = queues.filter(it => it.deadLetterQueue?.queue.queueArn === deadLetterQueue.queueArn);
  return [...declared, ...naming];
}

/**
 * Lets a principal decrypt the messages of a queue. SQS moves a message to a dead-letter queue as it is: "If the queue
 * acts as a dead-letter queue, the consumer must also have the kms:Decrypt permission for any KMS key that is used to
 * encrypt the messages in the source queue."
 *
 * @param usable keys that the principal may use for another reason
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#receive-from-encrypted-queue
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-server-side-encryption.html
 */
export function grantDecryptMessages(queue: IQueue, grantee: IGrantable, usable: readonly IKey[] = []): Grant[] {
  const { sources, readers } = readershipOf(queue);
  const reader = { grantee, keys: new Set(usable) };
  readers.push(reader);
  const keys = [queue, ...sourcesIn(queue, sources)].map(it => it.encryptionMasterKey);
  return keys.flatMap(key => decrypt(reader, key));
}
