import { isMembers, jsonOrUndefined } from '../../kernel/json';
import { invalidParameterValue } from '../errors';

/** What a task handle says to SQS. */
export interface TaskId {
  /** A UUID. */
  readonly taskId: string;
  /** Of the queue the task takes its messages from. */
  readonly sourceArn: string;
}

/** The recorded form: JSON in base64. */
export function taskHandle({ taskId, sourceArn }: TaskId): string {
  return Buffer.from(JSON.stringify({ taskId, sourceArn })).toString('base64');
}

/** @throws AwsError for anything that is no handle, in the recorded words */
export function readTaskHandle(handle: string): TaskId {
  const content = jsonOrUndefined(Buffer.from(handle, 'base64').toString());
  if (isMembers(content)) {
    const { taskId, sourceArn } = content;
    if (typeof taskId === 'string' && typeof sourceArn === 'string') return { taskId, sourceArn };
  }
  throw invalidParameterValue('Value for parameter TaskHandle is invalid.');
}
