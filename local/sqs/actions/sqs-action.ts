import type { SQS } from '@aws-sdk/client-sqs';
import { type ActionFamily, MissingResource, type Resource, type ServiceAction } from '../../kernel/service-api';
import { missingParameter, queueDoesNotExist } from '../errors';
import { nameInUrl } from '../queue/directory';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';

export type SqsFamily = ActionFamily<SqsState, SQS>;

export type OnQueue<Input, Output> = (state: SqsState, queue: Queue, call: Call<Input>) => Output;

function queueAt({ context, directory }: SqsState, url: string | undefined): Queue | MissingResource {
  const name = nameInUrl(url ?? '', context.place) ?? '';
  const queue = directory.findByName(name);
  if (url && queue) return queue;
  return new MissingResource(directory.arnOf(name), url ? queueDoesNotExist() : missingParameter('QueueUrl'));
}

/** An action on an existing queue. @param permission as in `ServiceAction` */
export function onQueue<Input extends { QueueUrl: string | undefined }, Output>(
  run: OnQueue<Input, Output>,
  permission?: string,
): ServiceAction<SqsState, Input, Output, Queue> {
  return {
    ...(permission !== undefined && { permission }),
    resourceOf: (state, { QueueUrl }) => queueAt(state, QueueUrl),
    run: (state, call, queue) => {
      queue.use();
      return run(state, queue, call);
    },
  };
}

/**
 * An action on an existing queue that no other account can use, whatever the policy of the queue allows.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-limitations-of-custom-policies.html
 */
export function onOwnQueue<Input extends { QueueUrl: string | undefined }, Output>(run: OnQueue<Input, Output>) {
  return { ...onQueue(run), isForOwnAccountOnly: true };
}

/** The queue name of a call, whether or not the queue exists. */
export function queueNamed(
  { directory }: SqsState,
  { QueueName = '' }: { readonly QueueName: string | undefined },
): Resource {
  return directory.findByName(QueueName) ?? { arn: directory.arnOf(QueueName) };
}
