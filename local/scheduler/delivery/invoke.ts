import { parseArn } from '../../../policy/arn';
import { putOneEvent, sendToQueue } from '../../event-delivery';
import { notImplemented } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import type { SchedulerDependencies } from '../ports';
import type { ScheduleTarget } from '../schedule';
import { universalTarget } from '../universal-target';

type Invoke = (neighbours: SchedulerDependencies, caller: Caller, target: ScheduleTarget, input: string) => unknown;

/** By the service in a target's ARN. */
const TEMPLATED: Readonly<Record<string, Invoke>> = {
  sqs: ({ sqs }, caller, { Arn, SqsParameters }, input) => {
    sendToQueue(sqs, caller, Arn, input, { messageGroupId: SqsParameters?.MessageGroupId });
  },
  sns: ({ sns }, caller, { Arn }, input) => sns.call('Publish', caller, { TopicArn: Arn, Message: input }),
  lambda: ({ lambda }, caller, { Arn }, input) =>
    lambda.call('Invoke', caller, { FunctionName: Arn, InvocationType: 'Event', Payload: input }),
  events: ({ events }, caller, { Arn, EventBridgeParameters }, input) => {
    const { Source, DetailType } = EventBridgeParameters ?? {};
    const entry = { EventBusName: Arn, Source, DetailType, Detail: input };
    putOneEvent(events, caller, entry);
  },
};

/**
 * Invokes a target once, as its role.
 *
 * @throws AwsError as the target would answer, or answers a promise that rejects with it
 */
export function invokeTarget(
  neighbours: SchedulerDependencies,
  caller: Caller,
  target: ScheduleTarget,
  input: string,
): unknown {
  const universal = universalTarget(target.Arn);
  if (!universal) {
    const invoke = TEMPLATED[parseArn(target.Arn)?.service ?? ''];
    if (!invoke) throw notImplemented(`the schedule target ${target.Arn}`);
    return invoke(neighbours, caller, target, input);
  }
  const service = neighbours.services.get(universal.service);
  if (!service) throw notImplemented(`the universal target ${universal.service}:${universal.api}`);
  return service.call(universal.action, caller, JSON.parse(input));
}
