export type { SqsTraceEvent } from './happenings';
export type { QueueIdentity } from './queue';
export { sqsResourceTypes } from './resources';
export { Sqs } from './sqs';
export type { SqsActions } from './sqs-actions';
