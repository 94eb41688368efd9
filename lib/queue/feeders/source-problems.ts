import { Reference, Stack, Token, Tokenization } from 'aws-cdk-lib';
import { CfnQueue, type IQueue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Problem } from '../../../policy/problem';
import { mismatchProblems } from '../../shared/checks';
import { isFifo, queueArnProblems } from '../processing/queue-checks';
import { ownedQueue, ownName } from '../processing/queue-facts';

/** A queue that names another as its dead-letter queue, as far as SQS judges that. It need not be made yet. */
export interface Source {
  readonly path: string;
  readonly fifo: boolean;
  readonly env: { readonly region: string; readonly account: string };
  /** @default - it is still to be made */
  readonly arn?: string;
  /** Undefined where it is not known before deployment. */
  readonly name: string | undefined;
  /** Its resource; undefined of one that was made elsewhere, or is still to be made. */
  readonly resource?: CfnQueue | undefined;
  /** Whether it is, or will be, a resource of this app. */
  readonly isOurs: boolean;
}

function known(text: string | undefined): string | undefined {
  return Token.isUnresolved(text) ? undefined : text;
}

/** A queue there is. */
export function sourceOf(queue: IQueue): Source {
  const { env, fifo, node, queueArn: arn } = queue;
  const resource = ownedQueue(queue);
  const name = ownName(queue) ?? known(queue.queueName);
  return { path: node.path, fifo, env, arn, name, resource, isOurs: resource !== undefined };
}

/** A queue that is about to be made. */
export function sourceToBe(scope: IConstruct, path: string, props: QueueProps): Source {
  const { region, account } = Stack.of(scope);
  return { path, fifo: isFifo(props), env: { region, account }, name: known(props.queueName), isOurs: true };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html */
function placeProblems(queue: IQueue, { path, env }: Source): Problem[] {
  const rule = `must be that of its source ${path},`;
  return [
    ...mismatchProblems('region', rule, env.region, queue.env.region),
    ...mismatchProblems('account', rule, env.account, queue.env.account),
  ];
}

/** Whether a policy that names `listed` certainly names another queue than `source`. */
function isAnother(listed: string, { arn, name, resource, isOurs }: Source): boolean {
  if (listed === arn) return false;
  const { firstToken } = Tokenization.reverseString(listed);
  const target = Reference.isReference(firstToken) ? firstToken.target : undefined;
  if (target instanceof CfnQueue) return isOurs && target !== resource;
  return name !== undefined && !Token.isUnresolved(listed) && !listed.endsWith(`:${name}`);
}

/** What a queue's redrive-allow policy says, as far as it is known before deployment. */
interface AllowPolicy {
  readonly redrivePermission?: unknown;
  readonly sourceQueueArns?: readonly string[] | undefined;
}

/** A policy of the queue's own that keeps `source` out. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html */
function allowProblems(queue: IQueue, source: Source): Problem[] {
  const policy: unknown = ownedQueue(queue)?.redriveAllowPolicy;
  if (typeof policy !== 'object' || policy === null || Token.isUnresolved(policy)) return [];
  const { redrivePermission, sourceQueueArns = [] }: AllowPolicy = policy;
  const shutsOut =
    redrivePermission === 'denyAll' ||
    (redrivePermission === 'byQueue' && sourceQueueArns.every(it => isAnother(it, source)));
  const rule = `must let in its source ${source.path}`;
  return shutsOut ? [{ property: 'redriveAllowPolicy', rule, value: redrivePermission }] : [];
}

/** Everything SQS would reject of `queue` as the dead-letter queue of `source`. */
export function sourceProblems(queue: IQueue, source: Source): Problem[] {
  const fifoRule = `must be ${source.fifo}, as its source ${source.path} is`;
  return [
    ...queueArnProblems('queueArn', queue),
    ...placeProblems(queue, source),
    ...(queue.fifo === source.fifo ? [] : [{ property: 'fifo', rule: fifoRule, value: queue.fifo }]),
    ...allowProblems(queue, source),
  ];
}

/** A queue that would be its own dead-letter queue. */
export function sameQueueProblems(queue: IQueue, source: IQueue): Problem[] {
  if (queue !== source && queue.queueArn !== source.queueArn) return [];
  return [{ property: 'source', rule: 'must be another queue than its dead-letter queue', value: source.node.path }];
}
