import { AwsError } from '../kernel/aws-error';

/** What a receipt handle says to SQS; to everybody else it is opaque. */
export interface Receipt {
  readonly messageId: string;
  /** Which receive it was given for. */
  readonly receiveCount: number;
}

/** Marks our handles, as AWS's own all begin alike. */
const PREFIX = 'AQEB';
const CONTENT = /^([0-9a-f-]{36}) (\d+) (.+)$/;

export function receiptHandle({ messageId, receiveCount }: Receipt, queueName: string): string {
  return PREFIX + Buffer.from(`${messageId} ${receiveCount} ${queueName}`).toString('base64');
}

/** @throws AwsError `ReceiptHandleIsInvalid` for anything that is no handle of this queue */
export function readReceiptHandle(handle: string, queueName: string): Receipt {
  const content = handle.startsWith(PREFIX) ? Buffer.from(handle.slice(PREFIX.length), 'base64').toString() : '';
  const [, messageId, receiveCount, name] = CONTENT.exec(content) ?? [];
  if (messageId === undefined || name !== queueName) {
    throw new AwsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
      404,
    );
  }
  return { messageId, receiveCount: Number(receiveCount) };
}
