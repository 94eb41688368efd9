import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue, QueueBase } from 'aws-cdk-lib/aws-sqs';
import { functionBehind } from '../function/function-facts';
import { DeadLetterFeederKind } from '../queue/dead-letter-feeder';
import { isDeadLetterQueue } from '../queue/dead-letters/letters-of';

/** Where what a queue's consumer fails on ends; undefined of a queue that has no such place, or was made elsewhere. */
export function failuresOfQueue(queue: IQueue): IQueue | undefined {
  return queue instanceof Queue ? queue.deadLetterQueue?.queue : undefined;
}

/** Where what a function fails on ends, as far as a dead-letter queue was told of it, or the function itself says. */
export function failuresOfFunction(handler: IFunction): IQueue | undefined {
  const behind = functionBehind(handler);
  const isFed = (queue: IQueue) =>
    isDeadLetterQueue(queue) &&
    queue.feeders.some(({ kind, construct }) => kind === DeadLetterFeederKind.FUNCTION && construct === behind);
  const queues = behind.node.root.node.findAll().filter(it => it instanceof QueueBase);
  return queues.find(isFed) ?? (behind instanceof LambdaFunction ? behind.deadLetterQueue : undefined);
}
