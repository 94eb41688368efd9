import { isFifoName } from '../../kernel/messaging';
import { MissingResource, type ServiceAction } from '../../kernel/service-api';
import { invalidValue, missingParameter } from '../errors';
import { MAX_MOVES_PER_SECOND } from '../limits';
import {
  checkMayRedrive,
  invalidRate,
  noSuchResource,
  noSuchTask,
  notDeadLetterQueue,
  otherQueueType,
  readTaskHandle,
  sameQueue,
  taskHandle,
} from '../move-task/move-task-rules';
import type { Queue } from '../queue/queue';
import type { SqsState } from '../sqs-state';
import type { OnQueue, SqsFamily } from './sqs-action';

const MAX_RESULTS = 10;

export const moveTaskActions = {
  /**
   * Starts a message move task. Permissions on the source are checked now, and a missing one refuses the call.
   * Permissions on the destination are checked when the first message is moved, and a missing one fails the task.
   */
  StartMessageMoveTask: onSource(
    (state, source, { input, caller }) => {
      const { DestinationArn: destinationArn, MaxNumberOfMessagesPerSecond: maxPerSecond } = input;
      if (maxPerSecond !== undefined && !isRate(maxPerSecond)) throw invalidRate();
      if (destinationArn !== undefined) checkDestination(state, source, destinationArn);
      const isDeadLetterQueue = [...state.directory.all()].some(
        ({ settings }) => settings.redrivePolicy?.deadLetterTargetArn === source.arn,
      );
      if (!isDeadLetterQueue) throw notDeadLetterQueue();
      checkMayRedrive(state, source, caller);
      const { id: taskId } = state.moveTasks.start({ source, destinationArn, maxPerSecond, starter: caller });
      return { TaskHandle: taskHandle({ taskId, sourceArn: source.arn }) };
    },
    ({ SourceArn }) => SourceArn,
  ),

  ListMessageMoveTasks: onSource(
    (state, source, { input, caller }) => {
      const { MaxResults: max = 1 } = input;
      if (!(max >= 1 && max <= MAX_RESULTS)) {
        throw invalidValue(max, 'MaxResults', `Must be between 1 and ${MAX_RESULTS}, if provided.`);
      }
      state.checks.checkAccess(caller, 'sqs:GetQueueAttributes', source);
      const tasks = state.moveTasks.of(source).slice(0, max);
      return { Results: tasks.map(task => task.describe()) };
    },
    ({ SourceArn }) => SourceArn,
  ),

  CancelMessageMoveTask: onSource((state, source, { input, caller }) => {
    const { taskId } = readTaskHandle(input.TaskHandle ?? '');
    const task = state.moveTasks.of(source).find(({ id }) => id === taskId);
    if (!task) throw noSuchTask();
    checkMayRedrive(state, source, caller);
    task.cancel();
    return { ApproximateNumberOfMessagesMoved: task.approximatelyMoved };
  }, sourceInHandle),
} satisfies SqsFamily;

const isRate = (perSecond: number): boolean =>
  Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= MAX_MOVES_PER_SECOND;

function checkDestination({ directory }: SqsState, source: Queue, destinationArn: string): void {
  if (destinationArn === source.arn) throw sameQueue();
  if (!directory.findByArn(destinationArn)) throw noSuchResource('DestinationArn');
  if (isFifoName(destinationArn) !== isFifoName(source.arn)) throw otherQueueType();
}

function onSource<Input, Output>(
  run: OnQueue<Input, Output>,
  sourceArnOf: (input: Input) => string | undefined,
): ServiceAction<SqsState, Input, Output, Queue> {
  return {
    isForOwnAccountOnly: true,
    resourceOf: ({ directory }, input) => {
      const arn = sourceArnOf(input);
      if (!arn) throw missingParameter('SourceArn');
      return directory.findByArn(arn) ?? new MissingResource(arn, noSuchResource('SourceArn'));
    },
    run: (state, call, queue) => run(state, queue, call),
  };
}

function sourceInHandle({ TaskHandle: handle }: { TaskHandle: string | undefined }): string {
  if (!handle) throw missingParameter('TaskHandle');
  return readTaskHandle(handle).sourceArn;
}
