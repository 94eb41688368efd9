import type {
  CancelMessageMoveTaskRequest,
  CancelMessageMoveTaskResult,
  ListMessageMoveTasksRequest,
  ListMessageMoveTasksResult,
  StartMessageMoveTaskRequest,
  StartMessageMoveTaskResult,
} from '@aws-sdk/client-sqs';
import { isFifoName } from '../../kernel/messaging';
import { invalidValue } from '../errors';
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
import type { Call, SqsState } from '../sqs-state';

/**
 * Starts a message move task. Permissions on the source are checked now, and a missing one refuses the call.
 * Permissions on the destination are checked when the first message is moved, and a missing one fails the task.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export function startMessageMoveTask(
  state: SqsState,
  source: Queue,
  { input, caller }: Call<StartMessageMoveTaskRequest>,
): StartMessageMoveTaskResult {
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
}

const isRate = (perSecond: number): boolean =>
  Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= MAX_MOVES_PER_SECOND;

function checkDestination({ directory }: SqsState, source: Queue, destinationArn: string): void {
  if (destinationArn === source.arn) throw sameQueue();
  if (!directory.findByArn(destinationArn)) throw noSuchResource('DestinationArn');
  if (isFifoName(destinationArn) !== isFifoName(source.arn)) throw otherQueueType();
}

const MAX_RESULTS = 10;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html */
export function listMessageMoveTasks(
  state: SqsState,
  source: Queue,
  { input, caller }: Call<ListMessageMoveTasksRequest>,
): ListMessageMoveTasksResult {
  const { MaxResults: max = 1 } = input;
  if (!(max >= 1 && max <= MAX_RESULTS)) {
    throw invalidValue(max, 'MaxResults', `Must be between 1 and ${MAX_RESULTS}, if provided.`);
  }
  state.checks.checkAccess(caller, 'sqs:GetQueueAttributes', source);
  const tasks = state.moveTasks.of(source).slice(0, max);
  return { Results: tasks.map(task => task.describe()) };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html */
export function cancelMessageMoveTask(
  state: SqsState,
  source: Queue,
  { input, caller }: Call<CancelMessageMoveTaskRequest>,
): CancelMessageMoveTaskResult {
  const { taskId } = readTaskHandle(input.TaskHandle ?? '');
  const task = state.moveTasks.of(source).find(({ id }) => id === taskId);
  if (!task) throw noSuchTask();
  checkMayRedrive(state, source, caller);
  task.cancel();
  return { ApproximateNumberOfMessagesMoved: task.approximatelyMoved };
}
